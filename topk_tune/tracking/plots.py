"""Plots of a study, drawn by Optuna."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.spaces import Space

if TYPE_CHECKING:
    import optuna

ENOUGH = 10
"""The fewest complete trials for importances, which compare the best tenth with the rest."""


def study_plots(folder: Path, settings: StudySettings, records: Sequence[TrialRecord]) -> None:
    """Draw the history, the importances, parallel coordinates, slices and the Pareto front."""
    from optuna.visualization import matplotlib as draw

    complete = len(ranked(records))
    if complete < 2:
        return  # there is nothing to compare
    metric: dict[str, Any] = {"target_name": settings.goal.words}
    if settings.runtime_objective:
        metric["target"] = lambda trial: trial.values[0]
    plots: dict[str, Callable[[optuna.Study], Any]] = {
        "history": lambda study: draw.plot_optimization_history(study, **metric),
        "parallel": lambda study: draw.plot_parallel_coordinate(study, **metric),
        "slice": lambda study: draw.plot_slice(study, **metric),
    }
    if complete >= ENOUGH:
        plots["importances"] = lambda study: draw.plot_param_importances(study, **metric)
    if settings.runtime_objective:
        names = [settings.goal.words, "seconds"]
        plots["pareto"] = lambda study: draw.plot_pareto_front(study, target_names=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these functions are marked as experimental
        study = _optuna_study(settings, records)
        for name, plot in plots.items():
            _draw(folder / f"{name}.png", plot, study)


def _draw(path: Path, plot: Callable[[optuna.Study], Any], study: optuna.Study) -> None:
    import matplotlib.pyplot as plt

    try:
        plot(study)
        for number in plt.get_fignums():
            plt.figure(number).savefig(path, dpi=80, bbox_inches="tight")
    except (ValueError, RuntimeError):
        return  # some plots need more parameters
    finally:
        plt.close("all")


def _optuna_study(settings: StudySettings, records: Sequence[TrialRecord]) -> optuna.Study:
    """The same trials in an in-memory study of Optuna, with ranges from the space."""
    import optuna
    from optuna.trial import TrialState

    directions = settings.directions
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(directions=directions, sampler=sampler)
    space = Space.from_dict(settings.space)
    for record in sorted(records, key=lambda record: record.number):
        study.enqueue_trial(dict(record.params))
        trial = study.ask()
        space.suggest(trial)
        if record.state == "complete" and record.value is not None:
            study.tell(trial, [record.value, record.seconds][: len(directions)])
        else:
            study.tell(trial, state=TrialState.FAIL)
    return study
