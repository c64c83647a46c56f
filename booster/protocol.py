"""The protocol of algorithms: online rankers of labels that can be tuned.

An algorithm must rank a row and learn from feedback on it: `Ranker`. Everything else is optional
and is replaced by `booster.streamed` if missing:

| optional | purpose |
|---|---|
| `rank(X)` | greedy rankings of many rows, without learning; otherwise `predict` is used |
| `scores(X)` | a number for every label of every row, from which the hinge loss is computed |
| `run(X, Y, loops)` | a whole run over arrays instead of one call per row; returns a `Result` |
| `evaluate(X, Y)` | all losses of rows, without learning; returns an `Evaluation` |
| `settled()` | a copy whose training has ended, to be measured; otherwise `copy.deepcopy` |
| `save(path)`, and `load(path)` of the class | it is stored with the study and logged as a model |
| `counts` | any of `nodes`, `split_attempts` and `bytes` |
| `bounded_bytes` | the upper limit of its memory, which a trial requests from the cluster |
| `rounds` | the number of rounds it has learned from |
| `search_space` of the class | the default search space: as in a space file, or its path |
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.results import Evaluation, Result

GIVEN = ("n_features", "n_labels", "seed")
"""The parameters that every algorithm gets; they follow from the data and the study."""

REQUIRED = inspect.Parameter.empty
"""Stands for the default of a parameter without one."""


class Ranker(Protocol):
    """An online ranker, made with keyword parameters: those of `GIVEN` and its own.

    Either it has a number `k` and is told only about the k labels that it places at the top, or its
    class has `full = True` and it is told about all labels. The same seed, rows and feedback must
    give the same rankings, and a `copy.deepcopy` must continue like the original. Exploration
    should depend on the row as well as on the round, because all rows of a measurement are ranked
    in the same round. A parameter that breaks a rule must raise a ValueError that states the rule
    and the value.
    """

    def predict(self, x: NDArray[np.float32], /) -> ArrayLike:
        """Return the ranking to show for a row: every label once, best first. Learns nothing."""
        ...

    def update(self, feedback: NDArray[np.uint8], /) -> None:
        """Learn from the feedback on the last prediction.

        The feedback holds the bits of its top k labels in the order shown, or, if the class has
        `full = True`, those of all labels by number.
        """
        ...


class Trainable(Protocol):
    """The interface that training needs. `booster.streamed` adds it to algorithms without it."""

    def run(self, X: ArrayLike, Y: ArrayLike, loops: int = 1) -> Result:
        """Loop over the rows: predict, record the loss, learn from the feedback."""
        ...

    def rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the labels of every row, best first. Learns nothing."""
        ...

    def evaluate(self, X: ArrayLike, Y: ArrayLike) -> Evaluation:
        """Return the losses on rows without learning from them."""
        ...

    def settled(self) -> Trainable:
        """Return a copy whose training has ended."""
        ...

    def save(self, path: Any) -> None:
        """Write it to a file, if it supports this."""
        ...

    @property
    def rounds(self) -> int:
        """The number of rounds it has learned from."""
        ...

    @property
    def counts(self) -> dict[str, int]:
        """Counts of what it holds, for example nodes."""
        ...


def parameters_of(algorithm: type) -> dict[str, Any]:
    """Return the parameters of an algorithm with their defaults, or `REQUIRED` for those without.

    >>> from booster import TopOpt
    >>> parameters_of(TopOpt)["k"]
    3
    """
    if is_dataclass(algorithm):
        return {
            each.name: REQUIRED if each.default is MISSING else each.default
            for each in fields(algorithm)
            if each.init
        }
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(algorithm).parameters.values()
    return {each.name: each.default for each in found if each.kind in named}


def check_algorithm(name: str, algorithm: Any) -> type:
    """Raise a ValueError unless `algorithm` is a class of online rankers."""
    lacking = [each for each in ("predict", "update") if not hasattr(algorithm, each)]
    if not isinstance(algorithm, type) or lacking:
        needed = " and ".join(lacking) or "a class"
        raise ValueError(f"algorithm {name!r} must be a class that ranks, but lacks {needed}")
    return algorithm
