"""Loss on held-out training rows by the budget of a tree: what the default of `max_nodes` rests on.

Run with `python -m benchmarks.tree_size`. The test rows are not looked at.
"""

from __future__ import annotations

from benchmarks.held_out import PROTOCOL, SEEDS, rows_of
from benchmarks.report import provenance, write
from booster import TreeRanges
from topk_tune.markup.markdown import table

SIZES = (31, 63, 127, 255, 511)
# With full information the paper has one loop, in which few trees come to such sizes.
NAMES = ("topopt", "topada")


def main() -> None:
    """Run all sizes and write docs/results/tree_size.md."""
    rows = list(rows_of(NAMES, [{"max_nodes": size, "trees": TreeRanges()} for size in SIZES]))
    made = provenance("python -m benchmarks.tree_size", f"seeds 0 to {SEEDS - 1}")
    head = ["max_nodes", *map(str, SIZES)]
    write("tree_size.md", "\n\n".join([_INTRODUCTION, PROTOCOL, made, table(head, rows)]))


_INTRODUCTION = """# Loss on held-out training rows by the budget of a tree

Parameters of the paper's Table 5, gamma 0.1, no weight cap; for both algorithms the tree ranges of
the public code. The default of `max_nodes` is the size with the least geometric mean."""


if __name__ == "__main__":
    main()
