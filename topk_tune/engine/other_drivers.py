"""Other drivers of the same study, met through its database."""

from concurrent.futures import Future
from dataclasses import dataclass

from optuna.trial import FrozenTrial

from topk_tune.records.trials import FINISHED, TrialRecord
from topk_tune.storage import Store, StoreWriter

_EVERY = 2.0
"""Seconds between two looks at the database."""


@dataclass(frozen=True)
class News:
    """What happened since the last look.

    Parameters
    ----------
    finished
        Trials that others have finished.
    abandoned
        Trials that nobody works on any more.
    running
        How many trials others work on.
    """

    finished: list[tuple[TrialRecord, FrozenTrial]]
    abandoned: list[TrialRecord]
    running: int


class OtherDrivers:
    """The other drivers of a study; in a folder there are none.

    Parameters
    ----------
    store
        The study.
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
        # Drivers that share a seed must not ask for the same configurations.
        self.salt = f"{store.driver}/" if store.shared else ""

    def mine(self, number: int) -> None:
        """A trial is this driver's, or known to it: it is no news."""
        self._seen.add(number)

    def mine_when_known(self, given: "Future[int | None]") -> None:
        """The same for a trial whose number is known now."""
        if given.exception() is None and (number := given.result()) is not None:
            self.mine(number)

    def news(self, now: float) -> News | None:
        """What others did, now and then; None most of the time."""
        if not self._store.shared:
            return None
        if self._look is not None and self._look.done():
            news, self._look = self._look.result(), None
            self.running = news.running
            return news
        if self._look is None and now - self._looked >= _EVERY:
            self._looked = now
            self._look = self._writer.later(self._find)
        return None

    def _find(self) -> News:
        """Runs in the writer's thread, after all that this driver has begun and finished."""
        self._store.alive()
        abandoned = set(self._store.abandoned())
        records = self._store.records()
        # Read after the records: what is finished there is then finished here.
        frozen = {trial.number: trial for trial in self._store.finished()}
        finished, waiting, running = [], [], 0
        for record in records:
            if record.state in FINISHED:
                if record.number not in self._seen:
                    self._seen.add(record.number)
                    finished.append((record, frozen[record.number]))
            elif record.number in abandoned:
                waiting.append(record)
            elif record.number not in self._seen:
                running += 1
        return News(finished, waiting, running)
