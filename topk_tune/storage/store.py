"""A study in its storage: its settings and its trials."""

import json
import math
import os
import shutil
import socket
import time
import uuid
import weakref
from collections.abc import Container, Mapping
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import optuna
from filelock import FileLock, Timeout
from optuna.distributions import BaseDistribution
from optuna.exceptions import DuplicatedStudyError, UpdateFinishedTrialError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from booster.plugins import unknown
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import State, TrialRecord
from topk_tune.storage.journal import BatchedJournal, check_note, has_note, mend
from topk_tune.storage.location import Location
from topk_tune.storage.quiet_optuna import unannounced
from topk_tune.training.objective import Objective

_STATES: dict[TrialState, State] = {
    TrialState.WAITING: "waiting",
    TrialState.RUNNING: "running",
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
}

_SETTINGS = "settings"
_PAUSED = "paused"
_CONFIG = "config"
DRIVER = "driver:"
"""What the notes with the heartbeats of drivers begin with."""

_SILENT_AFTER = 120.0
"""Seconds without a heartbeat after which a driver counts as dead."""


class StudyBusyError(ValueError):
    """Another process drives the study."""


class Store:
    """A study in its storage.

    Parameters
    ----------
    location
        Where the study is stored.
    name
        The study's name.
    """

    def __init__(self, location: Location, name: str) -> None:
        self.location = location
        self.name = name
        self._driver = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._ids: dict[int, int] = {}
        self._beginning: str | None = None
        self._trial_count: int | None = None
        self._lock: FileLock | None = None
        self._storage, self._journal = _open(location, name)

    @classmethod
    def create(cls, location: Location, settings: StudySettings) -> "Store":
        """Create a study, which must not exist yet."""
        name = settings.name
        check_new(location, name)
        folder, new = location.folder(name), True
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            new = False
        try:
            return cls._make(location, settings)
        except BaseException:
            if new:
                shutil.rmtree(folder, ignore_errors=True)
            raise

    @classmethod
    def _make(cls, location: Location, settings: StudySettings) -> "Store":
        store, name = cls(location, settings.name), settings.name
        store.drive()
        directions = [StudyDirection[name.upper()] for name in settings.directions]
        try:
            with unannounced():
                study = store._storage.create_new_study(directions, name)
        except DuplicatedStudyError:
            if store.shared:
                message = f"study {name!r} was just created by another process"
                raise StudyBusyError(message) from None
            # Left incomplete by a process that was killed: we hold the lock, so none is running.
            store._storage.delete_study(store._study_id)
            with unannounced():
                study = store._storage.create_new_study(directions, name)
        store._storage.set_study_user_attr(study, _SETTINGS, _text(settings))
        if store._journal is not None:
            check_note(location.journal(name), _SETTINGS)
        store.alive()
        return store

    @classmethod
    def open(cls, location: Location, name: str) -> "Store":
        """Open an existing study."""
        if not exists(location, name):
            raise ValueError(_unknown(location, name))
        return cls(location, name)

    def drive(self) -> None:
        """Become a driver of the study: the only one, unless it is in a database."""
        if self._journal is None:
            self._refuse_company()
            self.alive()
            return
        lock = FileLock(self.location.folder(self.name) / "driver.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise StudyBusyError(
                f"study {self.name!r} is driven by another process; wait for it, or use a database "
                "(--storage URL) for several drivers"
            ) from None
        self._lock = lock
        mend(self.location.journal(self.name))

    def alive(self) -> None:
        """Record a heartbeat for other drivers of the study."""
        if self._journal is None and self._known():
            self.note(DRIVER + self._driver, time.time())

    def close(self) -> None:
        """Let another process drive the study."""
        if self._lock is not None:
            self._lock.release()
        elif self.shared and self._known():
            self.note(DRIVER + self._driver, 0.0)

    def _refuse_company(self) -> None:
        """Refuse a second driver of a deterministic study: the trials would differ."""
        if not self._known():
            return
        notes = self.notes()
        if _SETTINGS not in notes or not self.settings.deterministic:
            return
        signs = [notes[key] for key in notes if key.startswith(DRIVER)]
        if any(time.time() - sign < _SILENT_AFTER for sign in signs):
            raise StudyBusyError(
                f"study {self.name!r} is deterministic and can have one driver only, but another "
                "was active in the last two minutes"
            )

    @property
    def settings(self) -> StudySettings:
        """The settings of the study."""
        return codec.read_settings(json.loads(self.notes()[_SETTINGS]), f"study {self.name!r}")

    def replace_settings(self, settings: StudySettings) -> None:
        """Replace the settings."""
        self.note(_SETTINGS, _text(settings))

    def note(self, key: str, value: Any) -> None:
        """Store a fact about the whole study."""
        self._storage.set_study_user_attr(self._study_id, key, value)

    def notes(self) -> dict[str, Any]:
        """All facts about the study."""
        return dict(self._storage.get_study_user_attrs(self._study_id))

    def begin(
        self,
        config: Mapping[str, Any],
        params: Mapping[str, Any],
        distributions: Mapping[str, BaseDistribution],
        limit: int | None = None,
    ) -> int | None:
        """Record a new trial and return its number; None if the limit of trials is reached.

        If another driver reached the limit at the same moment, the trial waits until the limit is
        raised.
        """
        text = json.dumps(config)
        most = math.inf if limit is None else limit
        number = self._half_begun(text) if self._beginning == text else None
        if number is None:
            if self._count() >= most:
                return None
            self._beginning = text
            template = optuna.trial.create_trial(
                state=TrialState.RUNNING,
                params=dict(params),
                distributions=dict(distributions),
                user_attrs={_CONFIG: text, "driver": self._driver},
            )
            trial_id = self._storage.create_new_trial(self._study_id, template)
            number = self._storage.get_trial(trial_id).number
            self._ids[number] = trial_id
            self._trial_count = number + 1
        if number >= most:
            self.give_back(number)
        self._beginning = None
        return number if number < most else None

    def _count(self) -> int:
        """The number of trials. To count them takes longer than to add one."""
        if self.shared or self._trial_count is None:
            self._trial_count = self._storage.get_n_trials(self._study_id)
        return self._trial_count

    def _half_begun(self, config: str) -> int | None:
        """The trial that a failed attempt to begin one has left, if any."""
        attributes = {_CONFIG: config, "driver": self._driver}
        for trial in self._trials():
            if trial.user_attrs == attributes and trial.number not in self._ids:
                return trial.number
        return None

    def claim(self, number: int) -> bool:
        """Take a waiting trial; False if another driver was faster."""
        trial_id = self._id(number)
        try:
            if not self._storage.set_trial_state_values(trial_id, TrialState.RUNNING):
                return False
        except UpdateFinishedTrialError:
            return False
        self._storage.set_trial_user_attr(trial_id, "driver", self._driver)
        if self._storage.get_trial(trial_id).user_attrs.get(_PAUSED):
            self._storage.set_trial_user_attr(trial_id, _PAUSED, False)
        return True

    def reconfigure(self, number: int, config: Mapping[str, Any]) -> None:
        """Replace the configuration of an unfinished trial."""
        self._storage.set_trial_user_attr(self._id(number), _CONFIG, json.dumps(config))

    def give_back(self, number: int) -> None:
        """Return an unfinished trial to the waiting ones, for the next driver."""
        try:
            self._storage.set_trial_state_values(self._id(number), TrialState.WAITING)
        except UpdateFinishedTrialError:
            return

    def pause(self, record: TrialRecord) -> None:
        """Store a trial that may go on: it waits, with its reports, until a driver claims it."""
        trial_id, storage = self._id(record.number), self._storage
        with self._journal.together() if self._journal else nullcontext():
            for key, value in {**_attributes(record), _PAUSED: True}.items():
                storage.set_trial_user_attr(trial_id, key, value)
            storage.set_trial_state_values(trial_id, TrialState.WAITING)

    def finish(self, record: TrialRecord, frozen: FrozenTrial) -> None:
        """Store a finished trial. A trial that is stored already is not changed."""
        trial_id, storage = self._id(record.number), self._storage
        # A journal accepts such operations, and refuses them only when it is read.
        if storage.get_trial(trial_id).state.is_finished():
            return
        try:
            with self._journal.together() if self._journal else nullcontext():
                for key, value in _attributes(record).items():
                    storage.set_trial_user_attr(trial_id, key, value)
                for key, value in frozen.system_attrs.items():
                    storage.set_trial_system_attr(trial_id, key, value)
                for step, value in frozen.intermediate_values.items():
                    storage.set_trial_intermediate_value(trial_id, step, value)
                storage.set_trial_state_values(trial_id, frozen.state, frozen.values)
        except UpdateFinishedTrialError:
            return

    def abandoned(self) -> list[int]:
        """Trials that no driver runs: returned ones, and those of dead drivers. They wait now."""
        notes, numbers = self.notes(), []
        for trial in self._trials():
            if trial.state == TrialState.RUNNING and not self._driven(trial, notes):
                self.give_back(trial.number)
                numbers.append(trial.number)
            elif trial.state == TrialState.WAITING and not (
                trial.user_attrs.get(_PAUSED) and self._driven(trial, notes)
            ):
                numbers.append(trial.number)
        return numbers

    @property
    def shared(self) -> bool:
        """Whether other drivers may work on the study at the same time."""
        return self._journal is None

    @property
    def driver(self) -> str:
        """The name of this process among the drivers of a study."""
        return self._driver

    def records(self, known: Container[int] = ()) -> list[TrialRecord]:
        """All trials by number, without those of known numbers."""
        what = f"study {self.name!r}"
        trials = (trial for trial in self._trials() if trial.number not in known)
        return [_record(trial, self._objective, what) for trial in trials]

    @cached_property
    def _objective(self) -> Objective:
        """The goal of the study, which never changes."""
        return self.settings.goal

    def finished(self) -> list[FrozenTrial]:
        """All finished trials of Optuna, by number."""
        return [trial for trial in self._trials() if trial.state.is_finished()]

    def _trials(self) -> list[FrozenTrial]:
        return self._storage.get_all_trials(self._study_id, deepcopy=False)

    def _driven(self, trial: FrozenTrial, notes: Mapping[str, Any]) -> bool:
        """Whether a live driver runs the trial, by its last heartbeat."""
        driver = trial.user_attrs.get("driver")
        if driver == self._driver:
            return True
        if self._journal is not None:
            return False
        return bool(time.time() - notes.get(f"{DRIVER}{driver}", 0.0) < _SILENT_AFTER)

    def _known(self) -> bool:
        try:
            return self._study_id >= 0
        except KeyError:
            return False

    @property
    def _study_id(self) -> int:
        return self._storage.get_study_id_from_name(self.name)

    def _id(self, number: int) -> int:
        if number not in self._ids:
            self._ids[number] = self._storage.get_trial_id_from_study_id_trial_number(
                self._study_id, number
            )
        return self._ids[number]


