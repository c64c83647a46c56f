"""The entries of a spool: one kind for each record that is sent to MLflow."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from topk_tune.data import Dataset
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, TrialRecord
from topk_tune.study.context import Context
from topk_tune.tracking.spool import Entry
from topk_tune.training.objective import Objective
from topk_tune.training.trial import LoopReport


def study(
    identity: str, settings: StudySettings, facts: Mapping[str, str], data: Dataset | None
) -> Entry:
    """The study of the following entries."""
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
        settings=codec.settings_content(settings),
        facts=dict(facts),
        profile=profile,
    )


def running(trials: int | None) -> Entry:
    """The study runs until it has a number of trials."""
    return _entry("running", trials=trials)


def begin(number: int, config: Mapping[str, Any], attempt: int) -> Entry:
    """A trial was started."""
    return _entry("begin", trial=number, config=dict(config), attempt=attempt)


def loop(number: int, repeat: int, report: LoopReport) -> Entry:
    """A loop of a trial is done."""
    return _entry("loop", trial=number, repeat=repeat, **codec.report_content(report))


def trial(record: TrialRecord, done: Mapping[str, int], best: float | None) -> Entry:
    """A trial is finished, with the progress of the study."""
    content = codec.trial_content(record)
    return _entry("trial", trial=record.number, record=content, done=dict(done), best=best)


def record_of(entry: Entry, objective: Objective) -> TrialRecord:
    """The record of a finished trial in an entry, for a study with this goal."""
    return codec.read_trial(entry["record"], objective)


def end(reason: str, killed: bool, unfinished: Sequence[int]) -> Entry:
    """The study stops with unfinished trials, which a resumed study will finish."""
    return _entry("end", reason=reason, killed=killed, unfinished=list(unfinished))


def confirmed(confirmation: Confirmation) -> Entry:
    """A configuration was tested with fresh seeds."""
    content = codec.seeds_content(confirmation)
    return _entry("confirmed", trial=confirmation.trial, **content)


def ranked(confirmation: Confirmation) -> Entry:
    """A configuration was evaluated again on held-out rows with fresh seeds."""
    content = codec.seeds_content(confirmation.held)
    return _entry("ranked", trial=confirmation.trial, holdout=confirmation.holdout, **content)


def compared(context: Context, caveats: Sequence[str]) -> Entry:
    """The baselines on the same rows, and the caveats."""
    parts = {"tuning": context.tuning, "test": context.test}
    losses = {part: {each.name: each.loss for each in found} for part, found in parts.items()}
    return _entry("compared", losses=losses, caveats=list(caveats))


def file(number: int | None, name: str, folder: str | None) -> Entry:
    """A file in the folder of the spool is an artifact of a trial, or of the study."""
    return _entry("file", trial=number, name=name, folder=folder)


def model(
    number: int,
    name: str,
    label_names: Sequence[str],
    example: list[list[float]],
    algorithm: str | None = None,
) -> Entry:
    """A booster that lies beside the spool is to become an MLflow model."""
    content = {"labels": list(label_names), "example": example, "algorithm": algorithm}
    return _entry("model", trial=number, name=name, **content)


def _entry(kind: str, **content: Any) -> Entry:
    return {"kind": kind, "time": time.time_ns() // 1_000_000, **content}
