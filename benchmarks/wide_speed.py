"""What wide rows and many labels cost: time and memory, each in a process of its own.

Run with `python -m benchmarks.wide_speed`; with the path of an earlier clone, its dense rows are
measured, too. Compare figures within a table only.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import booster
from benchmarks.report import provenance, write
from benchmarks.wide_study import study
from topk_tune.data import documents, load
from topk_tune.data.rows import dense_rows
from topk_tune.markup.markdown import table

STREAM = {"rows": 1_000_000, "dim": 100_000, "m": 500, "seed": 1}
PARTS = 10
TURNS = 2
HERE = Path(__file__).resolve().parent


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
    return {"microseconds": _seconds(lambda: made.run(X, Y, loops=2)) / (2 * rows) * 1e6}


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
    seconds = _seconds(lambda: made.run(data.X_train, data.Y_train))
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
    parts: list[dict[str, float]] = []
    size = data.X_train.shape[0] // PARTS
    for part in range(PARTS):
        rows = slice(part * size, (part + 1) * size)
        started = time.process_time()
        result = made.run(data.X_train[rows], data.Y_train[rows])
        counts = made.counts
        parts.append(
            {
                "rate": size / (time.process_time() - started),
                "bytes": counts["bytes"],
                "loss": result.loss[0],
                "nodes": counts["nodes"],
                "attempts": counts["split_attempts"],
                "frozen": int((made._state().forest.frozen > 0).sum()),
            }
        )
    return {"parts": parts, "before": before, "peak": _peak()}


def _seconds(work: Callable[[], Any]) -> float:
    """The time of the processor, which other programs change least."""
    booster.warm_up()
    before = time.process_time()
    work()
    return time.process_time() - before


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


MEASURED: dict[str, Callable[..., dict[str, Any]]] = {
    "width": width,
    "labels": labels,
    "stream": stream,
    "study": study,
}


def measured(name: str, *arguments: Any) -> dict[str, Any]:
    """A measurement in a new process, so that the memory is its own."""
    return _answer([sys.executable, "-m", "benchmarks.wide_speed", name, json.dumps(arguments)])


def _answer(command: list[str], **options: Any) -> dict[str, Any]:
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options)
    print(*command[1:], found.stdout, flush=True)
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def of_bibtex(before: str | None) -> str:
    """Dense and sparse rows in alternation, also with the code of another clone; the least time."""
    here = str(HERE.parent)
    ways = [("dense, gaussian", "gaussian", here), ("sparse, binary", "binary", here)]
    if before is not None:
        ways.insert(0, ("dense, before there were sparse rows", "gaussian", before))
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = load("bibtex")
        np.save(f"{folder}/X.npy", dense_rows(data.X_train))
        np.save(f"{folder}/Y.npy", data.Y_train)
        for _ in range(TURNS):
            for name, observer, at in ways:
                command = [sys.executable, str(HERE / "bibtex_cost.py"), observer, folder]
                path = os.environ | {"PYTHONPATH": at}
                new = _answer(command, env=path)
                found[name] = min(found.get(name, new), new, key=lambda each: each["seconds"])
    rows = [
        [name, *_cells(each), *_ratios(each, found["sparse, binary"])]
        for name, each in found.items()
    ]
    return table(_BIBTEX, rows)


def _cells(found: dict[str, float]) -> list[str]:
    memory = [f"{found[name] / 1e6:.0f}" for name in ("bytes", "peak")]
    return [f"{found['seconds']:.1f}", *memory, f"{found['loss']:.3f}"]


def _ratios(found: dict[str, float], least: dict[str, float]) -> list[str]:
    return [f"{found[name] / least[name]:.1f}" for name in ("seconds", "bytes")]


_BIBTEX = (
    *(
        "rows, observer",
        "seconds of CPU",
        "MB of trees",
        "MB of the process",
        "loss while learning",
    ),
    *("times the last: seconds", "MB of trees"),
)


def of_widths() -> str:
    """Rows of one size among more and more features."""
    sizes = (20_000, 200_000, 10**6)
    rows = [[f"{n:,}", f"{measured('width', n)['microseconds']:.1f}"] for n in sizes]
    return table(("features", "microseconds a round"), rows)


def of_labels() -> str:
    """More and more labels."""
    rows = []
    for m in (14, 101, 983):
        few, more = measured("labels", m, 20), measured("labels", m, 80)
        times = [f"{x['microseconds']:.0f}" for x in (few, more)]
        rows.append([str(m), *times, f"{few['scratch'] / 1e6:.1f}"])
    return table(("labels", "microseconds, N = 20", "N = 80", "MB beside the trees, N = 20"), rows)


def of_stream() -> str:
    """One loop over a long stream."""
    long = measured("stream", 2 * 10**9)
    rows = [
        [str(i + 1), f"{x['rate']:,.0f}", f"{x['bytes'] / 1e6:,.0f}", f"{x['loss']:.3f}"]
        + [f"{x[name]:,}" for name in ("nodes", "attempts", "frozen")]
        for i, x in enumerate(long["parts"])
    ]
    head = (
        *("tenth of the rows", "rounds a second of CPU", "MB of trees", "loss"),
        *("nodes", "split attempts", "trees at their limit"),
    )
    rows_alone, most = long["before"] / 1e9, long["peak"] / 1e9
    about = (
        f"TopAda, 20 learners of 10% of the words, at most 2 GB of trees. Memory of the process: "
        f"{rows_alone:.1f} GB with the rows alone, {most:.1f} GB at most."
    )
    return "\n\n".join([about, table(head, rows), _WHY_NOT_FLAT])


def of_study() -> str:
    """A study with two workers on the same rows."""
    rows = []
    for backend in ("local", "ray"):
        found = measured("study", STREAM, backend)
        memory = [f"{found[name] / 1e6:,.0f}" for name in ("rows", "resident", "own", "all")]
        rows.append([backend, str(found["workers"]), *memory])
    head = ("backend", "workers", "MB of rows", "resident in workers", "their own", "all processes")
    return table(head, rows)


_WHY_NOT_FLAT = """\
A round costs what its trees still learn. While they grow, their leaves note rows and try to split.
A tree at its limit of nodes (`max_nodes`) keeps its shape and only adds class weights. So the rate
rises until all trees are there, and memory stays far below its limit."""

_ABOUT_STUDY = """\
`topk-tune run` with two workers that train on these rows; both workers together. What is resident
includes what they share; their own is what they have written. If it is less than the rows, neither
has a copy. The last column is the proportional set size of all processes, in which what is shared
counts once: the driver, which also holds what it has read, the workers, and Ray's servers."""

_INTRODUCTION = """# The cost of wide rows and of many labels"""


def main(before: str | None) -> None:
    """Measure and write docs/results/wide_speed.md."""
    booster.warm_up()
    sections = [
        _INTRODUCTION,
        provenance("python -m benchmarks.wide_speed", "one seed; beside other programs"),
        "## bibtex, FullOpt, 60 learners of 320 covariates, 3 loops",
        of_bibtex(before),
        "## A row with 100 values that are not zero, FullAda, 20 learners of half of the features",
        of_widths(),
        "## Labels, TopAda on synthetic documents, 10% of 2,000 words",
        of_labels(),
        "## One loop over 1,000,000 synthetic documents, 100,000 words, 500 labels",
        of_stream(),
        "## A study on these documents",
        _ABOUT_STUDY,
        of_study(),
    ]
    write("wide_speed.md", "\n\n".join(sections))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(MEASURED[sys.argv[1]](*json.loads(sys.argv[2]))))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else None)
