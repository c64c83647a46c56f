"""Loss on held-out training rows by tie thresholds: what the algorithms' defaults rest on.

Run with `python -m benchmarks.tie_threshold`. The test rows are not looked at.
"""

from __future__ import annotations

from benchmarks.held_out import PROTOCOL, SEEDS, rows_of
from benchmarks.report import provenance, write
from booster import ALGORITHMS, TreeRanges
from topk_tune.markup.markdown import table

RANGES = ((0.01, 0.9), (0.01, 0.1), (0.03, 0.3), (0.1, 0.3), (0.3, 0.9))


def main() -> None:
    """Run all ranges and write docs/results/tie_threshold.md."""
    variants = [{"trees": TreeRanges(tie_threshold=limits)} for limits in RANGES]
    head = ["tie thresholds", *(f"{low} to {high}" for low, high in RANGES)]
    tables = [table(head, list(rows_of([name], variants))) for name in ALGORITHMS.own]
    made = provenance("python -m benchmarks.tie_threshold", f"seeds 0 to {SEEDS - 1}")
    write("tie_threshold.md", "\n\n".join([_INTRODUCTION, PROTOCOL, made, *tables]))


_INTRODUCTION = """# Loss on held-out training rows by the range of tie thresholds

A tree that cannot tell its two best splits apart makes one all the same once the Hoeffding bound is
below its tie threshold, drawn log-uniformly from a range. The first column has the range of the
public full-information code. The defaults: that of the first column for TopOpt, 0.01 to 0.1 for
TopAda, 0.3 to 0.9 for FullOpt and FullAda.

Parameters of the paper's Table 5 (full information: 100 learners, one loop), gamma 0.1, no weight
cap."""


if __name__ == "__main__":
    main()
