"""Synthetic streams of any size, with or without concept drift."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.plugins import unknown
from topk_tune.data.dataset import Dataset
from topk_tune.data.split import DEFAULT_TEST, split_rows

# Few, so that a tree that splits on one feature at a time can learn the label.
_FEATURES_OF_A_LABEL = 3

_PARAMETERS: dict[str, Callable[[str], Any]] = {
    "rows": int,
    "dim": int,
    "m": int,
    "cardinality": float,
    "drift": float,
    "width": float,
    "seed": int,
}


def synthetic(
    *,
    rows: int = 5000,
    dim: int = 50,
    m: int = 20,
    cardinality: float = 3.0,
    drift: float | None = None,
    width: float = 0.0,
    seed: int = 0,
    split: str = DEFAULT_TEST,
) -> Dataset:
    """Make a stream in which every label depends on three of the features.

    Parameters
    ----------
    rows, dim, m
        The numbers of rows (training and test together), features and labels.
    cardinality
        The average number of labels per row.
    drift
        The share of the stream after which the concept changes; None for no change.
    width
        The share of the stream over which the concept changes gradually; 0 for a sudden change.
    seed
        The random seed.
    split
        The rule that selects the test rows.

    Examples
    --------
    >>> data = synthetic(rows=100, dim=5, m=4, cardinality=2, seed=1)
    >>> data.X_train.shape, data.Y_test.shape
    ((70, 5), (30, 4))
    """
    _check(rows, dim, m, cardinality, drift, width, seed)
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, dim), dtype=np.float32)
    before, after = (_labels(X, m, cardinality, random) for _ in range(2))
    Y = np.where(_changed(rows, drift, width, random)[:, None], after, before)
    kept, aside = split_rows(rows, split)
    return Dataset(
        name=_name(rows, dim, m, cardinality, drift, width, seed),
        X_train=X[kept],
        Y_train=Y[kept],
        X_test=X[aside],
        Y_test=Y[aside],
        feature_names=tuple(f"feature_{i + 1}" for i in range(dim)),
        label_names=tuple(f"label_{i + 1}" for i in range(m)),
    )


def parse_synthetic(name: str) -> dict[str, Any]:
    """The parameters in a name.

    >>> parse_synthetic("synthetic:rows=100,drift=0.5")
    {'rows': 100, 'drift': 0.5}
    """
    return parse_settings(name, _PARAMETERS)


def parse_settings(name: str, types: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """The parameters in the name of a stream, converted to these types."""
    stream, _, settings = name.partition(":")
    parameters = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in types:
            raise ValueError(unknown(f"parameter of {stream}", key, types))
        try:
            parameters[key] = types[key](value)
        except ValueError:
            kind = "a whole number" if types[key] is int else "a number"
            raise ValueError(f"{key} of {stream} must be {kind}, but got {value!r}") from None
    return parameters


def _labels(
    X: NDArray[np.float32], m: int, cardinality: float, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Draw a concept and apply it: a label is relevant where its score is high enough."""
    # Scores are standard normal, so one threshold gives every label the same frequency.
    threshold = NormalDist().inv_cdf(1 - cardinality / m)
    Y = np.empty((len(X), m), dtype=np.uint8)
    for label in range(m):
        chosen = random.choice(
            X.shape[1], size=min(_FEATURES_OF_A_LABEL, X.shape[1]), replace=False
        )
        weights = random.standard_normal(len(chosen))
        weights /= np.sqrt((weights**2).sum())
        # Summed one by one, because a matrix product may round differently on another machine.
        score = np.zeros(len(X))
        for feature, weight in zip(chosen, weights, strict=True):
            score += weight * X[:, feature]
        Y[:, label] = score > threshold
    return Y


def _changed(
    rows: int, drift: float | None, width: float, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Which rows follow the second concept."""
    if drift is None:
        return np.zeros(rows, dtype=bool)
    since = np.arange(rows) / rows - drift
    if width == 0:
        return since >= 0
    return random.random(rows) < since / width


def _check(
    rows: int, dim: int, m: int, cardinality: float, drift: float | None, width: float, seed: int
) -> None:
    for name, value, least in (("rows", rows, 2), ("dim", dim, 1), ("m", m, 2), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name} of synthetic must be at least {least}, but got {value}")
    if not 0 < cardinality < m:
        raise ValueError(
            f"cardinality must satisfy 0 < cardinality < m = {m}, but got {cardinality}"
        )
    if drift is not None and not 0 < drift < 1:
        raise ValueError(f"drift must satisfy 0 < drift < 1, but got {drift}")
    if not 0 <= width <= 1:
        raise ValueError(f"width must satisfy 0 <= width <= 1, but got {width}")
    if width and drift is None:
        raise ValueError(f"width requires drift, but got width {width} alone")


def _name(
    rows: int, dim: int, m: int, cardinality: float, drift: float | None, width: float, seed: int
) -> str:
    """The name that makes a stream with these parameters."""
    change = f",drift={drift}" if drift is not None else ""
    change += f",width={width}" if width else ""
    return f"synthetic:rows={rows},dim={dim},m={m},cardinality={cardinality}{change},seed={seed}"
