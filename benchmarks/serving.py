"""Serving: requests a second and their times, beside a bare ASGI endpoint in the same run.

Server and client are processes of this machine. The three kinds of requests take turns, so that
what else the machine does disturbs all of them. On a busy machine, the CPU time of the server says
more than the number of requests a second.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import booster
from benchmarks import report
from topk_tune.data import load
from topk_tune.markup.markdown import table

TURNS = 5
REQUESTS = 400
"""Of each kind in each turn."""

CONNECTIONS = (1, 16)

ABOUT = (
    "`topk-tune serve` with TopAda of 50 learners after a pass over Yeast (103 features, 14 "
    "labels, k = 3), and beside it an ASGI application that reads the same bodies and answers with "
    "constant bytes. Both are one process of uvicorn, asked in turns in one run by a client on the "
    "same two cores. `/feedback` is answered after its journal was synced to the disk and the "
    "booster has learned; with 16 connections, requests share a sync. The client takes its share "
    "of the cores, and the machine had other work (see the load average), so compare rows with "
    "each other, and above all their CPU time."
)

BARE = """
import socket, uvicorn

async def app(scope, receive, send):
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})

BODY = b"{" + b" " * 198 + b"}"
opened = socket.create_server(("127.0.0.1", 0))
opened = socket.socket(opened.family, opened.type, socket.IPPROTO_TCP, opened.detach())
print(f"serving at http://127.0.0.1:{opened.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, ws="none")).run([opened])
"""
"""Reads the body, and answers with as many bytes as a ranking of 14 labels takes."""

SERVE = "from topk_tune.cli import main; main()"


class Server:
    """A server as a process."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", *command], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        started = (line for line in self.process.stdout if line.startswith("serving at "))
        self.port = int(next(started).rsplit(":", 1)[1])

    @property
    def cpu(self) -> float:
        """The CPU time so far in seconds."""
        return sum(psutil.Process(self.process.pid).cpu_times()[:2])

    def end(self, number: int = signal.SIGTERM) -> None:
        """End the process."""
        self.process.send_signal(number)
        self.process.communicate()


@contextmanager
def started(*command: str) -> Iterator[Server]:
    """A server until the end of the block."""
    server = Server(*command)
    try:
        yield server
    finally:
        server.end()


async def timed(port: int, path: str, bodies: list[bytes], connections: int) -> list[Any]:
    """Send requests over some connections; returns answer and time in milliseconds of each."""
    waiting = list(reversed(bodies))
    found: list[Any] = []

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            body = waiting.pop()
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            began = time.perf_counter()
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            size = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            content = await reader.readexactly(size)
            assert answer.startswith(b"HTTP/1.1 200"), content
            found.append((content, 1e3 * (time.perf_counter() - began)))
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(one() for _ in range(connections)))
    return found


class Measured:
    """The figures of a kind of requests."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.times: list[float] = []
        self.seconds = self.cpu = 0.0

    def send(self, path: str, bodies: list[bytes], connections: int) -> list[bytes]:
        """Send requests and note their times; returns the answers."""
        cpu, began = self.server.cpu, time.perf_counter()
        found = asyncio.run(timed(self.server.port, path, bodies, connections))
        self.seconds += time.perf_counter() - began
        self.cpu += self.server.cpu - cpu
        self.times += [took for _, took in found]
        return [content for content, _ in found]

    @property
    def figures(self) -> list[str]:
        """Requests a second, the times of half and of nearly all, and the CPU time of each."""
        middle, late = np.percentile(self.times, [50, 99])
        rate, cpu = len(self.times) / self.seconds, 1e3 * self.cpu / len(self.times)
        return [f"{rate:,.0f}", f"{middle:.2f} ms", f"{late:.2f} ms", f"{cpu:.2f} ms"]


def trained(folder: Path) -> tuple[Path, Any]:
    """A booster of 50 learners after a pass over Yeast, and the data."""
    data = load("yeast")
    ranker = booster.TopAda(n_features=103, n_labels=14, n_learners=50, rho=0.1)
    ranker.run(data.X_train, data.Y_train)
    ranker.save(folder / "yeast.npz")
    return folder / "yeast.npz", data


def main() -> None:
    """Measure and write a page."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        path, data = trained(Path(place))
        ranks = [json.dumps({"features": x.tolist()}).encode() for x in data.X_test[:REQUESTS]]
        with started(BARE) as bare, started(SERVE, "serve", "--port", "0", str(path)) as ours:
            for connections in CONNECTIONS:
                kinds = {"bare ASGI": Measured(bare)}
                kinds |= {"/rank": Measured(ours), "/feedback": Measured(ours)}
                for _ in range(TURNS):
                    kinds["bare ASGI"].send("/", ranks, connections)
                    shown = kinds["/rank"].send("/rank", ranks, connections)
                    ids = [json.loads(each)["id"] for each in shown]
                    told = [json.dumps({"id": each, "bits": [1, 0, 0]}).encode() for each in ids]
                    kinds["/feedback"].send("/feedback", told, connections)
                rows += [[name, str(connections), *m.figures] for name, m in kinds.items()]
    heads = ("request", "connections", "a second", "p50", "p99", "CPU of the server")
    seeds = f"booster seed 0; {TURNS} turns of {REQUESTS} requests of each kind; load average "
    load_average = ", ".join(f"{each:.1f}" for each in psutil.getloadavg())
    report.write(
        "serving.md",
        "\n\n".join(
            [
                "# What serving costs",
                ABOUT,
                table(heads, rows),
                report.provenance("python -m benchmarks.serving", seeds + load_average),
            ]
        ),
    )


if __name__ == "__main__":
    main()
