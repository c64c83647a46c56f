"""The artifacts of runs: configurations, curves, tables and plots."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from topk_tune.provenance.commands import CONFIG_FILE, study_inputs
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.training.metrics import MAIN


def trial_files(folder: Path, settings: StudySettings, record: TrialRecord) -> None:
    """Write the configuration of a trial, and its curves as a table and a plot."""
    _write_yaml(folder / CONFIG_FILE, {"default": dict(record.config)})
    if any(run.reports for run in record.runs):
        _write_curves(folder / "curve.csv", record)
        _plot_curves(folder / "curve.png", settings, record)


def study_files(folder: Path, settings: StudySettings, records: Sequence[TrialRecord]) -> None:
    """Write the recipe of a study, the table of its trials and its best configuration."""
    for name, content in study_inputs(settings).items():
        _write_yaml(folder / name, content)
    _write_yaml(folder / "settings.yaml", settings.model_dump(mode="json", exclude={"space"}))
    _write_trials(folder / "trials.csv", records)
    if best := ranked(records):
        _write_yaml(folder / "best.yaml", {"default": best[0].best_config})


def _write_yaml(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def _write_curves(path: Path, record: TrialRecord) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        for number, run in enumerate(record.runs):
            for report in run.reports:
                values = {"seed": run.seed, **report.as_dict()}
                if number == 0 and report.loop == 1:
                    rows.writerow(values)
                rows.writerow(values.values())


def _plot_curves(path: Path, settings: StudySettings, record: TrialRecord) -> None:
    from matplotlib.figure import Figure

    # Without pyplot, which keeps figures in memory and needs a display or a backend.
    figure = Figure(figsize=(6, 4))
    # Fixed margins, because computing them takes as long as the plot.
    axes = figure.add_axes((0.13, 0.13, 0.84, 0.78))
    rows = "test rows" if settings.protocol == "paper" else "validation rows"
    goal = record.objective
    for number, run in enumerate(record.runs):
        loops = [report.loop for report in run.reports]
        first = number == 0  # one entry of the legend for all seeds
        values = [goal.value(report.metrics) for report in run.reports]
        axes.plot(loops, values, "C0.-", label=f"{goal.words}, {rows}" if first else None)
        if goal.metric in MAIN:  # others are not shares of pairs, or larger is better
            training = [report.metrics.get("train_loss", math.nan) for report in run.reports]
            label = "greedy loss, training rows" if first else None
            axes.plot(loops, training, "C1.--", label=label)
    axes.set(xlabel="loop", ylabel=goal.words, title=f"trial {record.number}")
    axes.locator_params(axis="x", integer=True)
    axes.legend()
    figure.savefig(path, dpi=80)


def _write_trials(path: Path, records: Sequence[TrialRecord]) -> None:
    from topk_tune.study.study import row

    rows = [row(record) for record in sorted(records, key=lambda record: record.number)]
    columns = list(dict.fromkeys(name for values in rows for name in values))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
