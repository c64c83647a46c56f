"""A model that is served: it shows rankings, learns from feedback, and loses nothing of it."""

import io
import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from filelock import FileLock, Timeout

from booster.feedback import TopFeedback
from booster.logs import Offer
from booster.tables import GAUSSIAN
from topk_tune.data.rows import FeatureRows
from topk_tune.serving.durable import durable
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.journal import Journal
from topk_tune.serving.log import write_part
from topk_tune.serving.open_rankings import MOST, OpenRankings
from topk_tune.serving.recovery import recover
from topk_tune.serving.refusals import RefusedError
from topk_tune.serving.rounds import feedback_line, learn, offer_line

logger = logging.getLogger("topk_tune.serving")

SNAPSHOT_ROUNDS = 10_000
"""Rounds until the booster is saved again: a restart learns at most so many again."""

JOURNAL_BYTES = 2**26
"""What may be added to a journal before another begins: there may be more rankings than feedback.
"""


@dataclass(frozen=True)
class Limits:
    """When a model is saved, and how much it keeps.

    Parameters
    ----------
    snapshot_rounds, journal_bytes
        The booster is saved and a new journal begins after so many rounds, or bytes.
    most_open
        The largest number of rankings that wait for feedback.
    """

    snapshot_rounds: int = SNAPSHOT_ROUNDS
    journal_bytes: int = JOURNAL_BYTES
    most_open: int = MOST


DEFAULT = Limits()


class NewModel(NamedTuple):
    """A model that was not served yet."""

    ranker: TopFeedback
    labels: Sequence[str]


class Taken(NamedTuple):
    """Feedback that was accepted, and will be learned when it is on the disk."""

    id: str
    line: bytes
    bits: Sequence[int]
    time: float


