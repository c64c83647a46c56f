"""Connecting to Ray, and what its nodes have to offer."""

import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import ray

from topk_tune.backends.base import BackendError

logger = logging.getLogger("topk_tune.backends")

_ANSWER = 5.0
"""Seconds in which the head of a cluster must answer."""

_OBJECT_STORE = 200 * 2**20
"""Bytes for objects besides the rows: reports are small and live shortly."""


@dataclass(frozen=True)
class Resources:
    """What one worker takes.

    Parameters
    ----------
    cpus
        Processors.
    memory
        Bytes; Ray starts no more workers on a node than fit.
    labels
        Labels that a node must have.
    """

    cpus: float = 1.0
    memory: int | None = None
    labels: Mapping[str, str] | None = None

    def options(self) -> dict[str, Any]:
        """As Ray takes them."""
        options: dict[str, Any] = {"num_cpus": self.cpus}
        if self.memory is not None:
            options["memory"] = self.memory
        if self.labels:
            options["label_selector"] = dict(self.labels)
        return options


def check_address(address: str) -> None:
    """Raise a BackendError for an address at which no study can run.

    Asked before anything else: Ray itself tries for minutes, and says so in ten lines.
    """
    if address.startswith("ray://"):
        raise BackendError(
            f"the address {address} is of a Ray client, which cannot stream reports: run on a "
            "node of the cluster with the address auto, or submit a job"
        )
    host, separator, port = address.rpartition(":")
    if not separator:
        return  # "auto" and its like are Ray's to find out
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
    except (OSError, ValueError, OverflowError) as error:
        raise BackendError(f"no Ray at {address}: {error}") from None


def connect(address: str | None, own_cpus: int | None, rows_bytes: int) -> bool:
    """Connect to the Ray at an address, or start one; returns whether to shut it down again.

    A program that has connected to Ray before, such as a notebook, keeps its connection.
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
    with _environment({"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}):
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = f"at {address}" if address else "on this machine"
            reason = (str(error).splitlines() or [""])[0]
            raise BackendError(f"no Ray {where}: {reason}") from None
    return True


def fitting(workers: int | None, resources: Resources) -> tuple[int, Resources]:
    """How many workers to start, and what each may ask for so that some node can have it."""
    nodes = [node["Resources"] for node in _nodes() if node["Alive"]]
    cpus = sum(node.get("CPU", 0.0) for node in nodes)
    count = workers or max(1, int(cpus / resources.cpus))
    largest = int(max((node.get("memory", 0.0) for node in nodes), default=0.0))
    if resources.memory is None or not largest:
        return count, resources
    if resources.memory > largest:
        logger.warning(
            "a trial may need %.1f GB, but no node has more than %.1f GB",
            resources.memory / 1e9,
            largest / 1e9,
        )
        resources = replace(resources, memory=largest)
    room = sum(int(node.get("memory", 0.0) // resources.memory) for node in nodes)
    if workers is None:
        count = min(count, max(room, 1))
    return count, resources


def _nodes() -> list[dict[str, Any]]:
    listed: Any = ray.nodes  # carries no types
    nodes: list[dict[str, Any]] = listed()
    return nodes


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables that Ray's own processes read when they start, unless the user has."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
