"""The best configurations of a study, on fresh seeds and, for the first time, on the test rows.

The winner of many noisy trials owes some of its lead to luck. So "best" means confirmed best:
trained on all training rows with seeds that no trial has used, and tested on the test rows as
the paper does (predict, then learn).
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import booster
from topk_tune import codec
from topk_tune.backends.base import Backend, Failed, Lost, Reported, Task
from topk_tune.data import Dataset
from topk_tune.machines import Machines
from topk_tune.records import Confirmation, SeedRun, TrialRecord, ranked
from topk_tune.study import Study
from topk_tune.trial import LoopReport, test_rows
from topk_tune.tuner import Limits

FRESH = 1_000_000
"""What is added to the study's seed: far from the seeds that its trials use."""

_NOTE = "confirmed:"


def confirmations(study: Study) -> list[Confirmation]:
    """What has been confirmed, best first."""
    goal, notes = study.settings.goal, study.store.notes()
    found = [
        codec.read_confirmation(text, goal, f"{key} of study {study.settings.name!r}")
        for key, text in notes.items()
        if key.startswith(_NOTE)
    ]
    return sorted(found, key=lambda c: (c.key, c.trial))


def confirm(
    study: Study,
    top: int,
    seeds: int,
    machines: Machines,
    limits: Limits | None = None,
    done: Callable[[int, int], None] = lambda finished, total: None,
    data: Dataset | None = None,
) -> list[Confirmation]:
    """Confirm the best `top` configurations; returns all confirmations, best first.

    Trainings that were confirmed before are not run again. `done` hears of progress.
    """
    data = data or study.data()
    best = best_trials(study, top)
    if not best:
        raise ValueError(f"study {study.settings.name!r} has no complete trial to confirm")
    known = {c.trial: c for c in confirmations(study)}
    fresh = [study.settings.seed + FRESH + index for index in range(seeds)]
    wanted = [(record, seed) for seed in fresh for record in best]
    tasks = {
        index: (record, seed)
        for index, (record, seed) in enumerate(wanted)
        if record.number not in known or seed not in {run.seed for run in known[record.number].runs}
    }
    booster.warm_up(load=False)
    rows = test_rows(data)
    backend = machines.make(study.space, rows)
    work = [
        Task(i, record.best_config, (seed,), "predict-then-learn", last_only=True)
        for i, (record, seed) in tasks.items()
    ]
    try:
        if work:
            backend.start(rows)
        for index, report in _all(backend, work, (limits or Limits()).retries, done):
            record, seed = tasks[index]
            number, run = record.number, SeedRun(seed, (report,))
            before = known.get(number) or _unconfirmed(record)
            known[number] = replace(before, runs=(*before.runs, run))
            _keep(study, known[number])
    finally:
        backend.close()
    return confirmations(study)


def _unconfirmed(record: TrialRecord) -> Confirmation:
    return Confirmation(record.number, record.best_config, (), record.objective)


def best_trials(study: Study, top: int) -> list[TrialRecord]:
    """The best trials; of those with the same configuration only the first."""
    different: dict[str, TrialRecord] = {}
    for record in ranked(study.records()):
        different.setdefault(json.dumps(record.best_config, sort_keys=True), record)
    return list(different.values())[:top]


def _all(
    backend: Backend, tasks: Sequence[Task], retries: int, done: Callable[[int, int], None]
) -> Iterator[tuple[int, LoopReport]]:
    """Run all tasks; yields the number and the last report of each."""
    queue, reports = list(tasks), dict[int, LoopReport]()
    by_id, attempts = {task.id: task for task in tasks}, dict.fromkeys((t.id for t in tasks), 0)
    finished = 0
    while finished < len(tasks):
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
            done(finished, len(tasks))
            yield event.task, reports[event.task]


def _keep(study: Study, confirmation: Confirmation) -> None:
    study.store.note(f"{_NOTE}{confirmation.trial}", codec.confirmation_text(confirmation))
