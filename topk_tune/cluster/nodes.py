"""The state of a cluster's nodes: printed on the head, read elsewhere."""

import json
import logging
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import IO, Any

from topk_tune.cluster import head_folder
from topk_tune.cluster.shell import Shell, ShellError
from topk_tune.cluster.token import token_file

_PAUSE = 0.5
"""Seconds between two checks."""

Standing = dict[str, Any]
"""A `ClusterNodes` as JSON."""


def tell() -> None:
    """Print the state of the nodes as lines of JSON, until the reader ends."""
    if token_file().exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # read when Ray is imported
    import ray

    from topk_tune.backends.ray_nodes import cluster_nodes

    ray.init(address="auto", logging_level=logging.ERROR, log_to_driver=False)
    while True:
        print(json.dumps(asdict(cluster_nodes())), flush=True)
        time.sleep(_PAUSE)


@contextmanager
def heard(head: Shell) -> Iterator[Iterator[Standing]]:
    """The state of the nodes, repeatedly, as reported by the head."""
    with TemporaryFile("w+") as said:
        process = subprocess.Popen(
            head.command(head_folder.script(head, "topk_tune.cluster", "nodes")),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        )
        try:
            yield _lines(process, said, head)
        finally:
            process.kill()
            process.communicate()


def standing(head: Shell) -> Standing:
    """The current state of the nodes; a ShellError if the head or its Ray does not answer."""
    with heard(head) as told:
        return next(told)


def _lines(process: "subprocess.Popen[str]", said: IO[str], head: Shell) -> Iterator[Standing]:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("{"):  # messages of Ray may come in between
            yield json.loads(line)
    process.wait()
    said.seek(0)
    lines = [line.strip() for line in said if line.strip()]
    reason = lines[-1].removeprefix("Error: ") if lines else "no reason"
    raise ShellError(f"{head.host} does not report its nodes: {reason}")


def listed(now: Standing) -> list[dict[str, Any]]:
    """A row for each machine."""
    return [
        *(
            _row(
                node["ip"],
                "head" if node["head"] else "worker",
                "there",
                cpus=int(node["resources"]["CPU"]),
                free_cpus=int(node["free"]["CPU"]),
                memory_gb=node["resources"]["memory"] / 1e9,
            )
            for node in sorted(now["there"], key=lambda node: (not node["head"], node["ip"]))
        ),
        *(_row(node["ip"], "worker", "pending", node["status"]) for node in now["pending"]),
        *(_row(node["ip"], "worker", "failed", node["reason"]) for node in now["failed"]),
    ]


def _row(
    machine: str | None,
    role: str,
    state: str,
    detail: str = "",
    cpus: int | None = None,
    free_cpus: int | None = None,
    memory_gb: float | None = None,
) -> dict[str, Any]:
    return {
        "machine": machine or "",
        "role": role,
        "state": state,
        "detail": detail,
        "cpus": cpus,
        "free_cpus": free_cpus,
        "memory_gb": memory_gb,
    }
