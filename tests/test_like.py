"""Warm starts: which configurations a study begins with."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from messages import raises, says
from tuning import DATA, FakeBackend, FakeResources, settings, space, study, tune

import search_spaces
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.data.descriptors import Descriptors
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import ranked
from topk_tune.spaces import Choice, Fixed, Float, Int, Space, read_space
from topk_tune.storage import Location
from topk_tune.study import known_results
from topk_tune.study.confirm import confirm
from topk_tune.study.data_note import note_data, noted_data
from topk_tune.study.known_results import of_study, shipped
from topk_tune.study.like import MOST, Like, begin_like
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.study.portfolio import Evidence, portfolio
from topk_tune.study.study import Study

YEAST = load("yeast")
SHIPPED = Like(shipped=True)


def begun(searched: Space | str = "topada", like: Like = SHIPPED, **more: Any) -> StudySettings:
    """The settings of a study on Yeast."""
    searched = read_space(searched, "new") if isinstance(searched, str) else searched
    return begin_like(settings(searched), like, YEAST, **more)


def begun_in(folder: Path, *like: str, **changes: Any) -> StudySettings:
    """The settings of a study on small data, beside those of a folder."""
    made = settings(space(), **{"name": "new", **changes})
    return begin_like(made, Like.of(like, "tpe"), load(DATA), Location.of(str(folder)))


def earlier(folder: Path, name: str = "old", trials: int = 12, **changes: Any) -> Study:
    """A finished study."""
    made = study(folder, name=name, **changes)
    tune(made.store, StopOptions(trials=trials), FakeBackend())
    made.store.close()
    return made


@pytest.mark.parametrize("algorithm", ["topada", "topopt", "fullopt", "fullada"])
def test_a_study_begins_with_few_legal_configurations_cheap_ones_first(algorithm: str) -> None:
    searched = read_space(algorithm, "new")
    made = begun(searched)
    assert 3 <= len(made.first) <= MOST
    assert len(made.origins) == len(made.first)
    assert set(made.origins) <= set(search_spaces.load("best/datasets.yaml"))
    for config in made.first:
        searched.contains(config)
        assert config["loops"] == searched.largest("loops")
    learners = [config["n_learners"] for config in made.first]
    assert learners == sorted(learners)
    assert len({json.dumps(config) for config in made.first}) == len(made.first)


def test_few_trials_begin_with_few_configurations() -> None:
    assert len(begun(trials=2).first) == 2


def test_given_configurations_come_first_and_only_once() -> None:
    known = begun()
    made = settings(read_space("topada", "new"), first=known.first[-1:])
    again = begin_like(made, SHIPPED, YEAST)
    assert again.first[0] == known.first[-1]
    assert again.first[1:] == known.first[:-1]
    assert len(again.origins) == len(again.first) - 1


def test_a_space_that_nothing_fits_begins_with_nothing() -> None:
    made = begun(space())
    assert (made.first, made.origins) == ((), ())


def test_the_space_decides_what_it_fixes() -> None:
    searched = read_space("topada", "new").fixed(k=2, max_nodes=31)
    made = begun(searched)
    assert made.first
    assert {(config["k"], config["max_nodes"]) for config in made.first} == {(2, 31)}


def test_what_was_learned_from_a_data_set_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [entry for entry in search_spaces.crossed("topada") if entry.get("from") == "yeast"]
    learned = [search_spaces.tuned_parameters("topada", "yeast"), *(e["config"] for e in found)]
    own = [pytest.approx(config["step_scale"], rel=1e-3) for config in learned]
    assert any(config["step_scale"] in own for config in begun().first)
    without = begun(without=["yeast"])
    assert not any(config["step_scale"] in own for config in without.first)
    assert "yeast" not in without.origins

    def other(algorithm: str) -> list[dict[str, Any]]:
        entries = crossed(algorithm)
        for place, entry in enumerate(entries):
            entry["losses"]["yeast"] = place
        return entries

    crossed = search_spaces.crossed
    monkeypatch.setattr(search_spaces, "crossed", other)
    assert begun(without=["yeast"]) == without
    assert begun() != begun(without=["yeast"])


def test_similar_data_count_most() -> None:
    scene, mediamill = (each for each in shipped("topada") if each.name in ("scene", "mediamill"))
    assert scene.data is not None
    assert mediamill.data is not None
    assert scene.data.similarity(Descriptors.of(YEAST)) > mediamill.data.similarity(
        Descriptors.of(YEAST)
    )
    assert scene.data.similarity(scene.data) == 1
    there, back = scene.data.similarity(mediamill.data), mediamill.data.similarity(scene.data)
    assert there == pytest.approx(back)


def test_shipped_figures_of_a_data_set_are_those_of_its_rows() -> None:
    assert search_spaces.load("best/datasets.yaml")["yeast"] == asdict(Descriptors.of(YEAST))


def evidence(name: str, ranks: Mapping[int, float], weight: float = 1.0) -> Evidence:
    configs = [{"p": str(value)} for value in ranks]
    return Evidence(name, configs, list(ranks.values()), weight)


def chosen(known: Sequence[Evidence], most: int) -> list[tuple[str, str]]:
    options = Space({"p": Choice([str(value) for value in range(6)])})
    return [(config["p"], each.name) for config, each in portfolio(known, options, most)]


def test_the_next_configuration_helps_where_the_others_do_not() -> None:
    many = {0: 0.0, 1: 0.05, 2: 0.9, 3: 0.6}
    few = {2: 0.0, 0: 0.8, 1: 0.9, 3: 0.6}
    known = [evidence("a", many), evidence("b", many), evidence("c", few)]
    assert chosen(known, 2) == [("0", "a"), ("2", "c")]
    heavy = [evidence("a", many), evidence("b", many), evidence("c", few, weight=5.0)]
    assert chosen(heavy, 1) == [("2", "c")]


def test_configurations_that_are_nearly_the_same_count_once() -> None:
    searched = Space({"rho": Float(0.0, 1.0), "n_learners": Int(1, 100)})
    configs = [{"rho": rho, "n_learners": 50} for rho in (0.5, 0.501, 0.9)]
    known = Evidence("a", configs, [0.0, 0.1, 0.2])
    assert [config["rho"] for config, _ in portfolio([known], searched, 6)] == [0.5, 0.9]


@pytest.mark.parametrize("sampler", ["grid", "random", "qmc"])
def test_samplers_that_do_not_learn_begin_with_nothing(sampler: str) -> None:
    assert Like.of(None, sampler) == Like()
    assert Like.of(None, "tpe") == Like(shipped=True)
    assert Like.of("auto", sampler) == Like(shipped=True, studies=True)


def test_none_stands_alone() -> None:
    assert Like.of("none", "tpe") == Like.of([], "tpe") == Like()
    with raises(ValueError, "none", "old"):
        Like.of(["old", "none"], "tpe")


def test_the_best_of_a_named_study(tmp_path: Path) -> None:
    old = earlier(tmp_path)
    made = begun_in(tmp_path, "old")
    best = ranked(old.records())[0].config
    assert best in made.first
    assert 2 <= len(made.first) <= MOST
    assert set(made.origins) == {"study old"}
    assert all(config["loops"] == 6 for config in made.first)


def test_a_confirmed_configuration_comes_first(tmp_path: Path) -> None:
    old = earlier(tmp_path)
    finalists = confirm(old, 3, 2, FakeResources(made=FakeBackend(2), retries=1))
    made = begun_in(tmp_path, "old")
    assert of_study(old).confirmed
    assert made.first[0] == {**finalists[0].config, "loops": 6}


def test_what_does_not_fit_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    earlier(tmp_path, trials=5, searched=space(algorithm=Fixed("topopt")))
    with caplog.at_level(logging.WARNING, "topk_tune"):
        made = begun_in(tmp_path, "old")
    assert made.first == ()
    says(caplog.text, "study old", "5 of 5")


def test_an_unknown_name_is_refused_with_the_options(tmp_path: Path) -> None:
    earlier(tmp_path, trials=1)
    with raises(ValueError, "'odl'", "old", "emotions", "auto", "none"):
        begun_in(tmp_path, "odl")


def test_a_data_set_can_be_named() -> None:
    named = begun(like=Like(named=("scene",)))
    tuned = search_spaces.tuned_parameters("topada", "scene")
    assert set(named.origins) == {"scene"}
    assert tuned["rho"] in [config["rho"] for config in named.first]


def test_auto_reads_other_studies_of_the_same_objective(tmp_path: Path) -> None:
    earlier(tmp_path, "one")
    earlier(tmp_path, "other", objective="greedy_loss")
    earlier(tmp_path, "new")
    assert set(begun_in(tmp_path, "auto").origins) == {"study one"}
    assert begun_in(tmp_path, "shipped").origins == ()
    assert begun_in(tmp_path / "empty", "auto").origins == ()


def test_a_study_remembers_what_its_data_are_like(tmp_path: Path) -> None:
    old = earlier(tmp_path, trials=1)
    assert noted_data(old) is None
    note_data(old, load(DATA))
    assert noted_data(old) == Descriptors.of(load(DATA))
    assert of_study(old).data == Descriptors.of(load(DATA))


def test_a_study_goes_on_after_earlier_results_have_changed(tmp_path: Path) -> None:
    """The configurations are stored with it: those of another day are not its own."""
    earlier(tmp_path, "one")
    location = Location.of(str(tmp_path))
    search = SearchOptions(dataset=DATA, space=space(), name="new", like="auto", pruner="none")
    stop, resources = StopOptions(trials=9), ResourceOptions("local", 1)
    plan = make_plan(search, stop, resources, location=location)
    made = Study.create(location, plan)
    tune(made.store, StopOptions(trials=len(plan.settings.first)), FakeBackend(1))
    made.store.close()
    assert [record.config for record in made.records()] == list(plan.settings.first)

    earlier(tmp_path, "two", seed=5)
    later = make_plan(search, stop, resources, location=location)
    assert later.settings.first != plan.settings.first
    assert Study.reopen(location, later.settings).settings == plan.settings
    given = later.settings.model_copy(update={"first": plan.settings.first, "origins": ()})
    with raises(ValueError, "first"):
        Study.reopen(location, given)


def test_shipped_results_are_read_once() -> None:
    known_results._file.cache_clear()
    list(shipped("topada"))
    before = known_results._file.cache_info().misses
    list(shipped("topada"))
    assert known_results._file.cache_info().misses == before
