"""The private parts of Ray in use: its head's view of nodes, tokens, settings, the launcher.

Ray is imported only on use, because it reads its environment when it is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from booster.private_parts import Library

RAY = Library("ray", "2.50", "2.61")

_constants = RAY.part("ray._private.ray_constants")
_worker = RAY.part("ray._private.worker")
_services = RAY.part("ray._private.services")
_tokens = RAY.part("ray._private.authentication.authentication_token_setup")
_raylet = RAY.part("ray._raylet")
_free = RAY.part("ray._private.state:available_resources_per_node")
_gcs = RAY.part("ray.experimental.internal_kv:internal_kv_get_gcs_client")
_status = RAY.part("ray.autoscaler.v2.sdk:get_cluster_status")
_is_second = RAY.part("ray.autoscaler.v2.utils:is_autoscaler_v2")
_prepare = RAY.part("ray.autoscaler._private.util:prepare_config")
_validate = RAY.part("ray.autoscaler._private.util:validate_config")
_local = RAY.part("ray.autoscaler._private.local.node_provider:LocalNodeProvider")
_noted = RAY.part("ray.autoscaler._private.local.config:get_state_path")


# On a node


def free_resources() -> Mapping[str, Mapping[str, float]]:
    """Return the unused resources of each node, by node id."""
    found: Mapping[str, Mapping[str, float]] = _free.get()()
    return found


def log_folder() -> Path:
    """Return the folder of the logs of Ray's processes on this machine."""
    return Path(_worker.get()._global_node.get_logs_dir_path())


@dataclass(frozen=True)
class Autoscaler:
    """The last state that the autoscaler has stored.

    Parameters
    ----------
    status
        The state of the cluster, in the form of Ray's second autoscaler; with the first one it
        contains only demands.
    report
        The report of the first autoscaler; None if the second runs.
    trouble
        Why it has ended; None if it works, or if there is none.
    """

    status: Any
    report: Mapping[str, Any] | None
    trouble: str | None


def autoscaler(timeout: float) -> Autoscaler:
    """Return the state of the cluster's autoscaler, which must answer within `timeout` seconds."""
    gcs, constants = _gcs.get()(), _constants.get()
    error = gcs.internal_kv_get(constants.DEBUG_AUTOSCALING_ERROR.encode(), timeout=timeout)
    status = _status.get()(gcs.address, timeout=timeout)
    report = None
    if not _is_second.get()(fetch_from_server=True):
        key = constants.DEBUG_AUTOSCALING_STATUS.encode()
        kept = json.loads(gcs.internal_kv_get(key, timeout=timeout) or "{}")
        report = kept.get("autoscaler_report") or {}
    trouble = error.decode(errors="replace").strip().splitlines()[-1] if error else None
    return Autoscaler(status, report, trouble)


def queued(status: Any) -> int:
    """Return how many workers and tasks wait for a place."""
    demands: Sequence[Any] = status.resource_demands.ray_task_actor_demand
    return sum(shape.count for demand in demands for shape in demand.bundles_by_count)


# Before a connection


@contextmanager
def for_us_alone() -> Iterator[Mapping[str, str]]:
    """Make a Ray that is started now listen only on loopback, and use this environment.

    On macOS and Windows it is on loopback by default; elsewhere on every interface. Under `uv run`
    it would make each worker create its own environment, for minutes or forever. Yields variables
    for the environment of Ray's own processes.
    """
    constants = _constants.get()
    before = constants.ENABLE_RAY_CLUSTER, constants.RAY_ENABLE_UV_RUN_RUNTIME_ENV
    constants.ENABLE_RAY_CLUSTER = constants.RAY_ENABLE_UV_RUN_RUNTIME_ENV = False
    try:
        yield {constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0"}
    finally:
        constants.ENABLE_RAY_CLUSTER, constants.RAY_ENABLE_UV_RUN_RUNTIME_ENV = before


def print_nothing(log: Any) -> None:
    """Log Ray's messages about lost nodes instead of printing them: the study handles these."""
    _worker.get().print_to_stdstream = lambda data, ignore_prefix: log("\n".join(data["lines"]))


def bootstrap_address(address: str) -> str | None:
    """Return the head address that Ray's driver would connect to; None if it would start one."""
    found: str | None = _services.get().canonicalize_bootstrap_address(address)
    return found


def find_node(head: Any, timeout: float) -> None:
    """Find the node of this machine like Ray's driver; raise a RuntimeError if there is none."""
    _services.get().get_node_to_connect_for_driver(head, timeout_seconds=timeout)


def use_token(local: bool) -> None:
    """Read the token, if one is required; `local` if Ray itself found the head here."""
    tokens = _tokens.get()
    if local:
        tokens.maybe_enable_token_auth_if_token_available(warn_if_disabled=False)
    tokens.ensure_token_if_auth_enabled(create_token_if_missing=False)


def head_client(address: str) -> Any:
    """Return a connection to a head."""
    return _raylet.get().GcsClient(address=address)


def sends_token() -> bool:
    """Whether this process sends a token to the head."""
    raylet = _raylet.get()
    return bool(raylet.get_authentication_mode() == raylet.AuthenticationMode.TOKEN)


# The launcher


def completed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a launcher's file as `ray up` completes and checks it."""
    complete: dict[str, Any] = _prepare.get()(content)
    _validate.get()(complete)
    return complete


def write_machines(provider: Mapping[str, Any], cluster: str) -> None:
    """Write the list of on-premise machines for the autoscaler on this machine."""
    _local.get()(provider, cluster)


def machines_file(cluster: str) -> Path:
    """Return the file in which the launcher notes the on-premise machines that it has set up."""
    return Path(_noted.get()(cluster))
