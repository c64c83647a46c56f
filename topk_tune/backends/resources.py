"""Where a study runs, and the resources of a trial."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from booster.plugins import Plugin, Table
from topk_tune.plugins.options import check_options, option, pairs, seconds

if TYPE_CHECKING:  # the command line lists these options without loading NumPy
    from topk_tune.backends.base import Backend
    from topk_tune.spaces import Space
    from topk_tune.training.trial import TrialRows

CLUSTER = "cluster"
"""The trait of backends that also run on other machines: they take an address and node labels."""

BACKENDS = Table(
    "backend",
    [
        Plugin(
            "ray",
            "topk_tune.backends.ray:make",
            "a Ray cluster, or a Ray on this machine",
            frozenset({CLUSTER}),
        ),
        Plugin("local", "topk_tune.backends.local:make", "processes of this machine, without Ray"),
    ],
)
"""Where trials can run; each entry makes a `Backend` from options, a space and rows."""


@dataclass(frozen=True)
class ResourceOptions:
    """Where trials run, and the resources of each."""

    backend: str = option("ray", f"Where trials run: {BACKENDS.described}.", names=BACKENDS)
    workers: int | None = option(
        None, "Trials to run at the same time (default: one per CPU).", least=1
    )
    address: str | None = option(
        None, "Ray cluster to run on (default: $RAY_ADDRESS, else a Ray on this machine)."
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
        if self.takes_clusters and (address := self.cluster):
            from topk_tune.backends.ray_address import check_address

            check_address(address)

    @property
    def takes_clusters(self) -> bool:
        """Whether trials may run on other machines."""
        return CLUSTER in BACKENDS[self.backend].traits

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
        made: Backend = BACKENDS.load(self.backend)(self, space, rows)
        return made


def _processors() -> int:
    """Return the processors that this process may use, which a container may limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
