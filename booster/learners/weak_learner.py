"""What a booster asks of a weak learner that is not native, and where to find one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from booster.kernels.state import Trees

NATIVE = "native"


class WeakLearner(Protocol):
    """Gives a distribution over labels and learns from weighted labels."""

    def distribution(self, x: Sequence[float]) -> Sequence[float]:
        """What it thinks of a row: a number for every label, all together 1."""
        ...

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Learn that a row has a label, by its weight; a weight of 0 changes nothing."""
        ...

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        ...

    @property
    def n_attempts(self) -> int:
        """How often it looked for a split."""
        ...

    @property
    def nbytes(self) -> int:
        """About how much memory it holds."""
        ...

    @property
    def bounded_bytes(self) -> int:
        """About the most memory that it can ever hold."""
        ...


class Library(NamedTuple):
    """A library of learners: its package, its adapter, and the command that installs it."""

    package: str
    module: str
    adapter: str
    install: str


LIBRARIES = {
    "skmultiflow": Library(
        "scikit-multiflow",
        "booster.learners.skmultiflow_tree",
        "SkmultiflowTree",
        "make skmultiflow",
    ),
    "river": Library("river", "booster.learners.river_tree", "RiverTree", "pip install river"),
}

LEARNERS = (NATIVE, *LIBRARIES)
"""The names of all learners."""


class MissingLearnerError(ValueError):
    """A library of learners is not installed."""


def adapter(name: str) -> Any:
    """The class of the learners of a library, which is imported only now."""
    library = LIBRARIES[name]
    try:
        return getattr(import_module(library.module), library.adapter)
    except ImportError as error:
        raise MissingLearnerError(
            f"learner = {name!r} needs {library.package}, which cannot be imported ({error}): "
            f"run `{library.install}`, or choose {NATIVE!r}"
        ) from None


def make_learners(
    name: str, trees: Trees, n_classes: int, matched: bool = False
) -> list[WeakLearner]:
    """Learners of a library, each with what a native tree of the same number is born with.

    `matched` ones also decide as native trees do where the two differ by design.
    """
    make = adapter(name)
    return [
        make(
            n_classes,
            trees.covariates[i, : trees.n_covariates].tolist(),
            grace=float(trees.grace[i]),
            confidence=math.exp(-trees.log_confidence[i]),
            tie=float(trees.tie[i]),
            max_nodes=trees.max_nodes,
            matched=matched,
        )
        for i in range(len(trees.grace))
    ]