def exists(location: Location, name: str) -> bool:
    """Whether a study of this name exists."""
    return name in names(location, name)


def check_new(location: Location, name: str) -> None:
    """Raise a ValueError if a study of this name exists."""
    if exists(location, name):
        raise ValueError(
            f"study {name!r} already exists in {location.printable}: continue it with "
            f"`topk-tune resume {name}{location.option}`, or choose another name"
        )


def names(location: Location, among: str | None = None) -> list[str]:
    """The studies at a location, sorted; only those in `among` if it is given."""
    if location.url is not None:
        storage, _ = _open(location, "")
        studies = storage.get_all_studies()
        return sorted(s.study_name for s in studies if _SETTINGS in s.user_attrs)
    if among is not None:
        return [among] if _is_made(location.journal(among)) else []
    return sorted(p.parent.name for p in location.root.glob("*/journal.log") if _is_made(p))


def recent(location: Location, most: int) -> list[str]:
    """The studies that changed last; in a database those that were created last."""
    if location.url is not None:
        studies = _open(location, "")[0].get_all_studies()
        return [s.study_name for s in studies if _SETTINGS in s.user_attrs][-most:]
    found = names(location)
    return sorted(found, key=lambda name: location.journal(name).stat().st_mtime)[-most:]


def _is_made(journal: Path) -> bool:
    """Whether there is a study: a process that is killed while it makes one leaves no settings."""
    return has_note(journal, _SETTINGS)


