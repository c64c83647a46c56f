"""What the lines of a spool say: one kind of entry for each thing that MLflow is to know."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from topk_tune.data import Dataset
from topk_tune.records import SeedRun, TrialRecord
from topk_tune.settings import StudySettings
from topk_tune.tracking.spool import Entry
from topk_tune.trial import LoopReport


def study(
    identity: str, settings: StudySettings, facts: Mapping[str, str], data: Dataset | None
) -> Entry:
    """Whose entries follow."""
    profile = None
    if data is not None:
        profile = {
            "train_rows": len(data.X_train),
            "test_rows": len(data.X_test),
            "features": data.n_features,
            "labels": data.n_labels,
        }
    return _entry(
        "study",
        id=identity,
        settings=settings.model_dump(mode="json"),
        facts=dict(facts),
        profile=profile,
    )


def running(trials: int | None) -> Entry:
    """The study runs, until it has so many trials."""
    return _entry("running", trials=trials)


def begin(number: int, config: Mapping[str, Any], attempt: int) -> Entry:
    """A trial was started."""
    return _entry("begin", trial=number, config=dict(config), attempt=attempt)


def loop(number: int, repeat: int, report: LoopReport) -> Entry:
    """A loop of a trial is done."""
    return _entry(
        "loop",
        trial=number,
        repeat=repeat,
        loop=report.loop,
        train_loss=report.train_loss,
        loss=report.loss,
    )


def trial(record: TrialRecord, done: Mapping[str, int], best: float | None) -> Entry:
    """A trial is finished, and what the study has reached with it."""
    # Not `asdict`, which would copy every report of every loop.
    content = {field.name: getattr(record, field.name) for field in fields(record)} | {
        "config": dict(record.config),
        "params": dict(record.params),
        "runs": [run.columns() for run in record.runs],
        "started": record.started and record.started.isoformat(),
        "ended": record.ended and record.ended.isoformat(),
    }
    return _entry("trial", trial=record.number, record=content, done=dict(done), best=best)


def record_of(entry: Entry) -> TrialRecord:
    """The record in an entry of a finished trial."""
    content = dict(entry["record"])
    content["runs"] = tuple(SeedRun.of_columns(columns) for columns in content["runs"])
    for name in ("started", "ended"):
        content[name] = content[name] and datetime.fromisoformat(content[name])
    return TrialRecord(**content)


def end(reason: str, killed: bool, unfinished: Sequence[int]) -> Entry:
    """The study stops, and leaves trials that a resumed study will finish."""
    return _entry("end", reason=reason, killed=killed, unfinished=list(unfinished))


def confirmed(number: int, losses: Mapping[int, float], mean: float, spread: float | None) -> Entry:
    """A configuration was tested on fresh seeds."""
    by_seed = {str(seed): loss for seed, loss in losses.items()}
    return _entry("confirmed", trial=number, losses=by_seed, mean=mean, spread=spread)


def file(number: int | None, name: str, folder: str | None) -> Entry:
    """A file that lies beside the spool belongs to a trial, or to the study as a whole."""
    return _entry("file", trial=number, name=name, folder=folder)


def model(number: int, name: str, label_names: Sequence[str], example: list[list[float]]) -> Entry:
    """A booster that lies beside the spool is to become an MLflow model."""
    return _entry("model", trial=number, name=name, labels=list(label_names), example=example)


def _entry(kind: str, **content: Any) -> Entry:
    return {"kind": kind, "time": time.time_ns() // 1_000_000, **content}
