"""A worker of plain Optuna, for `benchmarks.search_live`: two of them share a journal."""

from __future__ import annotations

import sys

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from benchmarks.live_trial import losses, rows_of, space_of


def main(dataset: str, seed: int, seconds: float, journal: str, worker: int) -> None:
    """Search with Optuna's defaults: TPE, and the median of other trials."""
    space, rows = space_of(dataset), rows_of(dataset)

    def objective(trial: optuna.Trial) -> float:
        found = []
        for loop, loss in enumerate(losses(space.suggest(trial), seed, rows), 1):
            found.append(loss)
            trial.report(loss, loop)
            if trial.should_prune():
                raise optuna.TrialPruned
        return min(found)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        study_name="live",
        storage=JournalStorage(JournalFileBackend(journal)),
        sampler=optuna.samplers.TPESampler(seed=1000 * seed + worker),
        pruner=optuna.pruners.MedianPruner(),
        load_if_exists=True,
    )
    study.optimize(objective, timeout=seconds)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
