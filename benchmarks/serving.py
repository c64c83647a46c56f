"""Serving: requests a second and their times, beside a bare ASGI endpoint in the same run.

Server and client are processes of this machine. The three kinds of requests take many short turns,
so that what else the machine does disturbs all of them, and times are also compared within each
turn. Run with `python -m benchmarks.serving`. It writes a section of docs/results/serving.md.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import booster
from benchmarks import report
from topk_tune.data import load
from topk_tune.markup.markdown import table

TURNS = 40
REQUESTS = 50
"""Of each kind in each turn."""

CONNECTIONS = (1, 16)

PAGE, HEADING = "serving.md", "## One process"

ABOUT = (
    "`topk-tune serve` with TopAda of 50 learners after a pass over Yeast (103 features, 14 "
    "labels, k = 3), and beside it an ASGI application that reads the same bodies and answers with "
    "constant bytes. Both are one process of uvicorn, asked by a client on the same two cores. "
    f"They take {TURNS} turns of {REQUESTS} requests of each kind, and who comes first alternates. "
    "`/feedback` is answered after its journal was synced to the disk and the booster has learned; "
    "with 16 connections, requests share a sync. The last three columns are relative to bare ASGI: "
    "the median time, as the median over turns of the ratio within a turn, with its quartiles, "
    "which other work of the machine hardly changes; the 99th percentile, which it does change; "
    "and the CPU time."
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
        self.turns: list[list[float]] = []
        self.seconds = self.cpu = 0.0

    def send(self, path: str, bodies: list[bytes], connections: int) -> list[bytes]:
        """Send the requests of a turn and note their times; returns the answers."""
        cpu, began = self.server.cpu, time.perf_counter()
        found = asyncio.run(timed(self.server.port, path, bodies, connections))
        self.seconds += time.perf_counter() - began
        self.cpu += self.server.cpu - cpu
        self.turns.append([took for _, took in found])
        return [content for content, _ in found]

    def figures(self, bare: Measured) -> list[str]:
        """Requests a second, times and CPU time, and the latter beside those of bare ASGI."""
        times = np.array(self.turns)
        middle, late = np.percentile(times, [50, 99])
        rate, cpu = times.size / self.seconds, 1e3 * self.cpu / times.size
        own = [f"{rate:,.0f}", f"{middle:.2f} ms", f"{late:.2f} ms", f"{cpu:.2f} ms"]
        if bare is self:
            return [*own, "", "", ""]
        others = np.array(bare.turns)
        ratios = np.median(times, axis=1) / np.median(others, axis=1)
        low, ratio, high = np.percentile(ratios, [25, 50, 75])
        at_end = late / np.percentile(others, 99)
        work = self.cpu / bare.cpu
        return [*own, f"{ratio:.1f} ({low:.1f} to {high:.1f})", f"{at_end:.1f}", f"{work:.1f}"]


def trained(folder: Path) -> tuple[Path, Any]:
    """A booster of 50 learners after a pass over Yeast, and the data."""
    data = load("yeast")
    ranker = booster.TopAda(n_features=103, n_labels=14, n_learners=50, rho=0.1)
    ranker.run(data.X_train, data.Y_train)
    ranker.save(folder / "yeast.npz")
    return folder / "yeast.npz", data


def bodies_of(rows: Any) -> list[bytes]:
    """The requests for rankings of rows."""
    return [json.dumps({"features": x.tolist()}).encode() for x in rows]


def ask_round(rank: Measured, feedback: Measured, bodies: list[bytes], connections: int) -> None:
    """Ask for rankings, and tell the feedback on them."""
    ids = [json.loads(each)["id"] for each in rank.send("/rank", bodies, connections)]
    told = [json.dumps({"id": each, "bits": [1, 0, 0]}).encode() for each in ids]
    feedback.send("/feedback", told, connections)


def take_turns(*asks: Callable[[], object]) -> None:
    """Ask in turns; who comes first alternates."""
    for turn in range(TURNS):
        for ask in asks if turn % 2 == 0 else reversed(asks):
            ask()


def main() -> None:
    """Measure and write the section."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        path, data = trained(Path(place))
        bodies = bodies_of(data.X_test[:REQUESTS])
        with started(BARE) as bare, started(SERVE, "serve", "--port", "0", str(path)) as ours:
            for connections in CONNECTIONS:
                plain, rank, told = Measured(bare), Measured(ours), Measured(ours)
                take_turns(
                    partial(plain.send, "/", bodies, connections),
                    partial(ask_round, rank, told, bodies, connections),
                )
                rows += [
                    [name, str(connections), *each.figures(plain)]
                    for name, each in (("bare ASGI", plain), ("/rank", rank), ("/feedback", told))
                ]
    heads = ["request", "connections", "a second", "p50", "p99", "CPU of the server"]
    heads += ["p50 beside bare", "p99", "CPU"]
    load_average = ", ".join(f"{each:.1f}" for each in psutil.getloadavg())
    made = report.provenance(
        "python -m benchmarks.serving", f"booster seed 0; load average {load_average}"
    )
    report.write_section(PAGE, "\n\n".join([HEADING, ABOUT, table(heads, rows), made]))


if __name__ == "__main__":
    main()
