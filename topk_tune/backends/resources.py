"""Where a study runs, and the resources of a trial."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from booster import machine_code
from booster.plugins import Plugin, Table
from topk_tune.plugins.options import check_options, option, pairs, seconds

if TYPE_CHECKING:  # the command line lists these options without loading NumPy
    from topk_tune.backends.base import Backend
    from topk_tune.spaces import Space
    from topk_tune.training.trial import TrialRows

CLUSTER = "cluster"
"""The trait of backends that also run on other machines: they take an address and node labels."""

JOB = "RAY_JOB_CONFIG_JSON_ENV_VAR"
"""The variable that Ray sets for programs that it starts as jobs."""

AUTO, RAY, LOCAL = "auto", "ray", "local"

BACKENDS = Table(
    "backend",
    [
        Plugin(
            AUTO,
            "topk_tune.backends.resources:make_chosen",
            "ray if there is a cluster, else local",
            frozenset({CLUSTER}),
        ),
        Plugin(
            RAY,
            "topk_tune.backends.ray:make",
            "a Ray cluster, or a Ray on this machine",
            frozenset({CLUSTER}),
        ),
        Plugin(LOCAL, "topk_tune.backends.local:make", "processes of this machine, without Ray"),
    ],
)
"""Where trials can run; each entry makes a `Backend` from options, a space and rows."""


@dataclass(frozen=True)
class ResourceOptions:
    """Where trials run, and the resources of each."""

    backend: str = option(AUTO, f"Where trials run: {BACKENDS.described}.", names=BACKENDS.keys)
    workers: int | None = option(
        None, "Trials to run at the same time (default: one per CPU).", least=1
    )
    address: str | None = option(
        None, "Ray cluster to run on (default: $RAY_ADDRESS, else this machine)."
    )
    cpus: float = option(1.0, "CPUs per trial.", above=0)
    memory: float | None = option(
        None,
        "GB of memory per trial (default: what the space needs, up to a share of the machine).",
        above=0,
    )
    node_labels: Mapping[str, str] = option(
        {},
        "Label that a node must have, as KEY=VALUE; repeatable.",
        flag="--node-label",
        type=list[str] | None,
        parse=pairs,
    )
    trial_timeout: float | None = option(
        None,
        "Stop a trial after a time and count it as failed: seconds, or 90s, 30m.",
        above=0,
        type=str | None,
        parse=seconds,
    )
    retries: int = option(3, "Retries per trial when its worker is lost.", least=0)

    def __post_init__(self) -> None:
        BACKENDS.named(self.backend)
        check_options(self)
        if not self.takes_clusters and (self.address or self.node_labels):
            raise ValueError(
                f"backend {self.backend} has no cluster: it takes no address and no node labels"
            )

    def check(self) -> None:
        """Raise an error if the cluster cannot be reached, before anything is created."""
        if self.chosen == RAY and (address := self.cluster):
            from topk_tune.backends.ray_address import check_address

            check_address(address)

    @property
    def takes_clusters(self) -> bool:
        """Whether trials may run on other machines."""
        return CLUSTER in BACKENDS[self.backend].traits

    @property
    def chosen(self) -> str:
        """The backend by name; "auto" decides by whether there is a cluster."""
        if self.backend != AUTO:
            return self.backend
        return RAY if self.cluster or self.node_labels or _is_connected() else LOCAL

    @property
    def cluster(self) -> str | None:
        """The address of the cluster; None for this machine."""
        return self.address or os.environ.get("RAY_ADDRESS")

    @property
    def count(self) -> int:
        """How many trials run at once, as far as is known without a cluster."""
        return self.workers or max(1, int(_processors() / self.cpus))

    def make(self, space: "Space", rows: "TrialRows") -> "Backend":
        """The backend."""
        made: Backend = BACKENDS.load(self.chosen)(self, space, rows)
        return made

    @contextmanager
    def prepared(self, wanted: bool = True) -> "Iterator[Backend | None]":
        """Start local workers before anything else: they load while the study is checked.

        Without compiled kernels there is none, because each worker would compile for itself.
        """
        if not wanted or self.chosen != LOCAL or not machine_code.is_complete():
            yield None
            return
        from topk_tune.backends.local import LocalBackend

        backend = LocalBackend(self.count)
        try:
            backend.prepare()
            yield backend
        finally:
            backend.close()


def _is_connected() -> bool:
    """Whether this program, for example a notebook, has connected to Ray by itself."""
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


def _processors() -> int:
    """Return the processors that this process may use, which a container may limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_chosen(options: ResourceOptions, space: "Space", rows: "TrialRows") -> "Backend":
    """The backend that fits the options."""
    return options.make(space, rows)
