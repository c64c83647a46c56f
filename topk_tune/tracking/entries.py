"""The entries of a spool: one kind for each record that is sent to MLflow.

The lines of a spool are entries as JSON, by `content` and `read`. A field that is unknown is left
out as a line is read, and what an older version has written is upgraded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from topk_tune.data import Dataset
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, TrialRecord
from topk_tune.study.context import Context
from topk_tune.tracking.examples import Example
from topk_tune.training.objective import Objective
from topk_tune.training.trial import LoopReport

BySeed = Mapping[str, Mapping[str, float]]
"""Values by metric and seed."""


def _now() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Entry:
    """A record, with its time in milliseconds."""

    time: int = field(default_factory=_now, kw_only=True)


@dataclass(frozen=True)
class Study(Entry):
    """The study of the following entries."""

    id: str
    settings: codec.Content
    facts: Mapping[str, str]
    profile: Mapping[str, int] | None

    @classmethod
    def of(
        cls, identity: str, settings: StudySettings, facts: Mapping[str, str], data: Dataset | None
    ) -> Self:
        """The entry of a study."""
        profile = None
        if data is not None:
            profile = {
                "train_rows": len(data.Y_train),
                "test_rows": len(data.Y_test),
                "features": data.n_features,
                "labels": data.n_labels,
            }
        return cls(identity, codec.settings_content(settings), dict(facts), profile)


@dataclass(frozen=True)
class Running(Entry):
    """The study runs until it has a number of trials."""

    trials: int | None


@dataclass(frozen=True)
class Begun(Entry):
    """A trial was started."""

    trial: int
    config: Mapping[str, Any]
    attempt: int


@dataclass(frozen=True)
class Loop(Entry):
    """A loop of a trial is done."""

    trial: int
    repeat: int
    loop: int
    metrics: Mapping[str, float]

    @classmethod
    def of(cls, number: int, repeat: int, report: LoopReport) -> Self:
        """The entry of a report."""
        return cls(number, repeat, report.loop, dict(report.metrics))


@dataclass(frozen=True)
class Trial(Entry):
    """A trial is finished, with the progress of the study."""

    trial: int
    record: codec.Content
    done: Mapping[str, int]
    best: float | None

    @classmethod
    def of(cls, record: TrialRecord, done: Mapping[str, int], best: float | None) -> Self:
        """The entry of a record."""
        return cls(record.number, codec.trial_content(record), dict(done), best)

    def record_for(self, objective: Objective) -> TrialRecord:
        """The record of the trial, for a study with this goal."""
        return codec.read_trial(self.record, objective)


@dataclass(frozen=True)
class Ended(Entry):
    """The study stops with unfinished trials, which a resumed study will finish."""

    reason: str
    killed: bool
    unfinished: Sequence[int]


@dataclass(frozen=True)
class Confirmed(Entry):
    """A configuration was tested with fresh seeds; the first is the confirmed best of the study."""

    trial: int
    objective: str
    metrics: BySeed
    first: bool = False
    config: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, confirmation: Confirmation, first: bool = False) -> Self:
        """The entry of a confirmation."""
        metrics = codec.by_seed(confirmation)
        return cls(confirmation.trial, confirmation.metric, metrics, first, confirmation.config)


@dataclass(frozen=True)
class Ranked(Entry):
    """A configuration was evaluated again on held-out rows with fresh seeds."""

    trial: int
    holdout: str | None
    objective: str
    metrics: BySeed

    @classmethod
    def of(cls, confirmation: Confirmation) -> Self:
        """The entry of a confirmation."""
        held = confirmation.held
        return cls(confirmation.trial, confirmation.holdout, held.metric, codec.by_seed(held))


@dataclass(frozen=True)
class Compared(Entry):
    """The baselines on the same rows, and the caveats."""

    losses: Mapping[str, Mapping[str, float]]
    caveats: Sequence[str]

    @classmethod
    def of(cls, context: Context, caveats: Sequence[str]) -> Self:
        """The entry of a context."""
        parts = {"tuning": context.tuning, "test": context.test}
        losses = {part: {each.name: each.loss for each in found} for part, found in parts.items()}
        return cls(losses, list(caveats))


@dataclass(frozen=True)
class File(Entry):
    """A file in the folder of the spool is an artifact of a trial, or of the study."""

    trial: int | None
    name: str
    folder: str | None = None


@dataclass(frozen=True)
class Booster(Entry):
    """The booster of a trial is to be trained on all training rows and kept.

    `dataset` is where the rows are now, and `folder` the one in which this name is valid.
    """

    trial: int
    config: Mapping[str, Any]
    seed: int
    dataset: str
    folder: str


@dataclass(frozen=True)
class Model(Entry):
    """A saved algorithm in the folder of the spool is to become an MLflow model.

    Which algorithm it is was not in the spools of earlier versions, nor were its seed and the loss
    of what it shows on the test rows.
    """

    trial: int
    name: str
    labels: Sequence[str]
    example: Example
    algorithm: str | None = None
    seed: int | None = None
    loss: float | None = None


@dataclass(frozen=True)
class Unreadable(Entry):
    """A line that is no entry of ours, such as one of a later version, and why it is none."""

    line: Any
    reason: str


KINDS: dict[str, type[Entry]] = {
    "study": Study,
    "running": Running,
    "begin": Begun,
    "loop": Loop,
    "trial": Trial,
    "end": Ended,
    "confirmed": Confirmed,
    "ranked": Ranked,
    "compared": Compared,
    "file": File,
    "booster": Booster,
    "model": Model,
}
"""What entries are called in a spool."""

_NAMES = {kind: name for name, kind in KINDS.items()}

_UPGRADES: dict[type[Entry], Callable[[Mapping[str, Any]], codec.Content]] = {
    Loop: codec.read_report,
    Confirmed: codec.read_seeds,
    Ranked: codec.read_seeds,
}
"""The entries whose lines carry the number of their form, and what reads those."""


def content(entry: Entry) -> Any:
    """An entry as JSON can hold it."""
    if isinstance(entry, Unreadable):
        return entry.line
    kind = type(entry)
    # Not `asdict`, which would copy every report of every loop.
    values = {each.name: getattr(entry, each.name) for each in fields(entry)}
    return {"kind": _NAMES[kind], **(codec.stamped(values) if kind in _UPGRADES else values)}


def read(line: Any) -> Entry:
    """The inverse."""
    try:
        kind = KINDS[line["kind"]]
        upgraded = _UPGRADES.get(kind, dict)(line)
        known = {each.name for each in fields(kind)}
        return kind(**{name: value for name, value in upgraded.items() if name in known})
    except (KeyError, TypeError, ValueError) as error:
        return Unreadable(line, f"{type(error).__name__}: {error}")
