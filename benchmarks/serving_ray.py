"""Serving on a Ray cluster: the bits after replicas were killed, what stays behind, and the cost.

Needs the extra `ray-serve`. It starts a Ray of its own on this machine, with a token of its own.
Run with `python -m benchmarks.serving_ray`. It writes a section of docs/results/serving.md.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

import booster
from benchmarks import report
from benchmarks.serving import (
    PAGE,
    REQUESTS,
    SERVE,
    Measured,
    Server,
    ask_round,
    bodies_of,
    started,
    take_turns,
    trained,
)
from benchmarks.serving_kills import Stream
from booster.feedback import TopFeedback
from topk_tune.cluster.server import free_port
from topk_tune.markup.markdown import table
from topk_tune.serving.files import ModelFiles

HEADING = "## On a Ray cluster"
ROUNDS, KILLS = 600, (150, 300, 450)
PATIENCE = 60
"""Seconds until a replica is back, or everything has ended."""

ABOUT = (
    "`topk-tune serve --address` beside `topk-tune serve` with the same booster, which take turns "
    "as above, with one connection. The former is asked through the proxy of Ray Serve, which "
    "passes requests on to the replica; its CPU time is that of proxy, controller and replica. The "
    "extra brings uvloop and httptools, which both use here and the section above does not."
)


class Cluster:
    """A Ray on this machine, which ends with the block."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self.environment = {**os.environ, **token, "RAY_USAGE_STATS_ENABLED": "0"}
        self.folder = folder
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--num-cpus=2"]
        options = [f"--port={self.port}", "--include-dashboard=false", f"--temp-dir={folder}"]
        subprocess.run([*ray, *options], env=self.environment, check=True, capture_output=True)

    def processes(self, title: str = "") -> list[psutil.Process]:
        """Those of this cluster whose title begins so."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                line = [process, *process.parents()]
                ours = any(str(self.folder) in " ".join(each.cmdline()) for each in line)
                if ours and " ".join(process.cmdline()).startswith(title):
                    found.append(process)
        return found

    def serving(self) -> list[psutil.Process]:
        """The processes of Ray Serve."""
        titles = ("ray::ServeReplica", "ray::ServeController", "ray::ProxyActor", "ray::_Command")
        return [each for title in titles for each in self.processes(title)]

    def end(self) -> None:
        """End its processes, and only these: `ray stop` would end every Ray of this machine."""
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster until the end of the block."""
    # Paths of sockets must be short.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as place:
        made = Cluster(Path(place))
        try:
            yield made
        finally:
            made.end()


class RayServer(Server):
    """`topk-tune serve --address`, with the CPU time of the processes of Ray Serve."""

    def __init__(self, ray: Cluster, path: Path) -> None:
        self.ray = ray
        before = dict(os.environ)
        os.environ.update(ray.environment)
        try:
            options = ("--port", str(free_port()), "--address", f"127.0.0.1:{ray.port}")
            super().__init__(SERVE, "serve", *options, str(path))
        finally:
            os.environ.clear()
            os.environ.update(before)

    @property
    def cpu(self) -> float:
        """The CPU time so far in seconds."""
        return sum(sum(each.cpu_times()[:2]) for each in self.ray.serving())


def seconds_until_ended(ray: Cluster) -> float:
    """How long processes of Ray Serve are there after their command has ended."""
    began = time.monotonic()
    while ray.serving():
        assert time.monotonic() < began + PATIENCE, ray.serving()
        time.sleep(0.2)
    return time.monotonic() - began


def rounds_with_kills(server: RayServer, stream: Stream) -> int:
    """Send rounds, kill the replica now and then, and return how many were learned."""
    connection = HTTPConnection("127.0.0.1", server.port)
    learned, kills = 0, list(KILLS)
    while learned < ROUNDS:
        if kills and learned == kills[0]:
            kills.pop(0)
            for replica in server.ray.processes("ray::ServeReplica"):
                replica.kill()
        try:
            learned = stream._round(connection, learned)
        except (OSError, ValueError, KeyError, HTTPException):  # until another replica is there
            connection.close()
            time.sleep(0.2)
            with suppress(OSError, ValueError, KeyError, HTTPException):
                learned = stream.known(server.port)
    connection.close()
    return learned


def same_bits(path: Path, stream: Stream) -> bool:
    """Whether the served booster is the one that the library makes of the same rows."""
    ranker = booster.load(path)
    assert isinstance(ranker, TopFeedback)
    for number in range(ROUNDS):
        x, y = stream.row(number)
        ranker.update(y[ranker.predict(x)[: ranker.k]])
    ranker.save(path.with_name("library.npz"))
    served = ModelFiles(path.parent / "serving" / path.stem).booster(stream.first + ROUNDS)
    return served.read_bytes() == path.with_name("library.npz").read_bytes()


def side_by_side(ray: RayServer, alone: Server, rows: Any) -> list[list[str]]:
    """The rows of the table."""
    bodies = bodies_of(rows)
    measured = [(Measured(each), Measured(each)) for each in (alone, ray)]
    take_turns(*(partial(ask_round, rank, told, bodies, 1) for rank, told in measured))
    found = []
    for path, plain, by_ray in zip(("/rank", "/feedback"), *measured, strict=True):
        found += [[path, "one process", *plain.figures(plain)]]
        found += [[path, "Ray Serve", *by_ray.figures(plain)]]
    return found


def main() -> None:
    """Serve, kill, compare and measure."""
    with tempfile.TemporaryDirectory() as place, cluster() as ray:
        path, data = trained(Path(place))
        stream = Stream(data, booster.load(path).rounds)
        server = RayServer(ray, path)
        learned = rounds_with_kills(server, stream)
        server.end()
        stopped = seconds_until_ended(ray)
        same = learned == ROUNDS and same_bits(path, stream)
        other = Path(place) / "other"
        other.mkdir()
        shutil.copy(path, other)
        server = RayServer(ray, path)
        with started(SERVE, "serve", "--port", "0", str(other / path.name)) as alone:
            rows = side_by_side(server, alone, data.X_test[:REQUESTS])
        server.end(signal.SIGKILL)
        killed = seconds_until_ended(ray)
    kills = (
        f"Of a stream of {ROUNDS} rounds, after {', '.join(map(str, KILLS))} of which the replica "
        f"was killed, {learned} were learned; the booster is that of the library bit for bit: "
        f"{'yes' if same else 'NO'}. Processes of Ray Serve were gone {stopped:.1f} s after the "
        f"command had ended by SIGTERM, and {killed:.1f} s after it was killed."
    )
    heads = ["request", "by", "a second", "p50", "p99", "CPU", "p50 beside one process"]
    heads += ["p99", "CPU"]
    made = report.provenance(
        "python -m benchmarks.serving_ray", f"booster seed 0; Ray {version('ray')}"
    )
    report.write_section(PAGE, "\n\n".join([HEADING, ABOUT, table(heads, rows), kills, made]))


if __name__ == "__main__":
    main()
