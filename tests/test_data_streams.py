"""Made-up streams: seeded, learnable, and changing where they are told to."""

import numpy as np
import pytest
from messages import raises

from topk_tune.data import Dataset, load, synthetic


def whole(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    return np.vstack([data.X_train, data.X_test]), np.vstack([data.Y_train, data.Y_test])


def linear(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The weights of the least squares that predict labels from features."""
    return np.linalg.lstsq(X, Y - Y.mean(axis=0), rcond=None)[0]


def agreement(X: np.ndarray, Y: np.ndarray, weights: np.ndarray) -> float:
    """The share of pairs of a relevant and an irrelevant label that the weights order rightly."""
    scores = X @ weights
    relevant, irrelevant = Y[:, :, None] == 1, Y[:, None, :] == 0
    right = scores[:, :, None] > scores[:, None, :]
    return float(right[relevant & irrelevant].mean())


def test_sizes_types_and_names() -> None:
    data = load("synthetic:rows=1000,dim=7,m=5,cardinality=2.5,drift=0.5,width=0.1,seed=3")
    assert data.X_train.shape == (700, 7)
    assert data.Y_test.shape == (300, 5)
    assert (data.X_train.dtype, data.Y_train.dtype) == (np.float32, np.uint8)
    assert data.X_train.flags.c_contiguous
    assert data.Y_train.flags.c_contiguous
    assert (data.n_features, data.n_labels) == (7, 5)
    assert load(data.name).fingerprint == data.fingerprint


def test_the_same_seed_makes_the_same_stream_everywhere() -> None:
    data = synthetic(rows=50, dim=4, m=3, cardinality=1, drift=0.5, width=0.2, seed=1)
    assert data.fingerprint.startswith("17624ecd1d44")
    other = synthetic(rows=50, dim=4, m=3, cardinality=1, drift=0.5, width=0.2, seed=2)
    assert other.fingerprint != data.fingerprint


@pytest.mark.parametrize("cardinality", [0.5, 3, 9])
def test_rows_have_as_many_labels_as_asked_for(cardinality: float) -> None:
    _, Y = whole(synthetic(rows=4000, dim=30, m=10, cardinality=cardinality))
    assert Y.sum(axis=1).mean() == pytest.approx(cardinality, rel=0.05)


def test_labels_can_be_learnt() -> None:
    data = synthetic(rows=3000, dim=20, m=8, cardinality=2)
    weights = linear(data.X_train, data.Y_train)
    assert agreement(data.X_test, data.Y_test, weights) > 0.85


def test_a_drift_at_once_changes_the_concept_at_its_row() -> None:
    still = whole(synthetic(rows=2000, dim=20, m=8, cardinality=2, seed=5))
    drifting = whole(synthetic(rows=2000, dim=20, m=8, cardinality=2, drift=0.6, seed=5))
    np.testing.assert_array_equal(still[0], drifting[0])
    same = (still[1] == drifting[1]).all(axis=1)
    assert same[:1200].all()
    assert same[1200:].mean() < 0.3
    X, Y = drifting
    weights = linear(X[:1200], Y[:1200])
    assert agreement(X[:1200], Y[:1200], weights) > 0.85
    assert agreement(X[1200:], Y[1200:], weights) < 0.65


def test_a_wide_drift_takes_over_bit_by_bit() -> None:
    _, still = whole(synthetic(rows=6000, dim=20, m=8, cardinality=2, seed=5))
    _, drifting = whole(
        synthetic(rows=6000, dim=20, m=8, cardinality=2, drift=0.25, width=0.5, seed=5)
    )
    changed = (still != drifting).any(axis=1)
    quarters = [changed[start : start + 1500].mean() for start in range(0, 6000, 1500)]
    assert quarters[0] == 0
    assert 0.1 < quarters[1] < quarters[2] - 0.2 < quarters[3] - 0.3


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("synthetic:row=5", ["synthetic", "'row'", "rows, dim, m"]),
        ("synthetic:rows", ["rows of synthetic", "whole", "''"]),
        ("synthetic:rows=1e3", ["rows of synthetic", "whole", "'1e3'"]),
        ("synthetic:drift=late", ["drift of synthetic", "number", "'late'"]),
        ("synthetic:rows=1", ["rows of synthetic", "at least 2", "got 1"]),
        ("synthetic:m=1", ["m of synthetic", "at least 2", "got 1"]),
        ("synthetic:seed=-1", ["seed of synthetic", "at least 0", "got -1"]),
        ("synthetic:m=3,cardinality=3", ["cardinality", "m = 3", "got 3.0"]),
        ("synthetic:drift=1", ["0 < drift < 1", "got 1.0"]),
        ("synthetic:drift=0.5,width=2", ["0 <= width <= 1", "got 2.0"]),
        ("synthetic:width=0.1", ["drift", "width 0.1"]),
    ],
)
def test_a_wrong_parameter_gets_one_sentence(name: str, facts: list[str]) -> None:
    with raises(ValueError, *facts):
        load(name)
