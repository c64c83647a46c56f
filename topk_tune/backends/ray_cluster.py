"""Connects to Ray, and computes how many workers its nodes have room for."""

import logging
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import ray
from tenacity import Retrying, stop_after_attempt

from topk_tune.backends import ray_parts
from topk_tune.backends.base import BackendError

logger = logging.getLogger("topk_tune.backends")

_STARTS = 3
"""Attempts to start a Ray: each gives up after half a minute on a busy machine."""

_SETTINGS = {
    "RAY_worker_niceness": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray would start one idle process per processor, but our workers use another environment.
    "RAY_prestart_worker_first_driver": "0",
}

_OBJECT_STORE = 200 * 2**20
"""Bytes for objects besides the rows: reports are small and short-lived."""


@dataclass(frozen=True)
class Resources:
    """The resources of one worker.

    Parameters
    ----------
    cpus
        The number of processors.
    memory
        Bytes; Ray starts no more workers on a node than fit.
    labels
        Labels that a node must have.
    """

    cpus: float = 1.0
    memory: int | None = None
    labels: Mapping[str, str] | None = None

    def options(self) -> dict[str, Any]:
        """Return the resources as Ray's options."""
        options: dict[str, Any] = {"num_cpus": self.cpus}
        if self.memory is not None:
            options["memory"] = self.memory
        if self.labels:
            options["label_selector"] = dict(self.labels)
        return options


def connect(address: str | None, own_cpus: int | None, rows_bytes: int) -> bool:
    """Connect to the Ray at an address, or start one; return whether to shut it down again.

    A program that is already connected to Ray, for example a notebook, keeps its connection.
    """
    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"address": address}
    if address is None:
        options = {
            "address": "local",
            "num_cpus": own_cpus,
            "object_store_memory": _OBJECT_STORE + 2 * rows_bytes,
            "include_dashboard": False,
        }
    ray_parts.RAY.check()
    ray_parts.print_nothing(logging.getLogger("ray").info)
    alone: AbstractContextManager[Mapping[str, str]] = nullcontext({})
    if address is None:
        alone = ray_parts.for_us_alone()
    starts = Retrying(
        stop=stop_after_attempt(_STARTS if address is None else 1),
        after=lambda _: ray.shutdown(),  # a partly started Ray would block the next attempt
        reraise=True,
    )
    with alone as variables, _environment({**_SETTINGS, **variables}), _own_signals():
        try:
            starts(ray.init, log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # a bare Exception, if the machine is too busy
            where = f"at {address}" if address else "on this machine"
            reason = (str(error).splitlines() or [""])[0]
            raise BackendError(f"no Ray {where}: {reason}") from None
    return True


def fitting(workers: int | None, resources: Resources) -> tuple[int, Resources]:
    """Return how many workers to start, and the resources of each, limited to the largest node."""
    nodes = [(node["Resources"], node["Labels"]) for node in _nodes() if node["Alive"]]
    suitable = [has for has, labels in nodes if _labelled(labels, resources)]
    largest = int(max((has.get("memory", 0.0) for has in suitable), default=0.0))
    if resources.memory is not None and 0 < largest < resources.memory:
        logger.warning(
            "a trial may need %.1f GB, but no node has more than %.1f GB",
            resources.memory / 1e9,
            largest / 1e9,
        )
        resources = replace(resources, memory=largest)
    # Start at least one worker even without room: this makes an autoscaler add a node.
    return workers or max(1, sum(room(*node, resources) for node in nodes)), resources


def room(node: Mapping[str, float], labels: Mapping[str, str], resources: Resources) -> int:
    """Return how many workers fit on a node; none if it lacks the labels."""
    if not _labelled(labels, resources):
        return 0
    most = int(node.get("CPU", 0.0) // resources.cpus)
    if resources.memory is not None and "memory" in node:
        most = min(most, int(node["memory"] // resources.memory))
    return most


def _labelled(labels: Mapping[str, str], resources: Resources) -> bool:
    return dict(resources.labels or {}).items() <= labels.items()


def _nodes() -> list[dict[str, Any]]:
    listed: Any = ray.nodes  # untyped
    nodes: list[dict[str, Any]] = listed()
    return nodes


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this program's SIGTERM handler: Ray's would end it at once, with a traceback."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if before is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables that Ray's own processes read at their start, unless the user has set them."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
