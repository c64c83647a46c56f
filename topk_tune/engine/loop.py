"""The study's loop: ask, run, report, prune, tell, stop."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from optuna.trial import FrozenTrial, Trial

from topk_tune.backends.base import Backend, Event, Failed, Finished, Kept, Lost, Reported
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.events import (
    LoopDone,
    Notice,
    Observer,
    StudyEnded,
    StudyStarted,
    TrialEnded,
    TrialPaused,
    TrialStarted,
    WorkersSeen,
)
from topk_tune.engine.other_drivers import OtherDrivers
from topk_tune.engine.paused_trials import PausedTrials
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.running_trial import RunningTrial, beginning, known_trainings
from topk_tune.engine.stopping import StopOptions
from topk_tune.engine.waiting import Lookout
from topk_tune.records.settings import BATCH, StudySettings
from topk_tune.records.trials import FINISHED, State, TrialRecord
from topk_tune.storage import Store, StoreWriter
from topk_tune.training.metrics import metric
from topk_tune.training.trial import TrialRows

INTERRUPTED = "interrupted"

_PER_CHOICE = 8
"""With N workers, N / 8 configurations are chosen together: the choice of each lags as far behind
the results as with one at a time and a few more workers."""

_TICK = 0.25
"""Seconds between two checks of the clock while nothing happens."""
_SOON = 0.005
"""Seconds between two checks of the storage when a worker waits for it."""


class Tuner:
    """Runs a study on a backend until a limit is reached.

    Parameters
    ----------
    settings, proposer, store, backend
        The study, its search, its storage and its workers.
    stop
        When to stop.
    resources
        The time limit and the retries of a trial.
    observers
        Receive all events.
    clock
        Returns the time in seconds; simulations have their own.
    elapsed
        Returns the seconds of the run that count for its time limit; by default since `run`.
    """

    def __init__(
        self,
        settings: StudySettings,
        proposer: Proposer,
        store: Store,
        backend: Backend,
        stop: StopOptions,
        resources: ResourceOptions | None = None,
        observers: Sequence[Observer] = (),
        clock: Callable[[], float] = time.monotonic,
        elapsed: Callable[[], float] | None = None,
    ) -> None:
        self._settings = settings
        self._goal = settings.goal
        self._proposer = proposer
        self._store = store
        self._backend = backend
        self._stop = stop
        self._resources = resources or ResourceOptions()
        self._observers = list(observers)
        self._clock = clock
        self._elapsed = elapsed or (lambda: clock() - self._began)
        self._seeds = tuple(range(settings.seed, settings.seed + settings.seeds))
        self._lookout = Lookout(backend, self._notify, clock)
        self._writer = StoreWriter()
        self._others = OtherDrivers(store, self._writer)
        self._queue: deque[RunningTrial] = deque()
        self._running: dict[int, RunningTrial] = {}
        self._paused = PausedTrials(backend.drop)
        self._batch: list[RunningTrial] = []
        self._written: deque[tuple[Future[None], TrialRecord]] = deque()
        self._finished: list[TrialRecord] = []
        self._earlier: set[int] = set()
        self._ended: list[TrialRecord] = []  # finished or paused
        self._asked = 0
        self._exhausted = False

    def start(self, rows: TrialRows) -> None:
        """Start the workers, which may take a while, and report it."""
        self._lookout.look()
        self._backend.start(rows)

    def run(self) -> str:
        """Run the study; return the reason why it ended."""
        self._recall()
        self._began = self._clock()
        earlier = [*self._finished, *(u.outcome for u in self._batch if u.outcome is not None)]
        self._earlier = {record.number for record in earlier}
        self._notify(StudyStarted(self._settings.name, self._stop.trials, earlier))
        try:
            reason = self._loop()
            self._end_paused()
        except KeyboardInterrupt:
            reason = INTERRUPTED
        finally:
            self._wind_up()
        self._notify(StudyEnded(reason))
        return reason

    def _loop(self) -> str:
        while True:
            reason = self._stop.reason(self._settled(), self._elapsed(), self._earlier)
            if reason is None and self._grid_is_done():
                reason = "every point of the grid was tried"
            if reason is not None and not self._written:
                return reason
            self._meet_others()
            if reason is None:
                self._continue_paused()
                self._hand_out()
                self._look_ahead()
                self._tell_batch()
            for event in self._backend.poll(self._patience()):
                self._handle(event)
            self._lookout.look()
            self._end_overdue()
            self._show_written()

    def _settled(self) -> list[TrialRecord]:
        """Return the trials that have ended; paused ones too, unless one of them should go on."""
        if self._next_paused() is not None:
            return self._finished
        return [*self._ended, *self._others.paused] if self._others.paused else self._ended

    def _grid_is_done(self) -> bool:
        underway = self._queue or self._running or self._batch
        return self._proposer.exhausted and not underway and self._next_paused() is None

    def _patience(self) -> float:
        waiting = self._backend.free() and self._queue
        return _SOON if waiting or self._written else _TICK

    # Asking and handing out

    def _recall(self) -> None:
        """Resume a study: recall its finished trials and those that were started."""
        records = self._store.records()
        frozen = {trial.number: trial for trial in self._store.finished()}
        abandoned = set(self._store.abandoned())
        waiting = [r for r in records if r.number in abandoned]
        self._asked = len(records)
        open_batches = {self._batch_of(r.number) for r in waiting}
        if self._asked % BATCH:
            open_batches.add(self._batch_of(self._asked))
        for record in records:
            self._proposer.recall(record)
            if record.state not in FINISHED:
                continue
            if self._settings.deterministic and self._batch_of(record.number) in open_batches:
                waiting.append(record)  # told together with the rest of its batch
                continue
            self._note_finished(record)
            self._others.mine(record.number)
            self._proposer.learn([self._proposer.in_steps(frozen[record.number], record)])
        self._known = known_trainings(self._finished)
        self._proposer.skip(record.config for record in records)
        for record in sorted(waiting, key=lambda r: r.number):
            if self._proposer.pauses and self._proposer.may_go_on(record):
                self._recall_paused(record)
            else:
                self._take_up(record, frozen.get(record.number))

    def _recall_paused(self, record: TrialRecord) -> None:
        steps = self._proposer.steps(record.config, (run.reports for run in record.runs))
        trial, config = self._proposer.again(dict(record.config), steps)
        underway = RunningTrial(trial, config, self._seeds, self._goal, _known(record.number))
        underway.reports = {run.seed: list(run.reports) for run in record.runs}
        underway.outcome = record
        self._renew(record, config)
        self._others.mine(record.number)
        self._add_paused(underway, record)

    def _take_up(self, record: TrialRecord, frozen: FrozenTrial | None = None) -> None:
        if record.state not in FINISHED and not self._may_run(record.number):
            return
        now = self._proposer.of_today(record.config)
        begun = beginning(self._known, now, self._seeds) if frozen is None else []
        steps = self._proposer.steps(now, (run.reports for run in begun))
        reports = steps if frozen is None else frozen.intermediate_values
        trial, config = self._proposer.again(dict(record.config), reports)
        batch = self._batch_of(record.number)
        given = _known(record.number)
        underway = RunningTrial(trial, config, self._seeds, self._goal, given, batch)
        underway.reports = {run.seed: list(run.reports) for run in begun}
        underway.spared = bool(begun)
        if batch is not None:
            self._batch.append(underway)
        if record.state in FINISHED:
            underway.outcome = record
        else:
            self._renew(record, config)
            self._others.mine(record.number)
            self._queue.append(underway)

    def _renew(self, record: TrialRecord, config: dict[str, Any]) -> None:
        """Store what an unfinished trial trains now, if the study got other fixed values."""
        if config != record.config:
            self._store.reconfigure(record.number, config)

    def _may_run(self, number: int) -> bool:
        """Whether a waiting trial is within the limit, and no other driver was faster."""
        limit = self._stop.trials
        return (limit is None or number < limit) and self._store.claim(number)

    def _batch_of(self, number: int) -> int | None:
        return number // BATCH if self._settings.deterministic else None

    def _look_ahead(self) -> None:
        """Ask for one more trial in advance, so that the next free worker need not wait."""
        if self._settings.deterministic:
            while (not self._batch or self._asked % BATCH) and self._room() and self._ask():
                pass
        elif len(self._queue) < max(len(self._backend.workers()), 1) and self._room():
            self._ask()

    def _room(self) -> bool:
        untold = sum(member.outcome is not None for member in self._batch)
        underway = len(self._queue) + len(self._running) + len(self._paused) + untold
        underway += self._others.running + len(self._others.paused)
        return not self._exhausted and self._stop.room(len(self._finished), underway)

    def _ask(self) -> bool:
        asked = self._next()
        if asked is None:
            self._exhausted = True
            return False
        trial, config = asked
        given = self._writer.later(
            self._store.begin, config, trial.params, trial.distributions, self._stop.trials
        )
        given.add_done_callback(self._others.mine_when_known)
        batch = self._batch_of(self._asked)
        underway = RunningTrial(trial, config, self._seeds, self._goal, given, batch)
        self._asked += 1
        if underway.batch is not None:
            self._batch.append(underway)
        self._queue.append(underway)
        return True

    def _next(self) -> tuple[Trial, dict[str, Any]] | None:
        if self._asked < len(self._settings.first):
            return self._proposer.again(dict(self._settings.first[self._asked]))
        ahead = 1 if self._settings.deterministic else len(self._backend.workers()) // _PER_CHOICE
        return self._proposer.ask(f"{self._others.salt}{self._asked}", ahead)

    def _hand_out(self) -> None:
        """Give trials to free workers; trials whose results are known need none."""
        while self._queue and self._queue[0].given.done():
            underway = self._queue[0]
            underway.reuse(self._known)
            if underway.given.result() is None:  # other drivers have taken the last trials
                self._queue.popleft()
                self._exhausted = True
            elif not underway.left:
                self._queue.popleft()
                self._end(underway, "complete")
            elif self._backend.free():
                self._queue.popleft()
                self._start(underway)
            else:
                return

    def _start(self, underway: RunningTrial) -> None:
        number = underway.number
        underway.attempts += 1
        underway.began = self._clock()
        self._running[number] = underway
        how = self._settings.measure, self._proposer.pauses, self._proposer.by_seed
        self._backend.submit(underway.task(*how))
        underway.host = next((w.host for w in self._backend.workers() if w.task == number), None)
        self._notify(TrialStarted(number, underway.config, underway.attempts))
        self._notify(WorkersSeen(self._backend.workers()))

    def _meet_others(self) -> None:
        """Learn about other drivers' trials, and take over those of drivers that are gone."""
        news = self._others.news(self._clock())
        if news is None:
            return
        for record, frozen in news.finished:
            self._proposer.learn([self._proposer.in_steps(frozen, record)])
            self._proposer.recall(record)
            self._note_finished(record)
            self._known.update(known_trainings([record]))
            self._notify(TrialEnded(record))
        for record in news.abandoned:
            self._take_up(record)

    # Results

    def _handle(self, event: Event) -> None:
        underway = self._running.get(event.task)
        if underway is None:
            return
        match event:
            case Reported():
                self._report(underway, event)
            case Finished(_, kept):
                if underway.pausing and underway.left:
                    self._pause(underway, kept)
                else:
                    self._end(underway, "pruned" if underway.hopeless else "complete")
            case Failed(_, error):
                self._end(underway, "failed", error)
            case Lost(_, reason):
                self._lose(underway, reason)

    def _report(self, underway: RunningTrial, event: Reported) -> None:
        if self._goal.metric not in event.report.metrics:
            self._backend.kill(event.task)
            self._end(underway, "failed", self._unmeasured(underway))
            return
        if not underway.add(event.seed, event.report):
            return
        repeat = underway.seeds.index(event.seed)
        self._notify(LoopDone(event.task, repeat, event.report))
        hopeless = self._proposer.hopeless(underway, event.seed)
        if hopeless and underway.left and not (underway.spared or underway.pausing):
            # Reports that arrive until it stops belong to a trial that may go on.
            underway.pausing = self._proposer.pauses
            underway.hopeless = not underway.pausing
            if underway.task_goes_on:
                self._backend.stop(event.task)

    def _unmeasured(self, underway: RunningTrial) -> str:
        """Return the reason why a trial cannot be compared with others."""
        name, algorithm = self._goal.metric, underway.config["algorithm"]
        return f"metric {name!r} needs {metric(name).needs}, which {algorithm} does not have"

    def _lose(self, underway: RunningTrial, reason: str) -> None:
        if underway.hopeless:
            self._end(underway, "pruned")
        elif underway.pausing:
            self._pause(underway, None)
        elif underway.attempts <= self._resources.retries:
            del self._running[underway.number]
            self._queue.appendleft(underway)
        else:
            self._end(underway, "failed", f"{reason}; tried {underway.attempts} times")

    def _end_overdue(self) -> None:
        limit, now = self._resources.trial_timeout, self._clock()
        if limit is None:
            return
        for number, underway in list(self._running.items()):
            if now - underway.began > limit:
                self._backend.kill(number)
                self._end(underway, "failed", f"took longer than the limit of {limit:g} s")

    # Pausing

    def _pause(self, underway: RunningTrial, kept: Kept | None) -> None:
        del self._running[underway.number]
        self._paused.free(underway)
        underway.kept = kept
        record = underway.ended("paused")
        self._writer.later(self._store.pause, record)
        self._add_paused(underway, record)
        self._notify(TrialPaused(record))

    def _add_paused(self, underway: RunningTrial, record: TrialRecord) -> None:
        self._proposer.pause(underway.trial, record)
        self._paused.add(underway)
        self._ended.append(record)

    def _next_paused(self) -> int | None:
        return self._proposer.next_paused(self._paused.numbers, last=not self._room())

    def _continue_paused(self) -> None:
        """Queue a paused trial that should go on, before new ones."""
        claiming = self._queue and not self._queue[0].given.done()
        number = self._next_paused() if self._backend.free() and not claiming else None
        if number is not None:
            underway = self._paused.pop(number)
            self._ended = [each for each in self._ended if each is not underway.outcome]
            given = self._writer.later(self._claim, number)
            underway.go_on(self._proposer.go_on(underway), given)
            self._queue.appendleft(underway)

    def _claim(self, number: int) -> int | None:
        return number if self._store.claim(number) else None

    def _end_paused(self) -> None:
        """End the paused trials: at the end of a study they are pruned."""
        for underway in self._paused.clear():
            assert underway.outcome is not None
            record = replace(underway.outcome, state="pruned")
            frozen = self._proposer.outcome(underway.trial, record)
            self._written.append((self._writer.later(self._store.finish, record, frozen), record))
            self._finished.append(record)

    # Telling

    def _end(self, underway: RunningTrial, state: State, error: str | None = None) -> None:
        self._running.pop(underway.number, None)
        self._paused.free(underway)
        record = underway.ended(state, error)
        frozen = self._proposer.outcome(underway.trial, record)
        self._written.append((self._writer.later(self._store.finish, record, frozen), record))
        if underway.batch is None:
            self._tell(underway)
            self._proposer.forget([*self._queue, *self._running.values()])

    def _tell_batch(self) -> None:
        """Tell a whole batch at once, or as much of the last one as was asked for."""
        unasked = self._asked % BATCH and self._room()
        if not self._batch or unasked or any(m.outcome is None for m in self._batch):
            return
        for member in self._batch:
            self._tell(member)
        self._batch = []
        self._proposer.forget([])

    def _tell(self, underway: RunningTrial) -> None:
        record = underway.outcome
        assert record is not None
        self._proposer.tell(underway.trial, record)
        self._note_finished(record)
        self._known.update(known_trainings([record]))

    def _note_finished(self, record: TrialRecord) -> None:
        self._finished.append(record)
        self._ended.append(record)

    def _show_written(self) -> None:
        """Announce trials only once they are stored."""
        while self._written and self._written[0][0].done():
            future, record = self._written.popleft()
            future.result()
            self._notify(TrialEnded(record))

    def _wind_up(self) -> None:
        """Write finished trials; unfinished ones are left for the next run."""
        for underway in [*self._queue, *self._running.values()]:
            self._writer.later(self._give_back, underway)
        self._paused.clear()  # if a study was interrupted, they may go on with the next run
        self._writer.close()
        self._show_written()

    def _give_back(self, underway: RunningTrial) -> None:
        if underway.given.result() is not None:
            self._store.give_back(underway.number)

    def _notify(self, notice: Notice) -> None:
        for observer in self._observers:
            observer(notice)


def _known(number: int) -> "Future[int | None]":
    """Return the number of a trial that the storage has already."""
    given: Future[int | None] = Future()
    given.set_result(number)
    return given
