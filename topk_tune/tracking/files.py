"""The artifacts of runs: configurations, curves, tables and plots."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from topk_tune.charts import figures
from topk_tune.charts.curves import trial_curves
from topk_tune.charts.importances import shares
from topk_tune.charts.results import Results
from topk_tune.charts.svg_file import write_svg_figures
from topk_tune.provenance.commands import CONFIG_FILE, study_inputs
from topk_tune.records.settings import StudySettings
from topk_tune.records.table import row
from topk_tune.records.trials import TrialRecord, ranked


def trial_files(folder: Path, settings: StudySettings, record: TrialRecord) -> None:
    """Write the configuration of a trial, and its curves as a table and a plot."""
    _write_yaml(folder / CONFIG_FILE, {"default": dict(record.config)})
    if any(run.reports for run in record.runs):
        _write_curves(folder / "curve.csv", record)
        write_svg_figures(folder, {"curve": trial_curves(settings, record)})


def study_files(folder: Path, settings: StudySettings, records: Sequence[TrialRecord]) -> None:
    """Write the recipe of a study, the table of its trials and its best configuration."""
    for name, content in study_inputs(settings).items():
        _write_yaml(folder / name, content)
    _write_yaml(folder / "settings.yaml", settings.model_dump(mode="json", exclude={"space"}))
    _write_trials(folder / "trials.csv", records)
    if best := ranked(records):
        _write_yaml(folder / "best.yaml", {"default": best[0].best_config})


def study_plots(folder: Path, settings: StudySettings, records: Sequence[TrialRecord]) -> None:
    """Draw all charts that show something of these trials, once there are two to compare."""
    numbered = sorted(records, key=lambda record: record.number)
    results = Results(settings, numbered, importances=shares(settings, numbered))
    if len(results.ranked) > 1:
        write_svg_figures(folder, figures(results))


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


def _write_trials(path: Path, records: Sequence[TrialRecord]) -> None:
    rows = [row(record) for record in sorted(records, key=lambda record: record.number)]
    columns = list(dict.fromkeys(name for values in rows for name in values))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
