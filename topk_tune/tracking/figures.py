"""The parameters, metrics and tags of a trial for MLflow."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from topk_tune.provenance.commands import trial_command
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.tracking.entries import Loop
from topk_tune.tracking.runs import Point

CURVES = "loops/"
"""The prefix of a trial's curves: names with a slash are a section of a run's page, and sections
come before the bars of all other metrics."""


MODEL_LOSS = "model_shown_loss"
"""The loss of what the kept model shows on the test rows."""


def best_name(settings: StudySettings) -> str:
    """The metric name of a study's best value so far."""
    return f"best_{settings.objective}"


def loop_points(settings: StudySettings, loops: Iterable[Loop]) -> list[Point]:
    """The points of a trial's curves after a loop, one for each metric."""
    return [
        (_prefix(settings, each.repeat) + name, value, each.loop, each.time)
        for each in loops
        for name, value in each.metrics.items()
    ]


def trial_points(settings: StudySettings, record: TrialRecord, time: int) -> list[Point]:
    """All metrics of a finished trial.

    Curves are means over the seeds, with the loop as the step. With several seeds, each has its own
    curves too, and the step of `objective_by_seed` is the number of the seed.
    """
    points = [(name, value, 0, time) for name, value in _totals(record).items()]
    names = record.full_runs[0].reports[0].metrics if record.full_runs else ()
    for name in names:
        curve = enumerate(record.curve_of(name), start=1)
        points += [(CURVES + name, value, loop, time) for loop, value in curve]
    for repeat, run in enumerate(record.runs if settings.seeds > 1 else ()):
        for report in run.reports:
            loop, prefix = report.loop, _prefix(settings, repeat)
            points += [(prefix + n, value, loop, time) for n, value in report.metrics.items()]
        if record.best_loop is not None and len(run.reports) >= record.best_loop:
            value = record.objective.value(run.reports[record.best_loop - 1].metrics)
            points.append(("objective_by_seed", value, repeat, time))
    return points


def confirmed_points(
    metrics: Mapping[str, Mapping[str, float]], time: int, prefix: str = "confirmed_"
) -> list[Point]:
    """The metrics of fresh seeds, by metric and seed; by default those on test rows."""
    points: list[Point] = []
    for metric, by_seed in metrics.items():
        values, name = list(by_seed.values()), prefix + metric
        points += [(f"{name}_by_seed", value, step, time) for step, value in enumerate(values)]
        points.append((name, float(np.mean(values)), len(values), time))
        if len(values) > 1:
            points.append((f"{name}_spread", float(np.std(values, ddof=1)), len(values), time))
    return points


def baseline_points(losses: Mapping[str, Mapping[str, float]], time: int) -> list[Point]:
    """The baselines on the rows of trials and on the test rows."""
    prefixes = {"tuning": "baseline_", "test": "baseline_test_"}
    return [
        (prefixes[part] + name.lower().replace(" ", "_"), loss, 0, time)
        for part, found in losses.items()
        for name, loss in found.items()
    ]


def trial_tags(settings: StudySettings, record: TrialRecord) -> dict[str, str]:
    """The tags of a finished trial."""
    tags = {
        "state": record.state,
        "attempts": str(record.attempts),
        "reused": str(record.reused),
    }
    if record.host is not None:
        tags["host"] = record.host
    if record.error is not None:
        tags["error"] = record.error
    return tags


def start_tags(settings: StudySettings, number: int, config: Mapping[str, Any]) -> dict[str, str]:
    """The tags of a trial from its start."""
    seeds = range(settings.seed, settings.seed + settings.seeds)
    return {
        "kind": "trial",
        "state": "running",
        "algorithm": str(config["algorithm"]),
        "seed": ",".join(str(seed) for seed in seeds),
        "command": trial_command(settings),
        **shared_tags(settings),
    }


def shared_tags(settings: StudySettings) -> dict[str, str]:
    """The tags of all runs of a study."""
    return {
        "study": settings.name,
        "dataset": settings.dataset,
        "dataset_fingerprint": settings.fingerprint,
        "protocol": settings.protocol,
        "objective": settings.objective,
    }


def _totals(record: TrialRecord) -> dict[str, float]:
    """The metrics after the best loop, and the time that the trial took."""
    last = [run.reports[-1] for run in record.runs if run.reports]
    if not last or record.value is None or record.best_loop is None:
        return {}
    totals = {
        **record.metrics,
        "objective": record.value,
        f"final_{record.objective.metric}": record.curve[-1],
        "best_loop": float(record.best_loop),
        "runtime_seconds": record.seconds,
        "rounds_per_second": sum(r.rounds for r in last) / max(record.seconds, 1e-9),
        "peak_memory_bytes": float(max(r.bytes for run in record.runs for r in run.reports)),
        "split_attempts": float(np.mean([r.split_attempts for r in last])),
        "nodes": float(np.mean([r.nodes for r in last])),
    }
    return totals if record.spread is None else {**totals, "objective_spread": record.spread}


def _prefix(settings: StudySettings, repeat: int) -> str:
    """The prefix of the curves of a seed; a single seed uses that of the trial."""
    return f"seed_{repeat}/" if settings.seeds > 1 else CURVES
