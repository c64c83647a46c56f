"""An observer that records a study for MLflow by appending to a file."""

from __future__ import annotations

import logging
import math
import os
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from booster.protocol import Trainable
from topk_tune.backends.resources import JOB
from topk_tune.data import Dataset
from topk_tune.engine import events
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.provenance.facts import facts
from topk_tune.records.trials import FINISHED, Confirmation, TrialRecord, ranked
from topk_tune.study.context import Context
from topk_tune.study.kept_model import KeptModel
from topk_tune.study.study import Study
from topk_tune.tracking import entries, spool
from topk_tune.tracking.config import TrackingConfig, read_config
from topk_tune.tracking.examples import example_of
from topk_tune.tracking.process import ALL_SENT, BUSY, WriterProcess, is_sending

logger = logging.getLogger("topk_tune.tracking")

FOLDER = "tracking"

_IDENTITY = "tracking:id"
_MOST_STARTS = 3
"""How often the sending process is started; afterwards `topk-tune sync` can send the rest."""
_EXAMPLES = 3
"""The number of example rows in a model."""


class Tracker:
    """Tracks a study in MLflow: a context manager around its run, with the observer `observe`.

    Tracking problems never raise an error: records that cannot be sent stay in the spool, and the
    next run of the study or `topk-tune sync` sends them.

    Parameters
    ----------
    study
        The study.
    config
        The tracking configuration.
    data
        The data set, whose sizes are logged.

    Attributes
    ----------
    patience
        The most seconds to wait at the end until everything is sent.
    progress
        Called with the number of records that are left, while it waits.
    """

    def __init__(self, study: Study, config: TrackingConfig, data: Dataset | None = None) -> None:
        self._study = study
        self._config = config
        self._data = data
        self.folder = folder_of(study)
        self._spool = spool.Spool(self.folder / spool.NAME)
        self._writer: WriterProcess | None = None
        self._starts = 0
        self._known: set[int] = set()
        self._open: set[int] = set()
        self._done: Counter[str] = Counter()
        self._best: TrialRecord | None = None
        self._warned = False
        self.patience = math.inf
        self.progress: Callable[[int], None] = lambda left: None

    def __enter__(self) -> Tracker:
        settings = self._study.settings
        for line in spool.read(self.folder / spool.NAME):
            if isinstance(line.entry, entries.Trial):
                self._count(line.entry.record_for(settings.goal))
        self._spool.append(entries.Study.of(_identity(self._study), settings, facts(), self._data))
        # Trials of a study that was not tracked before, or was killed before it recorded them.
        for record in self._study.records():
            if record.state in FINISHED and record.number not in self._known:
                self._trial(record)
        if is_sending(self.folder):
            logger.info("tracking: a process of an earlier run still sends its records")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish()

    def observe(self, notice: events.Notice) -> None:
        """Record a notice of the study."""
        try:
            self._observe(notice)
        except Exception as error:  # no tracking problem may stop the trials
            if not self._warned:
                self._warned = True
                logger.warning("tracking: a record was skipped (%s: %s)", type(error), error)

    def _observe(self, notice: events.Notice) -> None:
        match notice:
            case events.StudyStarted(_, trials, _):
                self._spool.append(entries.Running(trials))
            case events.TrialStarted(number, config, attempt):
                self._open.add(number)
                self._spool.append(entries.Begun(number, dict(config), attempt))
            case events.LoopDone(number, repeat, report):
                if self._config.log.loops:
                    self._spool.append(entries.Loop.of(number, repeat, report))
                self._keep_sending()  # not before: importing MLflow would delay the first trials
            case events.TrialEnded(record):
                self._trial(record)
                self._keep_sending()
            case events.StudyEnded(reason):
                unfinished = sorted(self._open)
                self._spool.append(entries.Ended(reason, reason == INTERRUPTED, unfinished))

    def confirmed(
        self,
        confirmations: Sequence[Confirmation],
        kept: KeptModel | None = None,
        data: Dataset | None = None,
    ) -> None:
        """Log the results on held-out rows and test rows.

        `kept` is the booster of the first configuration, trained on all training rows.
        """
        for one in confirmations:
            if one.held:
                self._spool.append(entries.Ranked.of(one))
            if one.runs:
                self._spool.append(entries.Confirmed.of(one, first=one is confirmations[0]))
        if kept is None or not confirmations:
            return
        best = confirmations[0].trial
        with _left_out("the confirmed booster"):
            name = self._save(best, "confirmed", kept.model)
            if self._config.log.boosters:
                self._spool.append(entries.File(best, name))
            if self._config.log.model:
                data = data or self._study.data()
                example = example_of(data.X_train, _EXAMPLES)
                algorithm = confirmations[0].config["algorithm"]
                labels = list(data.label_names)
                self._spool.append(
                    entries.Model(best, name, labels, example, algorithm, kept.seed, kept.loss)
                )

    def compared(self, context: Context, caveats: Sequence[str]) -> None:
        """Log the baselines and the caveats."""
        self._spool.append(entries.Compared.of(context, caveats))

    def keep_booster(self, number: int, config: Mapping[str, Any], seed: int) -> None:
        """Have the booster of a trial trained and kept by the process that sends."""
        if self._config.log.boosters:
            data = self._study.data_place()
            self._spool.append(entries.Booster(number, dict(config), seed, data, os.getcwd()))

    def add_file(self, path: Path, trial: int | None = None, folder: str | None = None) -> None:
        """Add the current content of a file to the run of a trial, or of the study."""
        name = Path("files", uuid.uuid4().hex, path.name)
        with _left_out(path.name):
            (self.folder / name).parent.mkdir(parents=True)
            shutil.copyfile(path, self.folder / name)
            self._spool.append(entries.File(trial, str(name), folder))

    def finish(self) -> None:
        """Wait a moment until everything is sent; the process goes on with the rest."""
        if not self._spool.flush():
            logger.warning("tracking: the disk is full; the last records are not in MLflow")
        self._spool.close()
        self._keep_sending()
        if self._writer is None:
            return
        # Ray may end what a job has started, together with the job.
        wait = math.inf if JOB in os.environ else self._config.wait_seconds
        writer, wait = self._writer, min(wait, self.patience)
        code = writer.finish(wait, self.progress)
        self._writer = None
        where = f"{self._study.settings.name}{self._study.store.location.option}"
        if code is None:
            logger.info(
                "tracking: process %d sends the last %d records to MLflow and ends by itself; "
                "`topk-tune status %s` shows how many are left, `topk-tune sync %s` waits for it",
                writer.pid,
                writer.left,
                where,
                where,
            )
        elif code == ALL_SENT:
            logger.info("tracking: everything is in MLflow")
        elif code != BUSY:
            logger.warning(
                "tracking: %d records are not in MLflow yet; `topk-tune sync %s` sends them",
                writer.left,
                where,
            )

    def _save(self, number: int, kind: str, model: Trainable) -> str:
        name = f"{kind}-{number}.npz"
        self.folder.mkdir(parents=True, exist_ok=True)
        model.save(self.folder / name)
        return name

    def _trial(self, record: TrialRecord) -> None:
        self._count(record)
        best = None if self._best is None else self._best.value
        self._spool.append(entries.Trial.of(record, self._done, best))

    def _count(self, record: TrialRecord) -> None:
        self._known.add(record.number)
        self._open.discard(record.number)
        self._done[record.state] += 1
        self._best = next(iter(ranked([*filter(None, [self._best]), record])), None)

    def _keep_sending(self) -> None:
        """Start the sending process, again if it was killed."""
        if (self._writer is not None and self._writer.alive) or self._starts == _MOST_STARTS:
            return
        self._starts += 1
        try:
            self._writer = WriterProcess(self.folder, self._config)
        except OSError as error:
            logger.warning("tracking: cannot start the sending process (%s)", error)


def open_tracker(
    study: Study, config: TrackingConfig | None = None, data: Dataset | None = None
) -> Tracker:
    """The tracker of a study, by default configured by `mlflow.yaml` in the current folder."""
    return Tracker(study, config or read_config(), data)


def folder_of(study: Study) -> Path:
    """The folder of a study's tracking files."""
    return study.store.location.folder(study.settings.name) / FOLDER


@contextmanager
def _left_out(what: str) -> Iterator[None]:
    """Skip a file if the disk is full."""
    try:
        yield
    except OSError as error:
        logger.warning("tracking: %s was skipped (%s)", what, error)


def _identity(study: Study) -> str:
    """The unique id of a study, stored with it so that all drivers use the same."""
    notes = study.store.notes()
    if _IDENTITY not in notes:
        study.store.note(_IDENTITY, uuid.uuid4().hex)
        notes = study.store.notes()
    return str(notes[_IDENTITY])
