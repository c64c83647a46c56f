"""Runs a task in a worker of any backend."""

import time
import traceback
from collections.abc import Callable, Iterator

from topk_tune.backends.base import Event, Failed, Finished, Reported, Task
from topk_tune.backends.packages import check_installed
from topk_tune.training.trial import LoopReport, TrialConfig, TrialRows, run_trial

THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""The environment of a worker: one thread, since there is one worker per core."""

LESS_MEMORY = "search fewer learners, run fewer workers, or give a trial more (--memory GB)"
"""The advice about trials that run out of memory."""

Body = Callable[[Task, TrialRows, Callable[[], bool]], Iterator[tuple[int, LoopReport]]]


def work(
    task: Task, rows: TrialRows, stopped: Callable[[], bool]
) -> Iterator[tuple[int, LoopReport]]:
    """Train with each seed; yield the seed and the report of each loop until stopped."""
    check_installed(task.needs)
    config = TrialConfig.of(task.config)
    for seed in task.seeds:
        for report in run_trial(config, seed, rows, task.measure, last_only=task.last_only):
            yield seed, report
            if stopped():
                return


def events(task: Task, rows: TrialRows, stopped: Callable[[], bool], body: Body) -> Iterator[Event]:
    """Run a task; yield each report, and how the task ended."""
    try:
        for seed, report in body(task, rows, stopped):
            yield Reported(task.id, seed, report)
    except Exception as error:
        yield Failed(task.id, described(error))
    else:
        yield Finished(task.id)


def bundled(events: Iterator[Event], seconds: float) -> Iterator[list[Event]]:
    """Yield events in bundles, so that a quick task does not send one message per loop.

    A bundle is sent once its first event is `seconds` old, and at the end.
    """
    bundle: list[Event] = []
    sent = time.monotonic()
    for event in events:
        bundle.append(event)
        if time.monotonic() - sent >= seconds:
            yield bundle
            bundle, sent = [], time.monotonic()
    if bundle:
        yield bundle


def described(error: BaseException) -> str:
    """Return the type and text of an error, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].name} in {frames[-1].filename.rsplit('/', 2)[-1]})" if frames else ""
    if isinstance(error, MemoryError):
        return f"out of memory: {error}{where}; {LESS_MEMORY}"
    return f"{type(error).__name__}: {error}{where}"
