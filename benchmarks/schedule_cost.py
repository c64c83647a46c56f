"""What a schedule costs: rounds whose rate is worked out, beside rounds at a constant one.

With `rho_end` = `rho` every schedule gives the same rates, hence the same bits: all that differs is
the working out. Runs take turns, so that what else the machine does hits all alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.datasets import parts
from benchmarks.report import provenance, write
from booster import ALGORITHMS
from booster.tables import SCHEDULES
from topk_tune.markup.markdown import table

RHO = 0.3
TURNS = 15
LOOPS = 2
ROWS = 1500
SHAPES = {"Yeast, N = 60": 60, "Yeast, N = 10": 10}


def seconds(algorithm: str, n_learners: int, schedule: str) -> tuple[float, float]:
    """The time of a training, and its loss."""
    data = parts("yeast")
    X, Y = data["X_train"], data["Y_train"]
    horizon = LOOPS * len(X)
    fades: dict[str, Any] = {"rho": RHO, "schedule": schedule, "rho_end": RHO, "horizon": horizon}
    booster = ALGORITHMS.load(algorithm)(
        n_features=X.shape[1], n_labels=Y.shape[1], n_learners=n_learners, **fades
    )
    result = booster.run(X, Y, loops=LOOPS)
    return result.seconds, float(result.loss[-1])


def row(algorithm: str, shape: str) -> list[str]:
    """The time of every schedule relative to a constant rate, median over turns."""
    times: dict[str, list[float]] = {schedule: [] for schedule in SCHEDULES}
    losses = set()
    for _ in range(TURNS):
        for schedule, taken in times.items():
            took, loss = seconds(algorithm, SHAPES[shape], schedule)
            taken.append(took)
            losses.add(loss)
    assert len(losses) == 1, "the same rates must give the same bits"
    constant = np.array(times["constant"])
    each = [f"{1e6 * np.median(constant) / (LOOPS * ROWS):.1f}"]
    ratios = [np.median(np.array(taken) / constant) for taken in list(times.values())[1:]]
    return [algorithm, shape, *each, *(f"{ratio:.3f}" for ratio in ratios)]


def main() -> None:
    """Measure, and write docs/results/schedule_cost.md."""
    rows = [row(algorithm, shape) for algorithm in ("topopt", "topada") for shape in SHAPES]
    head = ("", "", "microseconds a round", *list(SCHEDULES)[1:])
    made = provenance("python -m benchmarks.schedule_cost", f"seed 0, {TURNS} turns")
    write("schedule_cost.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))


_INTRODUCTION = """# What fading exploration costs a round

The time of a round relative to that of a constant rate, median over turns that alternate. All rates
are the same here, and so are all bits that are learned: only the working out differs."""


if __name__ == "__main__":
    main()
