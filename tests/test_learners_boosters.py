"""Boosters on the learners of other libraries: the same rounds, and losses within the spread."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import CASES, TOP_K, Case, feedback, play, stream
from learner_cases import LIBRARIES, LIBRARY, library

import booster
from booster import Booster
from booster.foreign import ForeignRounds
from booster.learners.library_tree import NODE_BYTES
from booster.learners.weak_learner import make_learners
from booster.tables import LEARNERS, NATIVE
from topk_tune.data import load
from topk_tune.spaces import Choice, Fixed, Space, SpaceError

FIRST = {case.algorithm: str(case) for case in reversed(CASES)}
EVERY_ALGORITHM_FIRST = pytest.mark.parametrize(
    "case",
    [
        case if str(case) in FIRST.values() else pytest.param(case, marks=pytest.mark.slow)
        for case in CASES
    ],
    ids=str,
)
"""Every case, of which `make check` tries one of each algorithm."""


def on(name: str, case: Case, matched: bool = False, **parameters: Any) -> Booster:
    """A small booster on the learners of a library."""
    library(name)
    made = case.make(learner=name, **parameters)
    if matched:
        learners = make_learners(name, made._forest.trees, made.n_labels, matched=True)
        made._foreign = ForeignRounds(learners)
    return made


@LIBRARY
@EVERY_ALGORITHM_FIRST
def test_on_matched_learners_a_booster_does_what_it_does_on_native_ones(name, case) -> None:
    X, Y = stream(60)
    native, other = case.make(), on(name, case, matched=True)
    assert play(native, X, Y) == play(other, X, Y)
    np.testing.assert_allclose(native._votes.alpha, other._votes.alpha, atol=1e-9)
    for count in ("nodes", "leaves", "splits", "split_attempts"):
        assert native.counts[count] == other.counts[count]
    one, two = native.run(X, Y), other.run(X, Y)
    np.testing.assert_allclose(one.loss, two.loss, atol=1e-9)
    np.testing.assert_allclose(one.shown_loss, two.shown_loss, atol=1e-9)


@LIBRARY
@EVERY_ALGORITHM_FIRST
def test_a_stream_and_a_run_agree(name, case) -> None:
    X, Y = stream(25)
    one, other = on(name, case), on(name, case)
    play(one, X, Y)
    other.run(X, Y)
    assert one.rounds == other.rounds == 25
    assert one.scores(X).tolist() == other.scores(X).tolist()
    assert one.counts == other.counts


@LIBRARY
def test_learners_are_born_as_native_trees_are(name) -> None:
    made = on(name, CASES[0], n_covariates=3)
    born = made._forest.trees
    assert made._foreign is not None
    for i, learner in enumerate(made._foreign.learners):
        tree: Any = learner
        assert tree.covariates == tuple(born.covariates[i, :3].tolist())
        params = tree.tree if name == "river" else tree.tree.get_params()
        names = {
            "river": ("grace_period", "delta", "tau"),
            "skmultiflow": ("grace_period", "split_confidence", "tie_threshold"),
        }[name]
        got = [getattr(params, p) if name == "river" else params[p] for p in names]
        wanted = [born.grace[i], np.exp(-born.log_confidence[i]), born.tie[i]]
        np.testing.assert_allclose(got, wanted)


@LIBRARY
@pytest.mark.parametrize("case", TOP_K, ids=str)
def test_hidden_labels_are_never_read(name, case) -> None:
    X, Y = stream(20)
    one, other = on(name, case), on(name, case)
    for x, y in zip(X, Y, strict=True):
        ranking = one.predict(x)
        assert other.predict(x).tolist() == ranking.tolist()
        flipped = 1 - y
        flipped[ranking[: one.parameters["k"]]] = y[ranking[: one.parameters["k"]]]
        one.update(feedback(one, ranking, y))
        other.update(feedback(other, ranking, flipped))
    assert one.scores(X).tolist() == other.scores(X).tolist()


@LIBRARY
def test_reading_changes_nothing_and_copies_go_on_the_same(name) -> None:
    X, Y = stream(40)
    made = on(name, CASES[0])
    made.run(X[:20], Y[:20])
    other = copy.deepcopy(made)
    made.predict(X[0])
    made.evaluate(X, Y)
    assert made.scores(X).tolist() == other.scores(X).tolist()
    made.run(X[20:], Y[20:])
    assert made.scores(X).tolist() != other.scores(X).tolist()
    other.run(X[20:], Y[20:])
    assert made.scores(X).tolist() == other.scores(X).tolist()


@LIBRARY
def test_memory_is_estimated_and_bounded(name) -> None:
    X, Y = stream(60)
    large, made = on(name, CASES[0]), on(name, CASES[0], max_nodes=7)
    large.run(X[:20], Y[:20])
    assert large.counts["nodes"] * NODE_BYTES < large.counts["bytes"] < large.bounded_bytes
    made.run(X, Y)
    assert made.counts["bytes"] == made.counts["nodes"] * NODE_BYTES  # all are at their budget
    assert made.counts["nodes"] <= 7 * made.n_learners
    assert made.counts["leaves"] == made.counts["splits"] + made.n_learners


@LIBRARY
def test_boosters_on_other_learners_cannot_be_saved(name, tmp_path: Path) -> None:
    made = on(name, CASES[0])
    with pytest.raises(ValueError, match=f"must have native learners, but got learner = '{name}'"):
        made.save(tmp_path / "b.npz")
    assert not list(tmp_path.iterdir())


@LIBRARY
def test_a_saved_booster_that_claims_other_learners_is_refused(name, tmp_path: Path) -> None:
    library(name)
    CASES[0].make().save(tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as file:
        arrays = {key: file[key] for key in file.files}
    header = json.loads(str(arrays["header"]))
    header["parameters"]["learner"] = name
    arrays["header"] = np.array(json.dumps(header))
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match="must have native learners"):
        booster.load(tmp_path / "b.npz")


@LIBRARY
def test_a_missing_library_is_one_sentence_with_the_command(name, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, LEARNERS[name].target.partition(":")[0], None)
    with pytest.raises(ValueError, match=f"run `{LEARNERS[name].install}`") as raised:
        CASES[0].make(learner=name)
    assert "\n" not in str(raised.value)


@LIBRARY
def test_a_space_may_search_over_learners_that_are_there(name, monkeypatch) -> None:
    library(name)
    common = {"algorithm": Fixed("topada"), "loops": Fixed(1)}
    space = Space({**common, "learner": Choice(("native", name))})
    space.check(n_features=5, n_labels=6)
    monkeypatch.setitem(sys.modules, LEARNERS[name].target.partition(":")[0], None)
    with pytest.raises(SpaceError, match=LEARNERS[name].install):
        space.check(n_features=5, n_labels=6)


def losses(algorithm: str, learner: str, seeds: int) -> np.ndarray:
    """On the next rows of Yeast, after a few."""
    data = load("yeast")
    found = []
    for seed in range(seeds):
        made = booster.ALGORITHMS.load(algorithm)(
            n_features=103, n_labels=14, n_learners=4, n_covariates=6, seed=seed, learner=learner
        )
        made.run(data.X_train[:100], data.Y_train[:100])
        found.append(made.evaluate(data.X_train[100:200], data.Y_train[100:200]).loss)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["topopt", "fullada"])
def test_stock_learners_reach_the_same_loss_within_the_spread_of_seeds(algorithm) -> None:
    """The mean difference, seed by seed, is less than the spread of the native losses.

    With ten seeds, whole data sets and a test of equivalence: docs/results/learners.md.
    """
    by_learner = {}
    for learner in (NATIVE, *LIBRARIES):
        if learner != NATIVE:
            library(learner)
        by_learner[learner] = losses(algorithm, learner, seeds=5)
    native = by_learner.pop("native")
    for other in by_learner.values():
        assert not np.array_equal(other, native)
        assert abs((other - native).mean()) < native.std(ddof=1)
