"""Streams of scikit-multiflow and river as data sets."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from learner_cases import library
from messages import raises

from booster import TopAda
from topk_tune.data import load


def whole(data) -> tuple[np.ndarray, np.ndarray]:
    return np.vstack([data.X_train, data.X_test]), np.vstack([data.Y_train, data.Y_test])


@pytest.mark.parametrize(
    "name",
    ["river:rows=300,dim=6,m=4,speed=0.01,seed=3", "skmultiflow:rows=300,dim=6,m=4,seed=3"],
)
def test_sizes_types_seeds_and_names(name: str) -> None:
    library(name.partition(":")[0])
    data = load(name)
    X, Y = whole(data)
    assert (X.shape, Y.shape) == ((300, 6), (300, 4))
    assert (data.X_train.dtype, data.Y_train.dtype) == (np.float32, np.uint8)
    assert (Y.sum(axis=0) > 0).all()
    assert load(data.name).fingerprint == data.fingerprint
    assert load(name.replace("seed=3", "seed=4")).fingerprint != data.fingerprint
    made = TopAda(n_features=6, n_labels=4, n_learners=3)
    assert made.run(data.X_train, data.Y_train, loops=3).loss[-1] < 0.5


def nearest_agree(X: np.ndarray, Y: np.ndarray) -> float:
    """How often a late row has the label of the early row that is nearest to it."""
    distance = ((X[-500:, None] - X[None, :500]) ** 2).sum(axis=2)
    return float((Y[:500][distance.argmin(axis=1)] == Y[-500:]).all(axis=1).mean())


def test_the_clouds_of_river_move_by_their_speed() -> None:
    """So what was true of a place at first is not true of it for long."""
    still, moving = (whole(load(f"river:rows=2000,dim=4,m=3,speed={v}")) for v in (0.0, 0.01))
    assert nearest_agree(*still) > nearest_agree(*moving) + 0.1


def test_mistakes_are_told() -> None:
    with raises(ValueError, "river", "'drift'", "rows, dim, m"):
        load("river:drift=1")
    with pytest.raises(ValueError, match="m of river:m=1 must be at least 2, but got 1"):
        load("river:m=1")
    with pytest.raises(ValueError, match="rows of river must be a whole number"):
        load("river:rows=many")


def test_a_missing_library_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skmultiflow.data", None)
    with pytest.raises(ValueError, match=r"run `python -m topk_tune\.commands\.build_sk"):
        load("skmultiflow:rows=50")
