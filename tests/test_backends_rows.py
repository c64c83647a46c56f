"""Workers of all backends share one copy of the rows, dense or sparse."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import psutil
import pytest

from topk_tune.backends.base import Backend, Event, Failed, Finished, Reported, Task
from topk_tune.backends.local import LocalBackend
from topk_tune.backends.nameless_files import nameless_file
from topk_tune.backends.shared_rows import share
from topk_tune.backends.work import work
from topk_tune.data import Dataset, load
from topk_tune.data.rows import bytes_of, dense_rows, is_sparse
from topk_tune.training import trial
from topk_tune.training.trial import FoldedRows, LoopReport, TrialRows

WIDE = "documents:rows=60000,dim=30000,m=20,nonzeros=200"
SMALL = "documents:rows=60,dim=30000,m=20,nonzeros=200"
CONFIG = {"algorithm": "topopt", "loops": 1, "n_learners": 1, "rho": 0.1}
TASK = Task(0, CONFIG, (0,), "read-only")


def arrays_of(rows: TrialRows) -> list[np.ndarray]:
    """All arrays of rows, those of sparse matrices too."""
    found: list[np.ndarray] = []
    for each in rows:
        found += [each.data, each.indices, each.indptr] if is_sparse(each) else [each]
    return found


def borrowed(rows: TrialRows) -> bool:
    """Whether all arrays are read-only parts of memory that somebody else owns."""
    return not any(array.flags.writeable or array.flags.owndata for array in arrays_of(rows))


def as_dense(data: Dataset) -> Dataset:
    return replace(data, X_train=dense_rows(data.X_train), X_test=dense_rows(data.X_test))


def split(data: Dataset) -> TrialRows:
    return trial.test_rows(data)


def folded(data: Dataset) -> TrialRows:
    return FoldedRows(data.X_train, data.Y_train, np.arange(len(data.Y_train)) % 3)


@pytest.mark.parametrize("form", [as_dense, lambda data: data], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", [split, folded])
def test_shared_rows_are_the_same_and_nobodys_copy(
    form: Callable[[Dataset], Dataset], kind: Callable[[Dataset], TrialRows]
) -> None:
    rows = kind(form(load(SMALL)))
    place = share(rows, nameless_file("rows"))
    assert len(place.outline) < 2000  # no array is in it
    found = place.rows()
    os.close(place.descriptor)  # what is mapped stays
    assert borrowed(found)
    for ours, theirs in zip(arrays_of(found), arrays_of(rows), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
        assert ours.ctypes.data % 64 == 0


@contextmanager
def started(backend: Backend, rows: TrialRows) -> Iterator[None]:
    backend.start(rows)
    try:
        while backend.free() < 2:
            backend.poll(0.25)
        yield
    finally:
        backend.close()


def run_both(backend: Backend) -> list[Event]:
    """Give each of two workers a task; return what they report once both have finished."""
    for number in range(2):
        backend.submit(replace(TASK, id=number))
    events: list[Event] = []
    while sum(isinstance(event, Finished | Failed) for event in events) < 2:
        events += backend.poll(0.25)
    assert not [event for event in events if isinstance(event, Failed)]
    return events


def local_workers_uss(rows: TrialRows) -> list[int]:
    """The memory that each of two local workers has for itself after a task."""
    backend = LocalBackend(2)
    with started(backend, rows):
        run_both(backend)
        return [
            process.memory_full_info().uss
            for process in psutil.Process().children()
            if "local_worker" in " ".join(process.cmdline())
        ]


@pytest.mark.slow
def test_local_workers_hold_no_rows_of_their_own() -> None:
    rows = trial.test_rows(load(WIDE))
    small = max(local_workers_uss(trial.test_rows(load(SMALL))))
    large = local_workers_uss(rows)
    assert len(large) == 2
    size = sum(map(bytes_of, rows))
    assert size > 60e6
    assert max(large) - small < size / 3


@pytest.mark.slow
def test_ray_workers_read_the_rows_in_the_object_store() -> None:
    import ray

    from topk_tune.backends.ray import RayBackend

    # Within the test, so that it is sent as a whole: workers cannot import the tests.
    def look(
        task: Task, rows: TrialRows, stopped: Callable[[], bool]
    ) -> Iterator[tuple[int, LoopReport]]:
        """Train as a worker does, and report whose memory the rows are."""
        parts = [(x.data, x.indices, x.indptr) if is_sparse(x) else (x,) for x in rows]
        flags = [array.flags for arrays in parts for array in arrays]
        own = any(each.writeable or each.owndata for each in flags)
        before = psutil.Process().memory_full_info().uss
        for seed, report in work(task, rows, stopped):
            grown = psutil.Process().memory_full_info().uss - before
            metrics = {"own": own, "grown": grown, "pid": os.getpid()}
            yield seed, replace(report, metrics=metrics)

    rows = trial.test_rows(load(WIDE))
    size = sum(map(bytes_of, rows))
    backend = RayBackend(2, body=look)
    with started(backend, rows):
        used = (
            ray.cluster_resources()["object_store_memory"]
            - (ray.available_resources()["object_store_memory"])
        )
        reports = [
            event.report.metrics for event in run_both(backend) if isinstance(event, Reported)
        ]
    assert len({report["pid"] for report in reports}) == 2
    assert not any(report["own"] for report in reports)
    assert max(report["grown"] for report in reports) < size / 3
    assert size <= used < 1.5 * size  # one copy in all
