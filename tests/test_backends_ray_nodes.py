"""The nodes of a cluster and what is said of them, from states that Ray's own classes have made."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import ray
from ray._private import ray_constants, state, worker
from ray.autoscaler._private.autoscaler import AutoscalerSummary
from ray.autoscaler._private.node_provider_availability_tracker import (
    NodeProviderAvailabilityTracker,
)
from ray.autoscaler._private.node_tracker import NodeTracker
from ray.autoscaler.node_launch_exception import NodeLaunchException
from ray.autoscaler.v2 import sdk, utils
from ray.autoscaler.v2.schema import Stats
from ray.autoscaler.v2.utils import ClusterStatusParser
from ray.core.generated.autoscaler_pb2 import GetClusterStatusReply, NodeStatus
from ray.experimental import internal_kv

from topk_tune.backends.ray_cluster import Resources
from topk_tune.backends.ray_nodes import cluster_nodes, in_words, why_no_worker

HEAD = {"memory": 4e9, "node:__internal_head__": 1.0}
SMALL = {"CPU": 1.0, "memory": 4e8}
LARGE = {"CPU": 4.0, "memory": 8e9}


class Head:
    """The parts of a head that are asked, with what its processes have written."""

    address = "127.0.0.1:1"

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.free: dict[str, dict[str, float]] = {}
        self.kept: dict[bytes, bytes] = {}
        self.reply = GetClusterStatusReply()
        self.is_v2 = False

    def add(self, ip: str, resources: dict[str, float], alive: bool = True, **free: float) -> None:
        """A node, all of whose resources are free unless others are given."""
        node = {"NodeID": ip, "NodeManagerAddress": ip, "NodeManagerHostname": f"host-{ip}"}
        self.nodes.append({**node, "Alive": alive, "Resources": resources, "Labels": {}})
        self.free[ip] = {**resources, **free}

    def internal_kv_get(self, key: bytes, timeout: float) -> bytes | None:
        return self.kept.get(key)

    def keep(self, summary: AutoscalerSummary) -> None:
        """As the monitor of the first autoscaler does."""
        status = json.dumps({"time": 0.0, "autoscaler_report": asdict(summary)})
        self.kept[ray_constants.DEBUG_AUTOSCALING_STATUS.encode()] = status.encode()


@pytest.fixture
def head(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Head:
    made = Head()
    made.add("10.0.0.10", HEAD)

    class Node:
        def get_logs_dir_path(self) -> str:
            return str(tmp_path)

    def status(address: str, timeout: float) -> Any:
        return ClusterStatusParser.from_get_cluster_status_reply(made.reply, stats=Stats())

    monkeypatch.setattr(ray, "nodes", lambda: made.nodes)
    monkeypatch.setattr(state, "available_resources_per_node", lambda: made.free)
    monkeypatch.setattr(worker, "_global_node", Node())
    monkeypatch.setattr(internal_kv, "internal_kv_get_gcs_client", lambda: made)
    monkeypatch.setattr(sdk, "get_cluster_status", status)
    monkeypatch.setattr(utils, "is_autoscaler_v2", lambda fetch_from_server: made.is_v2)
    return made


def summary(
    pending: list[tuple[str, str, str]] | None = None,
    launches: dict[str, int] | None = None,
    failed: NodeTracker | None = None,
    availability: NodeProviderAvailabilityTracker | None = None,
) -> AutoscalerSummary:
    return AutoscalerSummary(
        active_nodes={"head": 1},
        idle_nodes=None,
        pending_nodes=pending or [],
        pending_launches=launches or {},
        failed_nodes=(failed or NodeTracker()).get_all_failed_node_info(set()),
        node_availability_summary=(availability or NodeProviderAvailabilityTracker()).summary(),
        legacy=True,
    )


def test_machines_that_are_set_up_are_named_with_what_is_done(head: Head) -> None:
    head.keep(
        summary([("10.0.0.11", "m", "syncing-files"), ("10.0.0.12", "m", "setting-up")], {"m": 2})
    )
    assert why_no_worker(cluster_nodes(), Resources(1, 400_000_000), asked=1) == (
        "waiting for a worker: 1 node is there without room for a trial (1 CPU, 0.4 GB), 4 nodes "
        "are being set up (10.0.0.11 syncing-files, 10.0.0.12 setting-up, 2 m requested)"
    )


def test_machines_that_failed_are_named_with_the_reason(head: Head) -> None:
    failed, availability = NodeTracker(), NodeProviderAvailabilityTracker(timer=lambda: 0.0)
    failed.track("i-1", "10.0.0.11", "m")
    failed.track("i-2", "10.0.0.12", "m")
    head.add("10.0.0.12", LARGE, alive=False)
    why = NodeLaunchException("OutOfQuota", "no more than 3", None)
    availability.update_node_availability("spot", 0, why)
    head.keep(summary(failed=failed, availability=availability))
    assert in_words(cluster_nodes()) == (
        "1 node is there, 3 nodes failed to start: 10.0.0.11 (it has not joined), "
        "10.0.0.12 (it was there and is gone), spot (OutOfQuota: no more than 3)"
    )


def test_a_machine_that_ray_has_given_up_is_not_about_to_be_set_up(
    head: Head, tmp_path: Path
) -> None:
    waiting = [(f"10.0.0.{i}", "m", "uninitialized") for i in (11, 12)]
    head.keep(summary(waiting))
    assert [node.ip for node in cluster_nodes().pending] == ["10.0.0.11", "10.0.0.12"]
    said = "ERROR -- StandardAutoscaler: Terminating the node with id 10.0.0.12 and ip 10.0.0.12."
    (tmp_path / "monitor.log").write_text(f"{said} (launch failed)\n", encoding="utf-8")
    nodes = cluster_nodes()
    assert [node.ip for node in nodes.pending] == ["10.0.0.11"]
    assert [(node.ip, node.reason) for node in nodes.failed] == [
        ("10.0.0.12", "its setup failed, and Ray does not try it again")
    ]


def test_a_node_that_has_joined_is_not_coming_any_more(head: Head) -> None:
    head.keep(summary([("10.0.0.11", "m", "setting-up")]))
    head.add("10.0.0.11", LARGE)
    assert in_words(cluster_nodes()) == "2 nodes are there"


def test_the_second_autoscaler_is_asked_where_it_is_at_work(head: Head) -> None:
    head.is_v2 = True
    scaling, cluster = head.reply.autoscaling_state, head.reply.cluster_resource_state
    scaling.pending_instances.add(
        ray_node_type_name="cpu", ip_address="10.0.0.11", details="starting ray"
    )
    scaling.pending_instance_requests.add(ray_node_type_name="cpu", count=2, request_ts=1)
    scaling.failed_instance_requests.add(
        ray_node_type_name="gpu", count=1, reason="no capacity", start_ts=1, failed_ts=2
    )
    cluster.node_states.add(
        node_id=b"1", ray_node_type_name="cpu", node_ip_address="10.0.0.9", status=NodeStatus.DEAD
    )
    nodes = cluster_nodes()
    assert [(n.ip, n.kind, n.status) for n in nodes.pending] == [
        ("10.0.0.11", "cpu", "starting ray"),
        (None, "cpu", "requested"),
        (None, "cpu", "requested"),
    ]
    assert [(n.ip, n.kind) for n in nodes.failed] == [("10.0.0.9", "cpu"), (None, "gpu")]
    assert "no capacity" in in_words(nodes)


def test_an_autoscaler_that_has_ended_is_told_of(head: Head) -> None:
    said = "The autoscaler failed with the following error:\nTraceback\nValueError: no such type\n"
    head.kept[ray_constants.DEBUG_AUTOSCALING_ERROR.encode()] = said.encode()
    said = in_words(cluster_nodes())
    assert said == "1 node is there, the autoscaler has ended: ValueError: no such type"


def break_json(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    head.kept[ray_constants.DEBUG_AUTOSCALING_STATUS.encode()] = b"{"


def break_fields(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    report = b'{"autoscaler_report": {"pending_nodes": [["10.0.0.11"]]}}'
    head.kept[ray_constants.DEBUG_AUTOSCALING_STATUS.encode()] = report


def break_connection(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(address: str, timeout: float) -> None:
        raise TimeoutError

    monkeypatch.setattr(sdk, "get_cluster_status", fail)


@pytest.mark.parametrize("broken", [break_json, break_fields, break_connection])
def test_a_state_that_cannot_be_read_costs_no_study(
    head: Head,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[Head, pytest.MonkeyPatch], None],
) -> None:
    broken(head, monkeypatch)
    assert in_words(cluster_nodes()) == "1 node is there"


def test_without_an_autoscaler_nodes_and_their_room_are_told_of(head: Head) -> None:
    wanted = Resources(1, 500_000_000)
    head.add("10.0.0.11", SMALL)
    assert why_no_worker(cluster_nodes(), wanted, asked=1) == (
        "waiting for a worker: 2 nodes are there without room for a trial (1 CPU, 0.5 GB)"
    )
    head.add("10.0.0.12", LARGE)
    assert why_no_worker(cluster_nodes(), wanted, asked=1) == "waiting for workers to start"
    zoned = Resources(1, labels={"zone": "b"})
    assert "3 nodes are there without room for a trial (1 CPU, zone=b)" in why_no_worker(
        cluster_nodes(), zoned, asked=1
    )


def test_room_may_be_taken_by_others_or_by_the_workers_that_start(head: Head) -> None:
    head.add("10.0.0.12", LARGE, CPU=0.0)
    assert why_no_worker(cluster_nodes(), Resources(), asked=1) == "waiting for workers to start"
    demand = head.reply.cluster_resource_state.pending_resource_requests.add(count=1)
    demand.request.resources_bundle["CPU"] = 1.0
    assert cluster_nodes().queued == 1
    taken = "waiting for a worker: 1 node is there whose room is taken"
    assert why_no_worker(cluster_nodes(), Resources(), asked=1) == taken
    # Of two workers one is not queued: it has its place.
    assert why_no_worker(cluster_nodes(), Resources(), asked=2) == "waiting for workers to start"


def test_of_many_machines_some_are_named(head: Head) -> None:
    head.keep(summary([(f"10.0.1.{i}", "m", "waiting-for-ssh") for i in range(100)]))
    said = in_words(cluster_nodes())
    assert "100 nodes are being set up (10.0.1.0 waiting-for-ssh, " in said
    assert said.endswith("10.0.1.3 waiting-for-ssh and 96 more)")


def test_nodes_are_json(head: Head) -> None:
    head.add("10.0.0.11", LARGE, CPU=3.0)
    head.keep(summary([("10.0.0.12", "m", "setting-up")]))
    made = json.loads(json.dumps(asdict(cluster_nodes())))
    assert [node["head"] for node in made["there"]] == [True, False]
    assert made["there"][1] == {
        "ip": "10.0.0.11",
        "host": "host-10.0.0.11",
        "head": False,
        "resources": {"CPU": 4.0, "GPU": 0.0, "memory": 8e9},
        "free": {"CPU": 3.0, "GPU": 0.0, "memory": 8e9},
        "labels": {},
    }
    assert made["pending"] == [{"ip": "10.0.0.12", "kind": "m", "status": "setting-up"}]
