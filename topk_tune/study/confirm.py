"""Confirms the best configurations of a study with fresh seeds, and the winner on the test rows.

The winner of many noisy trials owes some of its lead to luck, and so would the winner of a contest
on the test rows. So the best configurations are ranked again on held-out training rows, with seeds
that no trial has used and with other parts held out than in the search. The first of them is then
trained on all training rows, again with fresh seeds, and tested in every way that test rows can be
used: learning from them in file order as the paper does, shuffled, and frozen.

A study with protocol paper searches by the test rows, so it has no held-out rows to rank by. Then
all finalists are tested and ranked by the test, as in versions that had no other way.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import booster
from topk_tune.backends.base import Backend, Failed, Lost, Reported, Task
from topk_tune.backends.packages import needed
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset
from topk_tune.engine.events import Notice, Observer
from topk_tune.engine.waiting import Lookout
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, SeedRun, TrialRecord, ranked
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study
from topk_tune.training.trial import LoopReport, Measure, TrialRows, test_rows

FRESH = 1_000_000
"""Added to the study's seed for the test rows: far from the seeds that its trials use."""

FRESH_HELD = 2 * FRESH
"""The same for ranking again."""

_NOTE = "confirmed:"
_ONLY_OF_EVERY_WAY = "frozen/"
"""The beginning of metrics that are missing in tests of earlier versions."""

Progress = Callable[[int, int], None]


def confirmations(study: Study) -> list[Confirmation]:
    """Return all confirmations, best first."""
    goal, notes = study.settings.goal, study.store.notes()
    found = [
        codec.read_confirmation(text, goal, f"{key} of study {study.settings.name!r}")
        for key, text in notes.items()
        if key.startswith(_NOTE)
    ]
    return sorted(found, key=lambda c: c.place)


def confirm(
    study: Study,
    top: int,
    seeds: int,
    resources: ResourceOptions,
    done: Progress = lambda finished, total: None,
    data: Dataset | None = None,
    observers: Sequence[Observer] = (),
) -> list[Confirmation]:
    """Rank the best `top` configurations again and test the first; return all, best first.

    Known trainings are not repeated. `done` receives the progress, and observers receive the
    reason for waiting.
    """
    data = data or study.data()
    best = best_trials(study, top)
    if not best:
        raise ValueError(f"study {study.settings.name!r} has no trial to confirm")
    booster.warm_up(load=False)
    trainings = _Trainings(study, resources, done, observers)
    finalists = _finalists(study, best)
    if study.settings.protocol == "paper":
        trainings.test(finalists, seeds, data)
        return confirmations(study)
    if len(finalists) > 1:  # otherwise there is nothing to rank
        trainings.rank(finalists, seeds, data)
        finalists = confirmations(study)
    trainings.test(finalists[:1], seeds, data)
    return confirmations(study)


def best_trials(study: Study, top: int) -> list[TrialRecord]:
    """Return the best trials, only the first of those with the same configuration."""
    different: dict[str, TrialRecord] = {}
    for record in ranked(study.records()):
        different.setdefault(json.dumps(record.best_config, sort_keys=True), record)
    return list(different.values())[:top]


def fresh_holdout(settings: StudySettings, n_rows: int) -> str:
    """Return the rule that holds out rows to rank configurations again.

    Parts are drawn again, and each seed has a different one, so that all training rows take part.
    Rows at the end of the file stay held out, because that rule is for rows in order of time;
    then only the seeds are fresh.
    """
    match settings.holdout.split(":"):
        case ["folds", number, seed]:
            parts = int(number)
        case ["random", share, seed]:
            parts = min(max(2, round(1 / float(share))), n_rows)
        case _:
            return settings.holdout
    return f"folds:{parts}:{int(seed) + FRESH_HELD}"


def _finalists(study: Study, best: Sequence[TrialRecord]) -> list[Confirmation]:
    """Return the best trials with their known runs, and the first of an earlier ranking, if any.

    If only one is asked for, and it has lost to another before, only that other is returned.
    """
    known = confirmations(study)
    by_trial = {c.trial: c for c in known}
    asked = [
        by_trial.get(r.number, Confirmation(r.number, r.best_config, (), r.objective)) for r in best
    ]
    first = [each for each in known[:1] if each.held]
    if len(asked) == 1 and first and len(asked[0].held_runs) == len(first[0].held_runs):
        return first
    return asked + [each for each in first if each not in asked]


