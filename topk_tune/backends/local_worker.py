"""The process that a local backend starts: `python -m topk_tune.backends.local_worker FD`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import booster
from topk_tune.backends import local_states
from topk_tune.backends.base import Event, Finished, Task
from topk_tune.backends.local_messages import Load, Ready, Stop
from topk_tune.backends.work import events, work
from topk_tune.training.trial import TrialRows


def main(descriptor: int) -> None:
    """Run tasks from the pipe until it closes. The other end is the driver that started us."""
    pipe: Connection[Any, Any] = Connection(descriptor)
    rows: TrialRows | None = None
    booster.warm_up()  # before there are rows: the driver may still be reading them
    try:
        while True:
            match pipe.recv():
                case Load(place):
                    rows = place.rows()
                    pipe.send(Ready())
                case Task() as task if rows is not None:
                    start = local_states.receive(pipe, task.start)
                    _run(pipe, replace(task, start=start), rows)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _run(pipe: "Connection[Any, Any]", task: Task, rows: TrialRows) -> None:
    def stopped() -> bool:
        # While a task runs, only a request to stop it can arrive.
        return pipe.poll() and bool(pipe.recv() == Stop(task.id))

    with _opened(task) as ready:
        for event in events(ready, rows, stopped, work, local_states.keep):
            _send(pipe, event)


@contextmanager
def _opened(task: Task) -> Iterator[Task]:
    """Provide a task whose kept training, if it has one, is an open file."""
    if task.start is None:
        yield task
        return
    with open(task.start.state, "rb") as file:
        file.seek(0)
        yield replace(task, start=replace(task.start, state=file))


def _send(pipe: "Connection[Any, Any]", event: Event) -> None:
    if not isinstance(event, Finished) or event.kept is None:
        pipe.send(event)
        return
    pipe.send(replace(event, kept=local_states.outline(event.kept)))
    local_states.send(pipe, event.kept, os.getppid())
    local_states.drop(event.kept)  # the driver has it now


if __name__ == "__main__":
    main(int(sys.argv[1]))
