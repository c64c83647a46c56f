"""A dozen lines of plain Optuna, replayed: each worker asks, trains and decides for itself."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import optuna
from optuna.trial import Trial, TrialState

from benchmarks.curves.search import Known, Outcome


def search_plainly(
    known: Known, workers: int, seed: int, budget: float, last: bool = False
) -> Outcome:
    """Search with Optuna's defaults, TPE and the median; `last` counts the last loop only."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    samplers = [optuna.samplers.TPESampler(seed=1000 * seed + w) for w in range(workers)]
    study = optuna.create_study(pruner=optuna.pruners.MedianPruner())
    due: list[tuple[float, int, int, Trial, dict[str, Any]]] = []
    reports: list[tuple[float, float]] = []
    order = 0

    def loop(now: float, worker: int, trial: Trial, config: dict[str, Any], done: int) -> None:
        nonlocal order
        order += 1
        seconds = known.surrogate.curve(config, seed).seconds
        took = seconds[done] - (seconds[done - 1] if done else 0.0)
        heapq.heappush(due, (now + took, order, worker, trial, {**config, "done": done}))

    def begin(now: float, worker: int) -> None:
        study.sampler = samplers[worker]
        trial = study.ask()
        loop(now, worker, trial, known.table.space.suggest(trial), 0)

    for worker in range(workers):
        begin(0.0, worker)
    while due and due[0][0] * workers <= budget:
        now, _, worker, trial, config = heapq.heappop(due)
        done = config.pop("done")
        loss = known.surrogate.curve(config, seed).loss
        reports.append((now, float(loss[done])))
        trial.report(float(loss[done]), done + 1)
        if trial.should_prune():
            study.tell(trial, state=TrialState.PRUNED)
            begin(now, worker)
        elif done + 1 == config["loops"]:
            study.tell(trial, float(loss[-1] if last else loss.min()))
            begin(now, worker)
        else:
            loop(now, worker, trial, config, done + 1)
    times, losses = np.array(reports).T
    return Outcome(times * workers, np.minimum.accumulate(losses), len(study.trials))
