"""Other drivers of the same study, seen through its database."""

from concurrent.futures import Future
from dataclasses import dataclass

from optuna.trial import FrozenTrial

from topk_tune.records.trials import FINISHED, TrialRecord
from topk_tune.storage import Store, StoreWriter

_EVERY = 2.0
"""Seconds between two queries of the database."""


@dataclass(frozen=True)
class News:
    """Changes since the last query.

    Parameters
    ----------
    finished
        Trials that other drivers have finished.
    abandoned
        Trials whose driver is gone.
    running
        How many trials other drivers are running.
    paused
        The trials that other drivers have paused.
    """

    finished: list[tuple[TrialRecord, FrozenTrial]]
    abandoned: list[TrialRecord]
    running: int
    paused: list[TrialRecord]


class OtherDrivers:
    """The other drivers of a study; a study in a folder has none.

    Parameters
    ----------
    store
        The storage of the study.
    writer
        The thread that may use it.
    """

    def __init__(self, store: Store, writer: StoreWriter) -> None:
        self._store = store
        self._writer = writer
        self._seen: set[int] = set()
        self._looked = float("-inf")
        self._look: Future[News] | None = None
        self.running = 0
        self.paused: list[TrialRecord] = []
        # Drivers with the same seed must not ask for the same configurations.
        self.salt = f"{store.driver}/" if store.shared else ""

    def mine(self, number: int) -> None:
        """Mark a trial as this driver's own or already known, so that it is not reported."""
        self._seen.add(number)

    def mine_when_known(self, given: "Future[int | None]") -> None:
        """Do the same for a trial as soon as its number is known."""
        if given.exception() is None and (number := given.result()) is not None:
            self.mine(number)

    def news(self, now: float) -> News | None:
        """Return what other drivers did, from time to time; None in between."""
        if not self._store.shared:
            return None
        if self._look is not None and self._look.done():
            news, self._look = self._look.result(), None
            self.running, self.paused = news.running, news.paused
            return news
        if self._look is None and now - self._looked >= _EVERY:
            self._looked = now
            self._look = self._writer.later(self._find)
        return None

    def _find(self) -> News:
        """Query the database, in the writer's thread, after this driver's pending writes."""
        self._store.alive()
        abandoned = set(self._store.abandoned())
        records = self._store.records()
        # Read after the records, so that trials finished there are also finished here.
        frozen = {trial.number: trial for trial in self._store.finished()}
        finished, waiting, paused, running = [], [], [], 0
        for record in records:
            if record.state in FINISHED:
                if record.number not in self._seen:
                    self._seen.add(record.number)
                    finished.append((record, frozen[record.number]))
            elif record.number in abandoned:
                waiting.append(record)
            elif record.number not in self._seen:
                running += record.state != "paused"
                paused += [record] if record.state == "paused" else []
        return News(finished, waiting, running, paused)
