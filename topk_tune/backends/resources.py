"""Which machines run a study, and what a trial may take of them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import booster
from booster.tables import ALGORITHMS, NATIVE
from topk_tune.backends.base import Backend
from topk_tune.spaces import Space
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.values import is_number
from topk_tune.training.trial import TrialConfig, TrialRows

BackendName = Literal["ray", "local"]

_INTERPRETER = 300 * 2**20
"""Bytes that a worker takes before it trains: Python, NumPy, numba and the kernels."""

_UNLIMITED = 10
"""How many times the default budget of nodes a tree without a limit is taken to need."""


@dataclass(frozen=True)
class Machines:
    """Where trials run.

    Parameters
    ----------
    backend
        "ray", or "local" for processes of this machine without Ray.
    workers
        How many trials run at once; None for one a processor.
    address
        Of a Ray cluster; None for $RAY_ADDRESS, or else a Ray of our own.
    cpus
        Processors that a trial takes.
    memory
        Bytes that a trial takes; None for the bound of the largest booster of the space.
    labels
        Labels that a node of the cluster must have.
    """

    backend: BackendName = "ray"
    workers: int | None = None
    address: str | None = None
    cpus: float = 1.0
    memory: int | None = None
    labels: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"workers must be at least 1, but got {self.workers}")
        if not self.cpus > 0:
            raise ValueError(f"cpus must be greater than 0, but got {self.cpus}")
        if self.backend == "local" and (self.address or self.labels):
            raise ValueError("the local backend has no cluster: it takes no address and no labels")

    def check(self) -> None:
        """Raise an error if the cluster cannot be reached, before anything is made for it."""
        if self.backend == "ray" and (address := self._address):
            from topk_tune.backends.ray_address import check_address

            check_address(address)

    @property
    def _address(self) -> str | None:
        return self.address or os.environ.get("RAY_ADDRESS")

    @property
    def count(self) -> int:
        """How many trials run at once, as far as it is known without a cluster."""
        return self.workers or max(1, int(_processors() / self.cpus))

    def make(self, space: Space, rows: TrialRows) -> Backend:
        """The backend."""
        if self.backend == "local":
            from topk_tune.backends.local import LocalBackend

            return LocalBackend(self.count)
        from topk_tune.backends.ray import RayBackend
        from topk_tune.backends.ray_cluster import Resources

        memory = self.memory or largest_memory(space, rows)
        return RayBackend(
            workers=self.workers,
            address=self._address,
            resources=Resources(self.cpus, memory, self.labels),
        )


def largest_memory(space: Space, rows: TrialRows) -> int:
    """The most bytes that a trial of a space can take, the rows apart.

    The paper's trees have no bound. Where a space has them, a trial is taken to be as large as
    one of trees of ten times as many nodes as they have by default; no more than a guess. Rankers
    that know no bound are taken to need no more than the interpreter does.
    """
    shape = {"n_features": rows.X.shape[1], "n_labels": rows.Y.shape[1], "n_rows": len(rows.X)}
    made = [TrialConfig.of(config).booster(**shape, seed=0) for config in _largest(space)]
    return _INTERPRETER + max(int(getattr(each, "bounded_bytes", 0)) for each in made)


def _largest(space: Space) -> Iterator[dict[str, Any]]:
    """The configurations of a space that may take most: of boosters, and of each other ranker."""
    named = {name: ALGORITHMS.load(name) for name in space.parameters["algorithm"].extremes}
    others = [name for name, made in named.items() if not issubclass(made, booster.Booster)]
    for name in others:
        taken = {p: space.parameters[p] for p in searchable(named[name]) if p in space.parameters}
        values = {p: _most(each.extremes) for p, each in taken.items()}
        yield {"algorithm": name, "loops": 1, **values}
    if len(others) < len(named):
        yield from _largest_boosters(space)


def _largest_boosters(space: Space) -> Iterator[dict[str, Any]]:
    config: dict[str, Any] = {"algorithm": "fullada", "loops": 1}
    for name in ("n_learners", "n_covariates", "max_nodes"):
        if name in space.parameters:
            config[name] = int(space.largest(name))
    if "paper" in space.parameters and True in space.parameters["paper"].extremes:
        config["max_nodes"] = _UNLIMITED * booster.FullAda.max_nodes
    learner = space.parameters.get("learner")
    for name in learner.extremes if learner else (NATIVE,):
        yield {**config, "learner": name}


def _most(values: Sequence[Any]) -> Any:
    """The largest of some numbers, or the first of other values."""
    return max(values) if all(is_number(value) for value in values) else values[0]


def _processors() -> int:
    """The processors that this process may use, which a container may have limited."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
