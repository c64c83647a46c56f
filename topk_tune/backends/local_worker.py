"""The process that a local backend starts: `python -m topk_tune.backends.local_worker FD`."""

import sys
from multiprocessing.connection import Connection
from typing import Any

import booster
from topk_tune.backends.base import Task
from topk_tune.backends.local_messages import Load, Ready, Stop
from topk_tune.backends.work import events, work
from topk_tune.training.trial import TrialRows


def main(descriptor: int) -> None:
    """Run tasks from the pipe until it closes. The other end is the driver that started us."""
    pipe: Connection[Any, Any] = Connection(descriptor)
    rows: TrialRows | None = None
    try:
        while True:
            match pipe.recv():
                case Load(place):
                    rows = place.rows()
                    booster.warm_up()
                    pipe.send(Ready())
                case Task() as task if rows is not None:
                    _run(pipe, task, rows)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _run(pipe: "Connection[Any, Any]", task: Task, rows: TrialRows) -> None:
    def stopped() -> bool:
        # While a task runs, only a request to stop it can arrive.
        return pipe.poll() and bool(pipe.recv() == Stop(task.id))

    for event in events(task, rows, stopped, work):
        pipe.send(event)


if __name__ == "__main__":
    main(int(sys.argv[1]))
