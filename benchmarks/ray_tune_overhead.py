"""The trials of `tuner_overhead` under Ray Tune; prints the seconds in all and the mean body."""

from __future__ import annotations

import sys
import time
from typing import Any

import ray
from optuna.samplers import TPESampler
from ray import tune
from ray.air.integrations.mlflow import MLflowLoggerCallback
from ray.tune.search.optuna import OptunaSearch

from benchmarks.tuner_overhead import loss, wait


class Waiting(tune.Trainable):  # a class, because only classes can reuse their actors
    """Waits a share of the body at each step."""

    def setup(self, config: dict[str, Any]) -> None:
        """Start anew."""
        self.reset_config(config)

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Take the next trial over."""
        self._config, self._waited, self._loop = new_config, 0.0, 0
        return True

    def save_checkpoint(self, checkpoint_dir: str) -> dict[str, Any]:
        """There is nothing to keep, but actors are only reused if it can be kept."""
        return {}

    def load_checkpoint(self, checkpoint: dict[str, Any] | None) -> None:
        """Nor anything to restore."""

    def step(self) -> dict[str, Any]:
        """Wait and report."""
        self._loop += 1
        self._waited += wait(SECONDS / REPORTS)
        now = loss(self._config) + 1 / self._loop
        return {"loss": now, "waited": self._waited, "at": time.time()}


def main() -> None:
    """Run the study."""
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    callback = MLflowLoggerCallback(
        tracking_uri=f"sqlite:///{FOLDER}/mlflow.db", experiment_name="overhead"
    )
    space = {"rho": tune.loguniform(0.01, 0.3), "n_learners": tune.qrandint(10, 150, 10)}
    search = OptunaSearch(metric="loss", mode="min", sampler=TPESampler(seed=0))
    tuner = tune.Tuner(
        Waiting,
        param_space=space,
        tune_config=tune.TuneConfig(
            num_samples=TRIALS,
            search_alg=search,
            metric="loss",
            mode="min",
            max_concurrent_trials=WORKERS,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            storage_path=FOLDER, stop={"training_iteration": REPORTS}, callbacks=[callback]
        ),
    )
    results = tuner.fit()
    found = (results[i].metrics_dataframe for i in range(len(results)))
    frames = [frame for frame in found if frame is not None]
    began = min(frame["at"].iloc[0] - SECONDS / REPORTS for frame in frames)
    elapsed = time.time() - began
    body = sum(frame["waited"].iloc[-1] for frame in frames) / len(frames)
    print(elapsed, body)


if __name__ == "__main__":
    SECONDS, TRIALS, REPORTS, WORKERS = float(sys.argv[1]), *map(int, sys.argv[2:5])
    FOLDER = sys.argv[5]
    main()
