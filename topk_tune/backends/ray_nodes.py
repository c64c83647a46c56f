"""The nodes of a Ray cluster: present, pending and failed.

Ray's head knows the present nodes, and its autoscaler, if any, knows the others.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ray
from ray.autoscaler.tags import STATUS_UNINITIALIZED

from topk_tune.backends import ray_parts
from topk_tune.backends.ray_cluster import Resources, room
from topk_tune.backends.ray_monitor import given_up

logger = logging.getLogger("topk_tune.backends")

_ANSWER = 5
"""Seconds in which the head must answer what its autoscaler does."""
_NAMED = 4
"""The most nodes that one line names."""
_HEAD = "node:__internal_head__"
_SHOWN = ("CPU", "GPU", "memory")
_LOST = "it was there and is gone"
_NOT_JOINED = "it has not joined"
_GIVEN_UP = "its setup failed, and Ray does not try it again"


@dataclass(frozen=True)
class NodeThere:
    """A node that has joined.

    Parameters
    ----------
    ip, host
        Its address and name.
    head
        Whether it is the head.
    resources, free
        Its resources (CPU, GPU, and memory in bytes), and the unused part of them.
    labels
        Its labels.
    """

    ip: str
    host: str
    head: bool
    resources: Mapping[str, float]
    free: Mapping[str, float]
    labels: Mapping[str, str]


@dataclass(frozen=True)
class PendingNode:
    """A node that is starting; `ip` is None until it has one, `kind` is its node type."""

    ip: str | None
    kind: str
    status: str


@dataclass(frozen=True)
class FailedNode:
    """A node that should be there and is not; `ip` is None if it never had one."""

    ip: str | None
    kind: str
    reason: str


@dataclass(frozen=True)
class ClusterNodes:
    """The nodes of a cluster; `dataclasses.asdict` converts it for JSON.

    Parameters
    ----------
    there, pending, failed
        The nodes. Only an autoscaler knows pending and failed ones.
    queued
        How many workers and tasks, of any user, wait for a place.
    trouble
        Why the autoscaler has ended; None if it works, or if there is none.
    """

    there: Sequence[NodeThere]
    pending: Sequence[PendingNode] = ()
    failed: Sequence[FailedNode] = ()
    queued: int = 0
    trouble: str | None = None


def cluster_nodes() -> ClusterNodes:
    """Return the nodes of the cluster that this program is connected to.

    If the autoscaler's state cannot be read, it is omitted: no study should fail because of it.
    """
    listed: Any = ray.nodes  # untyped
    nodes: list[dict[str, Any]] = listed()
    there = _there(nodes)
    gone = {node["NodeManagerAddress"] for node in nodes if not node["Alive"]}
    try:
        return _with_autoscaler(there, gone)
    except Exception as error:
        logger.debug("the autoscaler's state cannot be read (%s: %s)", type(error).__name__, error)
        return ClusterNodes(there)


def in_words(nodes: ClusterNodes) -> str:
    """Return one line with the numbers of present, pending and failed nodes."""
    return ", ".join([f"{_are(len(nodes.there))} there", *_others(nodes)])


def why_no_worker(nodes: ClusterNodes, resources: Resources, asked: int) -> str:
    """Return one line with the reason why no worker is ready.

    Parameters
    ----------
    nodes
        The nodes.
    resources
        The resources of a worker.
    asked
        How many workers Ray was asked for; those that are not queued have their place.
    """
    return ", ".join([_places(nodes, resources, asked), *_others(nodes)])


def _places(nodes: ClusterNodes, resources: Resources, asked: int) -> str:
    roomy = [node for node in nodes.there if room(node.resources, node.labels, resources)]
    if not roomy:
        without = f"{_are(len(nodes.there))} there without room for a trial"
        return f"waiting for a worker: {without} ({_wanted(resources)})"
    free = any(room(node.free, node.labels, resources) for node in roomy)
    if free or nodes.queued < asked:
        return "waiting for workers to start"
    # Taken by others, or for some seconds by a worker of ours that Ray still counts as queued.
    return f"waiting for a worker: {_are(len(roomy))} there whose room is taken"


def _others(nodes: ClusterNodes) -> list[str]:
    parts = []
    if nodes.pending:
        # Nodes without an ip differ only in their type.
        named = Counter(f"{node.ip or node.kind} {node.status}" for node in nodes.pending)
        each = [f"{count} {name}" if count > 1 else name for name, count in named.items()]
        parts.append(f"{_are(len(nodes.pending))} being set up ({_some(each)})")
    if nodes.failed:
        each = [f"{node.ip or node.kind} ({node.reason})" for node in nodes.failed]
        parts.append(f"{_count(len(nodes.failed))} failed to start: {_some(each)}")
    if nodes.trouble:
        parts.append(f"the autoscaler has ended: {nodes.trouble}")
    return parts


def _wanted(resources: Resources) -> str:
    words = [f"{resources.cpus:g} CPU"]
    if resources.memory is not None:
        words.append(f"{resources.memory / 1e9:.1f} GB")
    words += [f"{name}={value}" for name, value in (resources.labels or {}).items()]
    return ", ".join(words)


def _count(number: int) -> str:
    return f"{number} node{'' if number == 1 else 's'}"


def _are(number: int) -> str:
    return f"{_count(number)} {'is' if number == 1 else 'are'}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _there(nodes: Iterable[Mapping[str, Any]]) -> list[NodeThere]:
    free = ray_parts.free_resources()
    return [
        NodeThere(
            node["NodeManagerAddress"],
            node["NodeManagerHostname"],
            _HEAD in node["Resources"],
            has := {name: node["Resources"].get(name, 0.0) for name in _SHOWN},
            {name: free.get(node["NodeID"], {}).get(name, 0.0) for name in has},
            dict(node["Labels"]),
        )
        for node in nodes
        if node["Alive"]
    ]


def _with_autoscaler(there: Sequence[NodeThere], gone: Iterable[str]) -> ClusterNodes:
    """Combine the present nodes with the last state of the autoscaler."""
    told = ray_parts.autoscaler(_ANSWER)
    if told.report is None:
        pending, failed = _of_v2(told.status)
    else:
        pending, failed = _of_v1(told.report, gone)
        pending, hopeless = _told_apart(pending)
        failed += hopeless
    # The autoscaler is seconds behind: a node that has joined is neither pending nor failed.
    alive = {node.ip for node in there}
    return ClusterNodes(
        there,
        [node for node in pending if node.ip not in alive],
        [node for node in failed if node.ip not in alive],
        ray_parts.queued(told.status),
        told.trouble,
    )


def _of_v1(
    report: Mapping[str, Any], gone: Iterable[str]
) -> tuple[list[PendingNode], list[FailedNode]]:
    """Read an AutoscalerSummary as the first autoscaler stores it."""
    pending = [PendingNode(*node) for node in report.get("pending_nodes", [])]
    for kind, count in report.get("pending_launches", {}).items():
        pending += [PendingNode(None, kind, "requested")] * count
    failed = [
        FailedNode(ip, kind, _LOST if ip in gone else _NOT_JOINED)
        for ip, kind in report.get("failed_nodes", [])
    ]
    availability = report.get("node_availability_summary", {}).get("node_availabilities", {})
    for kind, record in availability.items():
        if why := record["unavailable_node_information"]:
            failed.append(FailedNode(None, kind, f"{why['category']}: {why['description']}"))
    return pending, failed


def _told_apart(
    pending: Sequence[PendingNode],
) -> tuple[list[PendingNode], list[FailedNode]]:
    """Separate nodes that will be set up from those that only look like it."""
    hopeless = {node for node in pending if node.status == STATUS_UNINITIALIZED}
    if hopeless:
        lost = given_up()
        hopeless = {node for node in hopeless if node.ip in lost}
    return (
        [node for node in pending if node not in hopeless],
        [FailedNode(node.ip, node.kind, _GIVEN_UP) for node in pending if node in hopeless],
    )


def _of_v2(status: Any) -> tuple[list[PendingNode], list[FailedNode]]:
    """Read the second autoscaler's state."""
    pending = [
        PendingNode(node.ip_address or None, node.ray_node_type_name, node.details or "pending")
        for node in status.pending_nodes
    ]
    for launch in status.pending_launches:
        pending += [PendingNode(None, launch.ray_node_type_name, "requested")] * launch.count
    failed = [
        FailedNode(node.ip_address or None, node.ray_node_type_name, node.failure_detail or _LOST)
        for node in status.failed_nodes
    ]
    for launch in status.failed_launches:
        reason = launch.details or "its launch failed"
        failed += [FailedNode(None, launch.ray_node_type_name, reason)] * launch.count
    return pending, failed
