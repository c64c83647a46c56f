"""Workers as processes of this machine, without Ray."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import wait

from topk_tune.backends import local_states
from topk_tune.backends.base import (
    Backend,
    BackendError,
    Event,
    Failed,
    Finished,
    Kept,
    Lost,
    Task,
    Wait,
    WorkerView,
)
from topk_tune.backends.local_messages import Load, Ready, Stop
from topk_tune.backends.nameless_files import nameless_file
from topk_tune.backends.resources import ResourceOptions
from topk_tune.backends.shared_rows import Place, share
from topk_tune.backends.work import THREADS
from topk_tune.spaces import Space
from topk_tune.training.trial import TrialRows

_MOST_STARTS = 3
"""The number of workers in a row that may die before they are ready, until the backend gives up."""


class LocalBackend:
    """Worker processes, each connected by a pipe.

    Parameters
    ----------
    workers
        The number of processes.
    """

    def __init__(self, workers: int) -> None:
        self._count = workers
        self._workers: list[_Process] = []
        self._file: int | None = None
        self._place: Place | None = None
        self._unready = 0

    def prepare(self) -> None:
        """Start the processes without rows: they import and load the kernels meanwhile."""
        self._file = nameless_file("rows")
        self._workers = [self._another(index) for index in range(self._count)]

    def start(self, rows: TrialRows) -> None:
        """Start the processes unless they are prepared, and give them the rows."""
        if self._file is None:
            self.prepare()
        assert self._file is not None
        self._place = share(rows, self._file)
        for worker in self._workers:
            worker.send(Load(self._place))

    def free(self) -> int:
        """Return the number of idle workers; loading is not part of a trial's time."""
        return sum(worker.free for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Give a task to a free worker."""
        worker = next(w for w in self._workers if w.free)
        worker.give(task)

    def stop(self, task: int) -> None:
        """Ask the worker of a task to stop it after the current loop."""
        for worker in self._workers:
            if worker.task == task:
                worker.send(Stop(task))

    def kill(self, task: int) -> None:
        """Kill the worker of a task at once and replace it."""
        for index, worker in enumerate(self._workers):
            if worker.task == task:
                worker.end()
                self._workers[index] = self._another(worker.index)

    def drop(self, kept: Kept) -> None:
        """Free a kept training."""
        local_states.drop(kept)

    def poll(self, timeout: float) -> list[Event]:
        """Wait for events, at most `timeout` seconds."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        events: list[Event] = []
        for pipe in wait(list(by_pipe), timeout):
            events += self._receive(by_pipe[pipe])  # type: ignore[index]
        return events

    def workers(self) -> list[WorkerView]:
        """Return the current workers."""
        host = socket.gethostname()
        return [WorkerView(f"worker {w.index}", host, w.task) for w in self._workers]

    def waiting(self) -> Wait | None:
        """Return the only reason there is: processes start and load."""
        return None if any(w.ready for w in self._workers) else Wait("waiting for workers to start")

    def close(self) -> None:
        """Stop the processes."""
        for worker in self._workers:
            worker.end()
        self._workers = []
        if self._file is not None:
            os.close(self._file)
            self._file = self._place = None

    def _receive(self, worker: "_Process") -> list[Event]:
        events: list[Event] = []
        try:
            while worker.pipe.poll():
                events += self._heard(worker, worker.pipe.recv())
        except (EOFError, OSError):
            events += self._replace(worker)
        return events

    def _heard(self, worker: "_Process", message: Ready | Event) -> list[Event]:
        match message:
            case Ready():
                worker.ready = True
                self._unready = 0
                return []
            case Finished():
                worker.task = None
                kept = local_states.receive(worker.pipe, message.kept)
                return [replace(message, kept=kept)]
            case Failed():
                worker.task = None
        return [message]

    def _replace(self, worker: "_Process") -> list[Event]:
        """Start a new process to replace one that is gone."""
        how, task = worker.end(), worker.task
        self._unready += not worker.ready
        if self._unready > _MOST_STARTS:
            raise BackendError(f"workers end right after their start; the last one {how}")
        self._workers[self._workers.index(worker)] = self._another(worker.index)
        return [] if task is None else [Lost(task, f"the worker {how}")]

    def _another(self, index: int) -> "_Process":
        assert self._file is not None, "workers inherit the file of the rows"
        worker = _Process(index, self._file)
        if self._place is not None:
            worker.send(Load(self._place))
        return worker


class _Process:
    """A worker process and this end of its pipe; it inherits the file with the rows."""

    def __init__(self, index: int, file: int) -> None:
        self.index = index
        self.ready = False
        self.task: int | None = None
        self.pipe, other = Pipe()
        command = [sys.executable, "-m", "topk_tune.backends.local_worker", str(other.fileno())]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[other.fileno(), file],
            # Workers can import what this process can, for example a module beside its script.
            env={**os.environ, **THREADS, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            # Ctrl-C is for the driver, which then stops the workers itself.
            start_new_session=True,
        )
        other.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def free(self) -> bool:
        return self.ready and self.task is None

    def send(self, message: Load | Task | Stop) -> None:
        """Send a message; if the process is gone, the next poll will notice."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send(message)

    def give(self, task: Task) -> None:
        """Send a task, with the file of the training that it continues."""
        self.task = task.id
        self.send(replace(task, start=local_states.outline(task.start)))
        with suppress(BrokenPipeError, ConnectionResetError):
            local_states.send(self.pipe, task.start, self.pid)

    def end(self) -> str:
        """Stop the process; return how it ended, as text."""
        self.pipe.close()
        self._process.kill()
        code = self._process.wait()
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def make(options: ResourceOptions, space: Space, rows: TrialRows) -> Backend:
    """Return the backend of a study."""
    return LocalBackend(options.count)