@dataclass
class _Trainings:
    """Runs the missing trainings, and stores each result as it arrives."""

    study: Study
    resources: ResourceOptions
    done: Progress
    observers: Sequence[Observer]
    finished: int = 0

    def rank(self, finalists: Sequence[Confirmation], seeds: int, data: Dataset) -> None:
        """Measure with held-out training rows; one of the finalists will be tested afterwards."""
        settings = self.study.settings
        # Earlier finalists may have more seeds, and means must be over the same seeds.
        most = max(seeds, *(len(each.held_runs) for each in confirmations(self.study)), 0)
        rule = fresh_holdout(settings, len(data.Y_train))
        rows = tuning_rows(data, settings.model_copy(update={"holdout": rule}))
        wanted = [
            (each, seed)
            for seed in _seeds(settings, FRESH_HELD, most)
            for each in finalists
            if seed not in each.held.seeds
        ]
        known = {each.trial: each for each in finalists}
        for trial, run in self._run(rows, wanted, "read-only", following=seeds):
            before = known[trial]
            held = (*before.held_runs, run)
            known[trial] = replace(before, held_runs=held, holdout=rule)
            _keep(self.study, known[trial])

    def test(self, finalists: Sequence[Confirmation], seeds: int, data: Dataset) -> None:
        """Train on all training rows, and measure with the test rows."""
        # An earlier version tested in one way only: test again.
        known = {
            each.trial: replace(each, runs=tuple(filter(_in_every_way, each.runs)))
            for each in finalists
        }
        wanted = [
            (each, seed)
            for seed in _seeds(self.study.settings, FRESH, seeds)
            for each in known.values()
            if seed not in each.seeds
        ]
        for trial, run in self._run(test_rows(data), wanted, "every way"):
            known[trial] = replace(known[trial], runs=(*known[trial].runs, run))
            _keep(self.study, known[trial])

    def _run(
        self,
        rows: TrialRows,
        wanted: Sequence[tuple[Confirmation, int]],
        measure: Measure,
        following: int = 0,
    ) -> Iterator[tuple[int, SeedRun]]:
        """Train each with its seed; yield the number of its trial and the run."""
        if not wanted:
            return
        metric = self.study.settings.objective
        tasks = [
            Task(
                i, each.config, (seed,), measure, last_only=True, needs=needed(each.config, metric)
            )
            for i, (each, seed) in enumerate(wanted)
        ]
        backend = self.resources.make(self.study.space, rows)
        lookout = Lookout(backend, self._notify)
        try:
            lookout.look()
            backend.start(rows)
            total = self.finished + len(tasks) + following
            for index, report in _all(backend, tasks, self.resources.retries, lookout):
                self.finished += 1
                self.done(self.finished, total)
                each, seed = wanted[index]
                yield each.trial, SeedRun(seed, (report,))
        finally:
            backend.close()

    def _notify(self, notice: Notice) -> None:
        for observer in self.observers:
            observer(notice)


def _seeds(settings: StudySettings, offset: int, count: int) -> Iterable[int]:
    return range(settings.seed + offset, settings.seed + offset + count)


def _in_every_way(run: SeedRun) -> bool:
    return any(name.startswith(_ONLY_OF_EVERY_WAY) for name in run.reports[-1].metrics)


def _all(
    backend: Backend, tasks: Sequence[Task], retries: int, lookout: Lookout
) -> Iterator[tuple[int, LoopReport]]:
    """Run all tasks; yield the number and the last report of each."""
    queue, reports = list(tasks), dict[int, LoopReport]()
    by_id, attempts = {task.id: task for task in tasks}, dict.fromkeys((t.id for t in tasks), 0)
    finished = 0
    while finished < len(tasks):
        lookout.look()
        while queue and backend.free():
            backend.submit(queue.pop(0))
        for event in backend.poll(0.25):
            if isinstance(event, Reported):
                reports[event.task] = event.report
                continue
            if isinstance(event, Failed):
                raise RuntimeError(f"the training failed: {event.error}")
            if isinstance(event, Lost):
                attempts[event.task] += 1
                if attempts[event.task] > retries:
                    raise RuntimeError(f"{event.reason}; tried {attempts[event.task]} times")
                queue.insert(0, by_id[event.task])
                continue
            finished += 1
            yield event.task, reports[event.task]


def _keep(study: Study, confirmation: Confirmation) -> None:
    study.store.note(f"{_NOTE}{confirmation.trial}", codec.confirmation_text(confirmation))
