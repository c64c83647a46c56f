"""Synthetic streams of other libraries, by name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.tables import LEARNERS
from topk_tune.data.dataset import Dataset
from topk_tune.data.errors import DataError
from topk_tune.data.split import split_rows
from topk_tune.data.streams import parse_settings

_MULTILABEL: dict[str, int] = {"rows": 5000, "dim": 20, "m": 5, "cardinality": 2, "seed": 0}
_MOVING: dict[str, float] = {"rows": 5000, "dim": 10, "m": 5, "speed": 0.001, "seed": 0}
_CENTRES = 50


def multilabel(name: str, split: str) -> Dataset:
    """scikit-multiflow's `MultilabelGenerator`: labels are mixtures of word counts."""
    try:
        from skmultiflow.data import MultilabelGenerator
    except ImportError as error:
        raise DataError(
            f"{name} needs scikit-multiflow, which cannot be imported ({error}): "
            f"run `{LEARNERS['skmultiflow'].install}`"
        ) from None
    chosen = _settings(name, _MULTILABEL)
    stream = MultilabelGenerator(
        n_samples=chosen["rows"],
        n_features=chosen["dim"],
        n_targets=chosen["m"],
        n_labels=chosen["cardinality"],
        random_state=chosen["seed"],
    )
    X, Y = stream.next_sample(chosen["rows"])
    return _dataset("skmultiflow", chosen, X, Y, split)


def moving(name: str, split: str) -> Dataset:
    """river's `RandomRBFDrift`: moving clouds of points, with one label each."""
    from river.datasets.synth import RandomRBFDrift

    chosen = _settings(name, _MOVING)
    stream = RandomRBFDrift(
        seed_model=chosen["seed"],
        seed_sample=chosen["seed"],
        n_classes=chosen["m"],
        n_features=chosen["dim"],
        n_centroids=_CENTRES,
        n_drift_centroids=_CENTRES,
        change_speed=chosen["speed"],
    )
    rows = list(islice(stream, chosen["rows"]))
    X = np.array([list(x.values()) for x, _ in rows])
    Y = np.eye(chosen["m"])[[y for _, y in rows]]
    return _dataset("river", chosen, X, Y, split)


GENERATORS: dict[str, Callable[[str, str], Dataset]] = {"skmultiflow": multilabel, "river": moving}
"""The streams by the first part of their names."""


def _settings(name: str, defaults: dict[str, Any]) -> dict[str, Any]:
    given = parse_settings(name, {key: type(value) for key, value in defaults.items()})
    chosen = {**defaults, **given}
    for key, least in (("rows", 2), ("dim", 1), ("m", 2), ("seed", 0)):
        if chosen[key] < least:
            raise ValueError(f"{key} of {name} must be at least {least}, but got {chosen[key]}")
    return chosen


def _dataset(
    kind: str, chosen: dict[str, Any], X: NDArray[Any], Y: NDArray[Any], split: str
) -> Dataset:
    X, Y = X.astype(np.float32), Y.astype(np.uint8)
    kept, aside = split_rows(len(X), split)
    return Dataset(
        name=f"{kind}:" + ",".join(f"{key}={value}" for key, value in chosen.items()),
        X_train=X[kept],
        Y_train=Y[kept],
        X_test=X[aside],
        Y_test=Y[aside],
        feature_names=tuple(f"feature_{i + 1}" for i in range(X.shape[1])),
        label_names=tuple(f"label_{i + 1}" for i in range(Y.shape[1])),
    )
