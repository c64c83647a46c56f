"""Spaces for kinds of data: which blocks apply, and the memory that trials may take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from messages import says

import search_spaces
from topk_tune.backends.memory import LIMIT, largest_memory, within_memory
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import Choice, DataKind, Fixed, Space, SpaceError, parse_space, read_space
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.training.trial import SplitRows

FILE = """
default: {algorithm: topada, loops: 2, k: 2, n_learners: 5, n_covariates: 20}
wide: {n_learners: 6, n_covariates: 80}
sparse: {n_covariates: 0.3, leaves: bayes}
many_labels: {loops: 3}
datasets:
  mine: {n_learners: 7}
"""
NARROW = DataKind(30, sparse=False, observer="gaussian", n_labels=6)
WIDE = DataKind(500, sparse=False, observer="gaussian", n_labels=6)
SPARSE = DataKind(30, sparse=True, observer="sparse", n_labels=6)
WORDS = DataKind(2000, sparse=True, observer="binary", n_labels=499)
TAGS = replace(WORDS, n_labels=500)


def values(kind: DataKind | None, dataset: str | None = None, text: str = FILE) -> dict:
    space = parse_space(text, "mine.yaml", dataset, kind)
    return {name: space.parameters[name].extremes[0] for name in space.parameters}


def test_blocks_apply_in_order_and_the_data_set_comes_last() -> None:
    base = {"algorithm": "topada", "loops": 2, "k": 2}
    plain = base | {"n_learners": 5, "n_covariates": 20}
    assert values(None) == values(NARROW) == plain
    assert values(WIDE) == base | {"n_learners": 6, "n_covariates": 80}
    observed = {"n_covariates": 0.3, "leaves": "bayes"}
    assert values(SPARSE) == plain | observed | {"observer": "sparse"}
    assert values(WORDS) == base | observed | {"n_learners": 6, "observer": "binary"}
    assert values(TAGS) == values(WORDS) | {"loops": 3}
    assert values(replace(WIDE, n_labels=500)) == values(WIDE)
    assert values(WORDS, "mine")["n_learners"] == 7


def test_a_file_may_name_the_observer_itself_or_have_no_blocks_for_kinds() -> None:
    named = FILE.replace("leaves: bayes", "observer: gaussian")
    assert values(WORDS, text=named)["observer"] == "gaussian"
    bare = FILE.replace("sparse:", "# sparse:").replace("wide:", "# wide:")
    assert values(TAGS, text=bare)["loops"] == 3
    assert values(WORDS, text=bare) == values(NARROW)


def test_mistakes_in_these_blocks_have_their_line() -> None:
    with pytest.raises(SpaceError) as refused:
        parse_space(FILE.replace("leaves: bayes", "leaves: {type: choise}"), "mine.yaml")
    says(refused.value, "mine.yaml:4", "leaves", "choise")
    space = parse_space(FILE.replace("bayes", "bays"), "mine.yaml", kind=WORDS)
    with pytest.raises(SpaceError) as refused:
        space.check(2000, 5)
    says(refused.value, "mine.yaml:4", "leaves", "bays")


@pytest.mark.parametrize("name", ["topopt", "topada", "fullopt", "fullada"])
def test_shipped_spaces_suit_every_kind_and_are_as_before_for_the_paper(name: str) -> None:
    for kind in (WIDE, SPARSE, WORDS, TAGS):
        space = read_space(name, None, kind)
        space.check(kind.n_features, kind.n_labels)
        assert space.parameters["n_covariates"] != read_space(name).parameters["n_covariates"]
    for dataset in search_spaces.load(f"{name}.yaml")["datasets"]:
        assert read_space(name, dataset, NARROW) == read_space(name, dataset)


def test_a_study_on_documents_searches_what_fits_them() -> None:
    search = SearchOptions(dataset="documents:rows=400,dim=600,m=6,seed=1")
    plan = make_plan(search, StopOptions(trials=1), ResourceOptions("local", workers=1))
    found = plan.space.parameters
    assert found["observer"] in (Fixed("binary"), Fixed("sparse"))
    assert found["leaves"] == Choice(("weights", "bayes"))
    assert Space.from_dict(plan.settings.space) == plan.space


def test_a_study_is_told_if_its_space_names_no_observer_for_documents(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "mine.yaml"
    for text, told in ((FILE.replace("sparse:", "# sparse:"), True), (FILE, False)):
        caplog.clear()
        file.write_text(text, encoding="utf-8")
        search = SearchOptions(dataset="documents:rows=400,dim=600,m=6,seed=1", space=str(file))
        make_plan(search, StopOptions(trials=1), ResourceOptions("local", workers=1))
        assert ("mine.yaml names no observer" in caplog.text) == told


def rows_of(n_features: int, n_labels: int) -> SplitRows:
    X = np.zeros((50, n_features), np.float32)
    Y = np.zeros((50, n_labels), np.uint8)
    Y[:, 0] = 1
    Y[:25, 1] = 1
    return SplitRows(X, Y, X, Y)


def test_trials_that_could_take_too_much_memory_are_limited_to_their_share() -> None:
    space, rows = read_space("topada", None, WORDS), rows_of(2000, 983)
    share = psutil.virtual_memory().total / 2 / 4
    assert largest_memory(space, rows) > share
    limited = within_memory(space, rows, ResourceOptions("local", workers=4))
    assert 0.8 * share < largest_memory(limited, rows) <= share
    assert dict(limited.parameters) == {**space.parameters, LIMIT: limited.parameters[LIMIT]}
    named = within_memory(space, rows, ResourceOptions("local", memory=1.5))
    assert largest_memory(named, rows) <= 1.5e9
    limited.check(2000, 983)


def test_spaces_that_fit_or_have_a_limit_stay_as_they_are() -> None:
    few, rows = ResourceOptions("local", workers=1), rows_of(40, 6)
    for space in (read_space("topada"), read_space("fullopt", "emotions")):
        assert within_memory(space, rows, few) is space
    own = Space({**read_space("topada", None, WORDS).parameters, LIMIT: Fixed(10**9)})
    assert within_memory(own, rows_of(2000, 983), few) is own
    river = Space({**own.parameters, "learner": Fixed("river")})
    assert within_memory(river, rows_of(2000, 983), few) is river


def test_a_full_information_trial_asks_for_its_tables() -> None:
    space = Space({"algorithm": Fixed("fullopt"), "loops": Fixed(1), "n_learners": Fixed(500)})
    adaptive = Space({**space.parameters, "algorithm": Fixed("fullada")})
    rows = rows_of(5, 10)
    tables = 2 * 500 * 1003 * 16
    assert largest_memory(space, rows) - largest_memory(adaptive, rows) >= tables
