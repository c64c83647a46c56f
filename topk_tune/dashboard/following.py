"""Follows one study in its storage, and tells what has changed since a given moment."""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any

from topk_tune.charts.importances import shares
from topk_tune.records.trials import FINISHED, TrialRecord
from topk_tune.report.content import Content
from topk_tune.report.payload import study_facts, trial_row
from topk_tune.storage import Location
from topk_tune.storage.store import DRIVER
from topk_tune.study.confirm import confirmations
from topk_tune.study.context import kept
from topk_tune.study.study import Study

PAUSE = 1.0
"""The least time in seconds between two looks at the storage, for any number of readers."""

_GROWTH = 1.1
"""How many times more trials make new importances, which take longer than all the rest."""


class Follower:
    """Follows a study; finished trials are read once.

    A moment is a text that the reader gives back to get what is new since. After another follower
    has taken over, for example that of a restarted server, its moments mean nothing: then
    everything is new.

    Parameters
    ----------
    location, name
        The study.
    pause
        The least time in seconds between two looks at the storage.
    """

    def __init__(self, location: Location, name: str, pause: float = PAUSE) -> None:
        self._study = Study.open(location, name)
        self._pause = pause
        self._lock = threading.Lock()
        self._looked = -pause
        self._id = secrets.token_hex(4)
        self._version = 0
        self._records: dict[int, TrialRecord] = {}
        self._finished: set[int] = set()
        self._rows: dict[int, tuple[int, list[Any]]] = {}
        self._notes: dict[str, Any] = {}
        self._facts: tuple[int, dict[str, Any]] = (0, {})
        self._importances: dict[str, float] = {}
        self._weighed = 0

    def since(self, moment: str) -> dict[str, Any]:
        """Return what is new since a moment, and the present one."""
        with self._lock:
            self._look()
            mine, _, version = moment.partition(":")
            known = mine == self._id and version.isdecimal()
            seen = int(version) if known else 0
            changed, facts = self._facts
            return {
                "moment": f"{self._id}:{self._version}",
                "all": not known,
                "facts": facts if changed > seen else None,
                "trials": [row for version, row in self._rows.values() if version > seen],
            }

    def _look(self) -> None:
        """Read what the storage has that is not known yet."""
        if time.monotonic() - self._looked < self._pause:
            return
        changed = [self._take(r) for r in self._study.store.records(known=self._finished)]
        notes = {k: v for k, v in self._study.store.notes().items() if not k.startswith(DRIVER)}
        if any(changed) or notes != self._notes or not self._version:
            self._notes = notes
            self._version += 1
            self._facts = (self._version, study_facts(self._content()))
        self._looked = time.monotonic()

    def _take(self, record: TrialRecord) -> bool:
        """Keep a trial; returns whether it is new or has changed."""
        number, row = record.number, trial_row(record)
        if record.state in FINISHED:
            self._finished.add(number)
        if number in self._rows and self._rows[number][1] == row:
            return False
        self._records[number] = record
        self._rows[number] = (self._version + 1, row)
        return True

    def _content(self) -> Content:
        study = Study(self._study.store, self._study.store.settings)
        records = [self._records[number] for number in sorted(self._records)]
        if len(self._finished) >= self._weighed * _GROWTH:
            self._weighed = len(self._finished)
            self._importances = shares(study.settings, records)
        return Content(
            settings=study.settings,
            records=records,
            confirmed=confirmations(study),
            importances=self._importances,
            budget=study.budget.get("trials"),
            context=kept(study),
            ended=study.ended,
        )
