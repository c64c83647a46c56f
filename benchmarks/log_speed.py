"""Rounds a second from a log beside `run`, and the memory that a long log file takes.

The log is what the booster itself would show of the same rows, so that both learn the same.

    python -m benchmarks.log_speed
    python -m benchmarks.log_speed --file-rows 10000000
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from booster import Log, TopAda, TopOpt
from topk_tune.data import load
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.learning import run_log_file
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.writing import LogWriter

REPEATS = 5


def compare(dataset: str) -> None:
    """Print CPU seconds of both over the same rounds, the least of some repeats, in turns."""
    data = load(dataset)
    for kind in (TopOpt, TopAda):
        shape: dict[str, Any] = {
            "n_features": data.n_features,
            "n_labels": data.n_labels,
            "rho": 0.1,
        }
        shown, bits, pairs = [], [], []
        offering = kind(**shape)
        for x, y in zip(data.X_train, data.Y_train, strict=True):
            offer = offering.offer(x)
            shown.append(offer.shown)
            bits.append(y[offer.shown])
            pairs.append(offer.pairs)
            offering.learn(x, *(each[-1] for each in (shown, bits, pairs)))
        log = Log(data.X_train, np.array(shown), np.array(bits), np.array(pairs))
        seconds: dict[str, list[float]] = {"run": [], "run_log": []}
        for _ in range(REPEATS):
            own, from_log = kind(**shape), kind(**shape)
            began = time.process_time()
            own.run(data.X_train, data.Y_train)
            middle = time.process_time()
            from_log.run_log(log)
            seconds["run"].append(middle - began)
            seconds["run_log"].append(time.process_time() - middle)
        assert (own.scores(data.X_test) == from_log.scores(data.X_test)).all()
        rates = {name: len(data.Y_train) / min(each) for name, each in seconds.items()}
        print(
            f"{dataset} {kind.__name__}: run {rates['run']:,.0f} rounds a second, run_log "
            f"{rates['run_log']:,.0f}, ratio {rates['run_log'] / rates['run']:.2f}"
        )


def stream(n_rows: int) -> None:
    """Write a long log, learn from it once, and print the most memory that was used."""
    rng = np.random.default_rng(0)
    n_features, n_labels, block = 10, 8, 2**16
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.parquet"
        with LogWriter(path, Header(n_features, [f"l{i}" for i in range(n_labels)])) as writer:
            X = rng.normal(size=(block, n_features)).astype(np.float32)
            Y = (X[:, :n_labels] > 0.5).astype(np.uint8)
            rankings = np.tile(np.arange(n_labels), (block, 1))
            for features, rows in logged(X, Y, rankings, Policy(3, 0.3), -(-n_rows // block)):
                writer.write(features, rows)
        before = _most_memory()
        booster = TopOpt(n_features=n_features, n_labels=n_labels, n_learners=5)
        began = time.process_time()
        result = run_log_file(booster, path)
        print(
            f"{result.rounds:,} rows, {path.stat().st_size / 2**20:,.0f} MiB: "
            f"{time.process_time() - began:,.0f} s of CPU, of which learning "
            f"{result.seconds:,.0f} s; {_most_memory():,.0f} MiB of memory at most, "
            f"{before:,.0f} before"
        )


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--datasets", nargs="*", default=["yeast"])
    parser.add_argument("--file-rows", type=int, default=0)
    options = parser.parse_args()
    for name in options.datasets:
        compare(name)
    if options.file_rows:
        stream(options.file_rows)
