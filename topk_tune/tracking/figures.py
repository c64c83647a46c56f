"""What is logged of a trial: its parameters, metrics and tags, as MLflow takes them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topk_tune.records import SeedRun, TrialRecord
from topk_tune.settings import StudySettings
from topk_tune.tracking.commands import trial_command
from topk_tune.tracking.runs import Point

CURVES = "loops/"
"""How the curves of a trial begin: names with a slash are a section of a run's page, and such
sections come before the bars of all other figures."""


def measured(settings: StudySettings) -> str:
    """What the losses of trials are called: in the paper's protocol they are of the test rows."""
    return "test_loss" if settings.protocol == "paper" else "validation_loss"


def loop_points(settings: StudySettings, entries: Iterable[Mapping[str, Any]]) -> list[Point]:
    """The points of a trial's curves as its loops end."""
    points: list[Point] = []
    for entry in entries:
        prefix = _prefix(settings, entry["repeat"])
        loop, time = entry["loop"], entry["time"]
        points.append((f"{prefix}train_loss", entry["train_loss"], loop, time))
        points.append((f"{prefix}{measured(settings)}", entry["loss"], loop, time))
    return points


def trial_points(settings: StudySettings, record: TrialRecord, time: int) -> list[Point]:
    """Everything that a finished trial is measured by.

    The curves are means over the seeds, with the loop as the step; with several seeds there are
    the curves of each as well, and `loss_by_seed` has the number of the seed as its step.
    """
    points = [(name, value, 0, time) for name, value in _totals(settings, record).items()]
    full = [run for run in record.runs if len(run.reports) >= len(record.curve) > 0]
    for loop, loss in enumerate(record.curve, start=1):
        train = float(np.mean([run.reports[loop - 1].train_loss for run in full]))
        points.append((f"{CURVES}train_loss", train, loop, time))
        points.append((f"{CURVES}{measured(settings)}", loss, loop, time))
    for repeat, run in enumerate(record.runs if settings.seeds > 1 else ()):
        points += loop_points(settings, _loops(repeat, run, time))
        if run.reports:
            points.append(("loss_by_seed", min(r.loss for r in run.reports), repeat, time))
    return points


def trial_tags(settings: StudySettings, record: TrialRecord) -> dict[str, str]:
    """How a trial ended."""
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
    """What a trial is, from the moment it starts."""
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
    """What the runs of a study have in common."""
    return {
        "study": settings.name,
        "dataset": settings.dataset,
        "dataset_fingerprint": settings.fingerprint,
        "protocol": settings.protocol,
    }


def _totals(settings: StudySettings, record: TrialRecord) -> dict[str, float]:
    last = [run.reports[-1] for run in record.runs if run.reports]
    if not last or record.loss is None or record.best_loop is None:
        return {}
    means: dict[str, Sequence[float]] = {
        f"final_{measured(settings)}": [r.loss for r in last],
        "rank_loss": [r.rank for r in last if r.rank is not None],
        "hinge_loss": [r.hinge for r in last if r.hinge is not None],
        "split_attempts": [r.split_attempts for r in last],
        "nodes": [r.nodes for r in last],
    }
    totals = {name: float(np.mean(values)) for name, values in means.items() if values}
    totals |= {
        "loss": record.loss,
        "best_loop": float(record.best_loop),
        "runtime_seconds": record.seconds,
        "rounds_per_second": sum(r.rounds for r in last) / max(record.seconds, 1e-9),
        "peak_memory_bytes": float(max(r.bytes for run in record.runs for r in run.reports)),
    }
    return totals if record.spread is None else {**totals, "loss_spread": record.spread}


def _loops(repeat: int, run: SeedRun, time: int) -> list[dict[str, Any]]:
    return [
        {
            "repeat": repeat,
            "loop": report.loop,
            "train_loss": report.train_loss,
            "loss": report.loss,
            "time": time,
        }
        for report in run.reports
    ]


def _prefix(settings: StudySettings, repeat: int) -> str:
    """The section of the curves of one seed; those of the only seed are those of the trial."""
    return f"seed_{repeat}/" if settings.seeds > 1 else CURVES