class ServedModel:
    """A model with its folder, which only one process can have open.

    What it knows after a restart is what was written and synced. All methods but `sync` are for
    one thread. `failed` is the error after which nothing more can be promised: it has to be opened
    again.

    Parameters
    ----------
    files
        Where it is kept.
    origin
        The digest of the file that it came from. A folder is for one model only.
    make
        Makes the model if the folder has none.
    limits
        When it is saved, and how much it keeps.
    """

    def __init__(
        self,
        files: ModelFiles,
        origin: str,
        make: Callable[[], NewModel],
        limits: Limits = DEFAULT,
    ) -> None:
        self.files = files
        self.origin = origin
        self.limits = limits
        files.folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(files.lock)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(
                f"{files.folder} is served by another process: stop it, or choose another --folder"
            ) from None
        try:
            self._open(origin, make)
        except BaseException:
            self._lock.release()
            raise
        self._later = ThreadPoolExecutor(1, thread_name_prefix="snapshots")
        self._saving: Future[None] | None = None
        self._written: list[Taken] = []
        self.failed: BaseException | None = None
        if len(files.journals()) > 1:  # the last process was killed while it saved
            self.save()

    def _open(self, origin: str, make: Callable[[], NewModel]) -> None:
        self.files.remove_partial()
        self.replayed = 0
        if self.files.journals():
            about = json.loads(self.files.about.read_text(encoding="utf-8"))
            if about["origin"] != origin:
                raise ValueError(
                    f"{self.files.folder} must be of the model to serve, but it has what another "
                    "one has learned: choose another --folder, or move this one away"
                )
            self.labels: Sequence[str] = about["labels"]
            self.ranker, self.rankings, self.replayed = recover(self.files, self.limits.most_open)
            self._journal = Journal(self.files.journal(self.files.journals()[-1]))
        else:
            self.ranker, self.labels = make()
            self.rankings = OpenRankings(self.limits.most_open)
            about = {"origin": origin, "labels": list(self.labels)}
            with durable(self.files.about) as file:
                file.write(json.dumps(about, indent=1).encode())
            self._save_booster(_content(self.ranker), self.ranker.rounds)
            self._journal = self._begin_journal()
        self._started = self.ranker.rounds - self.replayed, self._journal.size

    @property
    def k(self) -> int:
        """How many labels get feedback."""
        return self.ranker.k

    def show(self, row: FeatureRows) -> tuple[str, Offer]:
        """Return a ranking to show, and the id for its feedback."""
        offer = self.ranker.offer(row)
        id_ = secrets.token_urlsafe(12)
        line = offer_line(id_, row, offer)
        # Not synced: that comes with the next feedback. A killed process loses nothing of it.
        self._journal.write(line)
        self.rankings.add(id_, line)
        return id_, offer

    def take(self, id_: str, bits: Sequence[int]) -> Taken:
        """Accept feedback on an open ranking."""
        if len(bits) != self.k:
            raise RefusedError(422, f"there must be k = {self.k} bits, but got {len(bits)}")
        line = self.rankings.take(id_)
        if line is not None:
            return Taken(id_, line, bits, time.time())
        learned = self.rankings.learned(id_)
        if learned is not None:
            raise RefusedError(409, f"{id_!r} was learned as round {learned}", learned=learned)
        if self.rankings.is_taken(id_):
            raise RefusedError(409, f"{id_!r} is about to be learned")
        raise RefusedError(404, f"no open ranking has the id {id_!r}: it was dropped, or never was")

    def write(self, batch: Sequence[Taken]) -> None:
        """Write feedback to the journal; if that fails, its rankings are open again."""
        try:
            if self.failed is not None:
                raise OSError(f"an earlier write failed: {self.failed}")
            self._journal.write(b"".join(feedback_line(t.id, t.bits, t.time) for t in batch))
        except OSError:
            for taken in batch:
                self.rankings.give_back(taken.id)
            raise
        self._written += batch

    def sync(self) -> None:
        """Return when what was written is on the disk; another thread may wait for it."""
        try:
            self._journal.sync()
        except OSError as error:
            # What the disk has is not known, and a second attempt would not tell either.
            self.failed = error
            raise

    def learn_written(self) -> list[int]:
        """Learn the feedback that was written and synced; return the round of each."""
        try:
            learned = [self._learn(taken) for taken in self._written]
        except BaseException as error:  # the journal is ahead of the booster now
            self.failed = error
            raise
        self._written = []
        return learned

    def _learn(self, taken: Taken) -> int:
        learn(self.ranker, taken.line, taken.bits)
        self.rankings.use(taken.id, self.ranker.rounds)
        return self.ranker.rounds

    @property
    def is_due(self) -> bool:
        """Whether it is time to save the booster, and all that was written is learned."""
        rounds, size = self._started
        many = self.ranker.rounds - rounds >= self.limits.snapshot_rounds
        return not self._written and (
            many or self._journal.size - size >= self.limits.journal_bytes
        )

    def save(self) -> None:
        """Begin a new journal; the booster and the log are written by a thread meanwhile.

        Until the booster is on the disk, the journals before are what it is made from.
        """
        if self._saving is not None and not self._saving.done():
            return
        rounds = self.ranker.rounds
        self._started = rounds, self._journal.size
        try:
            # Without a round since it began, the new journal takes the place of the last one.
            self.sync()
            earlier, self._journal = self._journal, self._begin_journal()
        except OSError as error:
            logger.warning("a new journal could not begin after %s rounds: %s", rounds, error)
            if not self._journal.is_at(self.files.journal(self.files.journals()[-1])):
                self.failed = error  # it did begin, so the last one must not be written any more
            return
        earlier.close()
        self._started = rounds, self._journal.size
        self._saving = self._later.submit(self._finish_saving, _content(self.ranker), rounds)

    def close(self) -> None:
        """Learn what was written, save everything, and let others have the folder."""
        try:
            if self.failed is None:
                self.sync()
                self.learn_written()
                if self._saving is not None:
                    self._saving.result()
                self.save()
            self._later.shutdown(wait=True)
        finally:
            self._journal.close()
            self._lock.release()

    def _begin_journal(self) -> Journal:
        rounds = self.ranker.rounds
        path = self.files.journal(rounds)
        return Journal.begin(path, rounds, self.rankings.used, self.rankings.lines)

    def _finish_saving(self, content: bytes, rounds: int) -> None:
        """Write the booster; then convert and remove what it makes superfluous."""
        try:
            if rounds not in self.files.boosters():
                self._save_booster(content, rounds)
            for earlier in (n for n in self.files.journals() if n < rounds):
                journal = self.files.journal(earlier)
                sparse = self.ranker.observer != GAUSSIAN
                write_part(self.files.log, journal, self.ranker.n_features, self.labels, sparse)
                journal.unlink()
            for earlier in (n for n in self.files.boosters() if n < rounds):
                self.files.booster(earlier).unlink()
        except OSError as error:  # nothing is lost: the journals stay until it succeeds
            logger.warning("the booster could not be saved after %s rounds: %s", rounds, error)

    def _save_booster(self, content: bytes, rounds: int) -> None:
        with durable(self.files.booster(rounds)) as file:
            file.write(content)


def _content(ranker: TopFeedback) -> bytes:
    """The booster as its file will be."""
    buffer = io.BytesIO()
    ranker.save(buffer)
    return buffer.getvalue()
