"""What an algorithm is: an online ranker of labels that can be tuned, whoever wrote it.

It must rank a row and learn from feedback on it: `Ranker`. Everything else is found by its
presence, and made up for if it is missing (`booster.streamed`):

| it has | then |
|---|---|
| `rank(X)` | greedy rankings of many rows, which learns nothing; else `predict` is asked |
| `scores(X)` | a number for every label of every row: the hinge loss is computed from them |
| `run(X, Y, loops)` | a whole run over arrays, in the place of one call a row: a `Result` |
| `evaluate(X, Y)` | all losses of rows without learning: an `Evaluation` |
| `settled()` | a copy that is done with training, to be measured; else `copy.deepcopy` makes one |
| `save(path)`, and `load(path)` of the class | it is kept with the study, and logged as a model |
| `counts` | what it holds, of `nodes`, `split_attempts` and `bytes` |
| `bounded_bytes` | the most memory that it can ever hold, which a trial asks of a cluster |
| `rounds` | how many rounds it has learned from |
| `search_space` of the class | where it is searched by default: as in a space file, or its path |
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.results import Evaluation, Result

GIVEN = ("n_features", "n_labels", "seed")
"""The parameters that every algorithm is made with: they follow from the data and the study."""

REQUIRED = inspect.Parameter.empty
"""The default of a parameter that has none."""


class Ranker(Protocol):
    """An online ranker. It is made with keyword parameters: `GIVEN`, and its own.

    Either it has a number `k`, and is told of the labels that it places at the top and of no
    others; or its class says `full = True`, and it is told of all labels. The same seed, rows and
    feedback make the same rankings, and `copy.deepcopy` makes a copy that goes on as it would.
    Whether it explores should depend on the row as well as on the round, since rows that measure
    are all ranked in the same round.
    A parameter that breaks a rule is a ValueError that states the rule and the value.
    """

    def predict(self, x: NDArray[np.float32], /) -> ArrayLike:
        """The ranking to show for a row: every label once, best first. Learns nothing."""
        ...

    def update(self, feedback: NDArray[np.uint8], /) -> None:
        """Learn from the feedback on the last prediction: the bits of its top k in the order
        shown, or, if the class says `full = True`, those of all labels by number."""
        ...


class Trainable(Protocol):
    """What training asks for: boosters have it, and `booster.streamed` gives it to others."""

    def run(self, X: ArrayLike, Y: ArrayLike, loops: int = 1) -> Result:
        """Loop over the rows: predict, suffer the loss, learn from the feedback."""
        ...

    def rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """The labels, best first, for every row. Reads only."""
        ...

    def evaluate(self, X: ArrayLike, Y: ArrayLike) -> Evaluation:
        """The losses of rows that are not learned from."""
        ...

    def settled(self) -> Trainable:
        """A copy that is done with training."""
        ...

    def save(self, path: Any) -> None:
        """Write it to a file, if it can be."""
        ...

    @property
    def rounds(self) -> int:
        """How many rounds it has learned from."""
        ...

    @property
    def counts(self) -> dict[str, int]:
        """What it holds."""
        ...


def parameters_of(algorithm: type) -> dict[str, Any]:
    """The parameters that an algorithm is made with, and their defaults, or `REQUIRED`.

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
    """Raise a ValueError unless something is a class of online rankers."""
    lacking = [each for each in ("predict", "update") if not hasattr(algorithm, each)]
    if not isinstance(algorithm, type) or lacking:
        needed = " and ".join(lacking) or "a class"
        raise ValueError(f"algorithm {name!r} must be a class that ranks, but lacks {needed}")
    return algorithm
