"""The memory of a study on a long sparse stream, with two workers: how often are the rows held?

`python -m benchmarks.wide_speed` runs it. Memory is the proportional set size of all processes of
the study: what several processes share counts once.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from topk_tune.data import documents

SPACE = """
default:
  algorithm: topada
  loops: 1
  k: 3
  rho: 0.5
  n_learners: {type: int, low: 10, high: 12}
  n_covariates: 0.1
  observer: binary
"""
WATCHED = 30.0
"""How many seconds are watched once both workers train."""

WAITED = 1500.0
"""How many seconds a study may take to start, beside other programs."""

BUSY = 5.0
"""A worker trains once it has used so many seconds of the processor with the rows mapped."""


def held_rows(stream: dict[str, int]) -> int:
    """Return the bytes of all rows of a stream, features and labels."""
    data = documents(**stream, split="tail:0.001")
    X: Any = data.X_train
    return sum(int(part.nbytes) for part in (X.data, X.indices, X.indptr, data.Y_train))


def study(stream: dict[str, int], backend: str) -> dict[str, Any]:
    """Start a study with two workers; return its memory while both train, then interrupt it."""
    dataset = "documents:" + ",".join(f"{name}={value}" for name, value in stream.items())
    with tempfile.TemporaryDirectory() as folder:
        space = Path(folder, "space.yaml")
        space.write_text(SPACE, encoding="utf-8")
        program = Path(sys.executable).with_name("topk-tune")
        command = [str(program), "run", "--dataset", dataset]
        command += ["--split", "tail:0.001", "--space", str(space), "--backend", backend]
        command += ["--workers", "2", "--trials", "100", "--no-track", "--storage", folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return _watched(psutil.Process(process.pid), held_rows(stream))
        finally:
            process.terminate()
            process.wait(120)


def _watched(driver: psutil.Process, rows: int) -> dict[str, Any]:
    until = time.monotonic() + WAITED
    while len(_training(driver, rows)) < 2:
        if time.monotonic() > until or not driver.is_running():
            raise RuntimeError("the study did not start on two workers")
        time.sleep(1.0)
    samples = []
    until = time.monotonic() + WATCHED
    while time.monotonic() < until:
        workers = _training(driver, rows)
        everyone = [driver, *driver.children(recursive=True)]
        samples.append(
            {
                "workers": len(workers),
                "resident": sum(_memory(each, "Rss") for each in workers),
                "own": sum(_memory(each, "Private_Dirty") for each in workers),
                "all": sum(_memory(each, "Pss") for each in everyone),
            }
        )
        time.sleep(1.0)
    return {"rows": rows, **max(samples, key=lambda sample: sample["all"])}


def _training(driver: psutil.Process, rows: int) -> list[psutil.Process]:
    """Return the processes that work on the rows, other than the driver."""
    found = []
    for child in driver.children(recursive=True):
        try:
            busy = sum(child.cpu_times()[:2]) > BUSY
            if busy and _memory(child, "Rss") > rows / 4:
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def _memory(process: psutil.Process, kind: str) -> int:
    """Return one line of Linux's account of the memory of a process, in bytes."""
    try:
        account = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="utf-8")
    except OSError:  # it has ended
        return 0
    found = re.search(rf"^{kind}:\s+(\d+) kB", account, re.MULTILINE)
    return 1024 * int(found[1]) if found else 0
