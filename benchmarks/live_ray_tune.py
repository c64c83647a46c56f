"""Ray Tune with OptunaSearch and ASHA, for `benchmarks.search_live`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import ray
from optuna.samplers import TPESampler
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search.optuna import OptunaSearch

from benchmarks.live_trial import WORKERS, losses, rows_of, space_of


def main(dataset: str, seed: int, seconds: float, folder: str) -> None:
    """Search until the time is over; every report is a line of a file: when, and the loss."""
    space = space_of(dataset)
    log = Path(folder) / "reports.txt"

    def trial(config: dict[str, Any], rows: Any = None) -> None:
        for loss in losses(config, seed, rows):
            with log.open("a") as file:
                file.write(f"{time.time()} {loss}\n")
            tune.report({"loss": loss})

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    search = OptunaSearch(
        space.suggest,
        metric="loss",
        mode="min",
        sampler=TPESampler(seed=seed),
    )
    tuner = tune.Tuner(
        tune.with_parameters(trial, rows=rows_of(dataset)),
        tune_config=tune.TuneConfig(
            num_samples=-1,
            search_alg=search,
            scheduler=ASHAScheduler(metric="loss", mode="min", max_t=20),
            max_concurrent_trials=WORKERS,
            time_budget_s=seconds,
        ),
        run_config=tune.RunConfig(storage_path=folder, verbose=0),
    )
    tuner.fit()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
