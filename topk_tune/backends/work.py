"""Runs a task in a worker of any backend."""

import time
import traceback
from collections.abc import Callable, Generator, Iterator

from topk_tune.backends.base import Event, Failed, Finished, Kept, Reported, Task
from topk_tune.backends.packages import check_installed
from topk_tune.training.training import Training, reports
from topk_tune.training.trial import LoopReport, TrialConfig, TrialRows

THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""The environment of a worker: one thread, since there is one worker per core."""

LESS_MEMORY = "search fewer learners, run fewer workers, or give a trial more (--memory GB)"
"""The advice about trials that run out of memory."""

Reports = Generator[tuple[int, LoopReport], None, Training | None]
"""The reports of a task with their seeds; at the end, the training that was stopped, if any."""

Body = Callable[[Task, TrialRows, Callable[[], bool]], Reports]

Keeper = Callable[[Training], Kept]


def work(task: Task, rows: TrialRows, stopped: Callable[[], bool]) -> Reports:
    """Train with each seed; yield the seed and the report of each loop until stopped."""
    check_installed(task.needs)
    config = TrialConfig.of(task.config)
    for seed in task.seeds:
        training = _begun(task, config, seed, rows)
        for report in reports(training, task.last_only):
            yield seed, report
            if stopped():
                return training
    return None


def _begun(task: Task, config: TrialConfig, seed: int, rows: TrialRows) -> Training:
    """Return a training from its beginning, or from where it was kept."""
    training = Training(config, seed, rows, task.measure)
    start = task.start
    if start is not None and start.seed == seed and start.state is not None:
        training.restore(start.progress, start.state)
    return training


def events(
    task: Task, rows: TrialRows, stopped: Callable[[], bool], body: Body, keep: Keeper
) -> Iterator[Event]:
    """Run a task; yield each report, and how the task ended.

    The state of `task.start` must be an open file here, or None if it is lost.
    """
    try:
        training = yield from _reported(task, body(task, rows, stopped))
        wanted = task.keep and training is not None and not training.done
        kept = keep(training) if training and wanted and training.can_be_kept else None
    except Exception as error:
        yield Failed(task.id, described(error))
    else:
        yield Finished(task.id, kept)


def _reported(task: Task, trained: Reports) -> Generator[Event, None, Training | None]:
    while True:
        try:
            seed, report = next(trained)
        except StopIteration as end:
            stopped: Training | None = end.value
            return stopped
        yield Reported(task.id, seed, report)


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