def _unknown(location: Location, name: str) -> str:
    return f"in {location.printable}: {unknown('study', name, names(location))}"


def _open(location: Location, name: str) -> tuple[BaseStorage, BatchedJournal | None]:
    if location.url is None:
        journal = BatchedJournal(location.journal(name))
        return JournalStorage(journal), journal
    from sqlalchemy.exc import SQLAlchemyError

    waits = {"timeout": 30} if location.url.startswith("sqlite") else {}
    try:
        storage = RDBStorage(location.url, engine_kwargs={"connect_args": waits})
    except ImportError:
        raise ValueError(
            f"the driver for {location.printable} is not installed: "
            "pip install 'topk-tune[postgres]' or 'topk-tune[mysql]'"
        ) from None
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise OSError(f"cannot open the database {location.printable}: {reason}") from None
    weakref.finalize(storage, storage.engine.dispose)  # nobody else closes its connections
    return optuna.storages.get_storage(storage), None  # caches finished trials in memory


def _attributes(record: TrialRecord) -> dict[str, Any]:
    """The attributes of a trial that Optuna has no field for."""
    return {
        "runs": codec.runs_text(record.runs),
        "error": record.error,
        "reused": record.reused,
        "attempts": record.attempts,
        "host": record.host,
        "best_loop": record.best_loop,
        "spread": record.spread,
    }


def _text(settings: StudySettings) -> str:
    return json.dumps(codec.settings_content(settings))


def _record(trial: FrozenTrial, objective: Objective, what: str) -> TrialRecord:
    attributes = trial.user_attrs
    paused = trial.state == TrialState.WAITING and attributes.get(_PAUSED)
    return TrialRecord(
        number=trial.number,
        state="paused" if paused else _STATES[trial.state],
        config=json.loads(attributes.get(_CONFIG, "{}")),
        runs=codec.read_runs(attributes.get("runs", "[]"), f"trial {trial.number} of {what}"),
        params=trial.params,
        error=attributes.get("error"),
        reused=attributes.get("reused", 0),
        attempts=attributes.get("attempts", 1),
        host=attributes.get("host"),
        started=trial.datetime_start,
        ended=trial.datetime_complete,
        objective=objective,
    )
