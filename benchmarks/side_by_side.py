"""The paper's data sets with this code and with that of an earlier clone, in alternation.

Run with `python -m benchmarks.side_by_side CLONE`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import provenance, write
from topk_tune.data import load
from topk_tune.data.rows import dense_rows
from topk_tune.markup.markdown import table

HERE = Path(__file__).resolve().parent
LOOPS = {"emotions": 10, "scene": 2, "yeast": 3, "m_reduced": 3}
OPTIONS: dict[str, dict[str, Any]] = {
    "TopAda": {"n_learners": 50, "rho": 0.3},
    "TopOpt": {"n_learners": 50, "rho": 0.3},
    "FullAda": {"n_learners": 50},
    "FullOpt": {"n_learners": 50},
}
CASES = [(a, d, n, OPTIONS[a]) for d, n in LOOPS.items() for a in OPTIONS]
CASES.append(("TopAda", "mediamill", 1, {"n_learners": 20, "rho": 0.3}))
TURNS = 7


class Clone:
    """A process that runs the code of a clone."""

    def __init__(self, clone: str, folder: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "dense_cost.py"), folder],
            env=os.environ | {"PYTHONPATH": clone},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measured(self, case: Any) -> tuple[float, list[str]]:
        """Return the seconds and the losses of one case."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(case), file=self._process.stdin, flush=True)
        seconds, losses = json.loads(self._process.stdout.readline())
        return seconds, losses

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()


def row(case: Any, before: Clone, now: Clone) -> list[str]:
    """A line of the table; the first turn of each is not counted."""
    before.measured(case), now.measured(case)
    turns = [
        (before.measured(case), now.measured(case))
        if turn % 2
        else (now.measured(case), before.measured(case))[::-1]
        for turn in range(TURNS)
    ]
    old, new = ([seconds for seconds, _ in each] for each in zip(*turns, strict=True))
    same = all(a[1] == b[1] for a, b in turns)
    ratio = median(b / a for a, b in zip(old, new, strict=True))
    times = [f"{1e3 * min(each):.0f}" for each in (old, new)]
    line = [case[0], case[1], *times, f"{ratio:.2f}", "yes" if same else "no"]
    print(" | ".join(line), flush=True)
    return line


def main(clone: str) -> None:
    """Measure and write docs/results/side_by_side.md."""
    with tempfile.TemporaryDirectory() as folder:
        for dataset in {case[1] for case in CASES}:
            data = load(dataset)
            np.save(f"{folder}/{dataset}_X.npy", dense_rows(data.X_train))
            np.save(f"{folder}/{dataset}_Y.npy", data.Y_train)
        before, now = Clone(clone, folder), Clone(str(HERE.parent), folder)
        rows = [row(case, before, now) for case in CASES]
        for each in (before, now):
            each.close()
    made = provenance("python -m benchmarks.side_by_side CLONE", f"one seed, {TURNS} turns")
    head = ("", "data set", "before: ms", "now: ms", "now / before", "same losses")
    write("side_by_side.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))


_INTRODUCTION = """# The paper's data sets, before there were sparse rows and now

Dense rows with today's code and with that of the last commit before boosters read sparse rows, in
alternation in one run: the least processor time of each, and the median of the ratios of the
turns. Losses are compared bit for bit, loop by loop."""


if __name__ == "__main__":
    main(sys.argv[1])
