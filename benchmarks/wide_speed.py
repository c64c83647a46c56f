"""What wide rows and many labels cost: time and memory, each in a process of its own.

Run with `python -m benchmarks.wide_speed`. Compare figures within a table only.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import booster
from benchmarks.report import provenance, write
from topk_tune.data import documents, load
from topk_tune.data.rows import dense_rows
from topk_tune.markup.markdown import table

STREAM = {"rows": 1_000_000, "dim": 100_000, "m": 500, "seed": 1}
PARTS = 10


def bibtex(observer: str) -> dict[str, float]:
    """Three loops of FullOpt over bibtex, with 320 covariates a tree."""
    data = load("bibtex")
    X = dense_rows(data.X_train) if observer == "gaussian" else data.X_train
    made = booster.FullOpt(
        n_features=data.n_features,
        n_labels=data.n_labels,
        n_learners=60,
        n_covariates=320,
        observer=observer,
    )
    result = made.run(X, data.Y_train, loops=3)
    return {"seconds": result.seconds, "bytes": made.counts["bytes"], "loss": result.loss[-1]}


def width(n_features: int) -> dict[str, float]:
    """Rounds with 100 values that are not zero, of 10,000 places among `n_features`."""
    rng, rows, kept = np.random.default_rng(0), 4000, 100
    places = [np.sort(rng.choice(10_000, kept, replace=False)) for _ in range(rows)]
    columns = np.concatenate(places) * (n_features // 10_000)
    starts = np.arange(0, rows * kept + 1, kept)
    X = csr_array((np.ones(rows * kept, np.float32), columns, starts), shape=(rows, n_features))
    Y = (rng.random((rows, 20)) < 0.1).astype(np.uint8)
    made = booster.FullAda(
        n_features=n_features, n_labels=20, n_learners=20, n_covariates=0.5, observer="binary"
    )
    return {"microseconds": made.run(X, Y, loops=2).seconds / (2 * rows) * 1e6}


def labels(m: int, n_learners: int) -> dict[str, float]:
    """Rounds of TopAda with m labels."""
    data = documents(rows=3000, dim=2000, m=m, seed=1)
    made = booster.TopAda(
        n_features=2000,
        n_labels=m,
        n_learners=n_learners,
        n_covariates=0.1,
        observer="binary",
        rho=0.5,
    )
    made.run(data.X_train, data.Y_train)
    seconds = made.run(data.X_train, data.Y_train).seconds
    return {
        "microseconds": seconds / data.X_train.shape[0] * 1e6,
        "scratch": made.bounded_bytes - made._forest.bounded_bytes,
    }


def stream(max_bytes: int) -> dict[str, Any]:
    """One loop over a long stream, in parts."""
    data = documents(**STREAM, split="tail:0.001")
    before = _peak()
    made = booster.TopAda(
        n_features=data.n_features,
        n_labels=data.n_labels,
        n_learners=20,
        n_covariates=0.1,
        observer="binary",
        rho=0.5,
        max_bytes=max_bytes,
    )
    rates, held, losses = [], [], []
    size = data.X_train.shape[0] // PARTS
    for part in range(PARTS):
        rows = slice(part * size, (part + 1) * size)
        result = made.run(data.X_train[rows], data.Y_train[rows])
        rates.append(size / result.seconds)
        held.append(made.counts["bytes"])
        losses.append(result.loss[0])
    return {"rates": rates, "bytes": held, "losses": losses, "before": before, "peak": _peak()}


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


MEASURED: dict[str, Callable[..., dict[str, Any]]] = {
    "bibtex": bibtex,
    "width": width,
    "labels": labels,
    "stream": stream,
}


def measured(name: str, *arguments: Any) -> dict[str, Any]:
    """A measurement in a new process, so that the memory is its own."""
    command = [sys.executable, "-m", "benchmarks.wide_speed", name, json.dumps(arguments)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(name, arguments, found, flush=True)
    result: dict[str, Any] = json.loads(found)
    return result


def main() -> None:
    """Measure and write docs/results/wide_speed.md."""
    booster.warm_up()
    dense, sparse = measured("bibtex", "gaussian"), measured("bibtex", "binary")
    speed = [
        [name, f"{x['seconds']:.1f}", f"{x['bytes'] / 1e6:.0f}", f"{x['loss']:.3f}"]
        for name, x in (("dense, gaussian", dense), ("sparse, binary", sparse))
    ]
    speed.append(
        [
            "ratio",
            f"{dense['seconds'] / sparse['seconds']:.1f}",
            f"{dense['bytes'] / sparse['bytes']:.1f}",
            "",
        ]
    )
    widths = [
        [f"{n:,}", f"{measured('width', n)['microseconds']:.1f}"] for n in (20_000, 200_000, 10**6)
    ]
    many = []
    for m in (14, 101, 983):
        few, more = measured("labels", m, 20), measured("labels", m, 80)
        times = [f"{x['microseconds']:.0f}" for x in (few, more)]
        many.append([str(m), *times, f"{few['scratch'] / 1e6:.1f}"])
    long = measured("stream", 2 * 10**9)
    parts = [
        [str(i + 1), f"{rate:,.0f}", f"{held / 1e6:,.0f}", f"{loss:.3f}"]
        for i, (rate, held, loss) in enumerate(
            zip(long["rates"], long["bytes"], long["losses"], strict=True)
        )
    ]
    rows_alone, most = long["before"] / 1e9, long["peak"] / 1e9
    sections = [
        _INTRODUCTION,
        provenance("python -m benchmarks.wide_speed", "one seed; beside other programs"),
        "## bibtex, FullOpt, 60 learners of 320 covariates, 3 loops",
        table(("rows, observer", "seconds", "MB of trees", "loss while learning"), speed),
        "## A row with 100 values that are not zero, FullAda, 20 learners of half of the features",
        table(("features", "microseconds a round"), widths),
        "## Labels, TopAda on synthetic documents, 10% of 2,000 words",
        table(("labels", "microseconds, N = 20", "N = 80", "MB beside the trees, N = 20"), many),
        "## One loop over 1,000,000 synthetic documents, 100,000 words, 500 labels",
        f"TopAda, 20 learners of 10% of the words, at most 2 GB of trees. Memory of the process: "
        f"{rows_alone:.1f} GB with the rows alone, {most:.1f} GB at most.",
        table(("tenth of the rows", "rounds a second", "MB of trees", "loss"), parts),
    ]
    write("wide_speed.md", "\n\n".join(sections))


_INTRODUCTION = """# The cost of wide rows and of many labels"""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(MEASURED[sys.argv[1]](*json.loads(sys.argv[2]))))
    else:
        main()
