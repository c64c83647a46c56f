"""The process that a local backend starts: `python -m topk_tune.backends.local_worker FD`."""

import sys
from multiprocessing.connection import Connection
from typing import Any

import booster
from topk_tune.backends.base import Task
from topk_tune.backends.work import messages, work
from topk_tune.training.trial import TrialRows


def main(descriptor: int) -> None:
    """Run tasks from the pipe until it closes. The other end is the driver that started us."""
    pipe: Connection[Any, Any] = Connection(descriptor)
    rows: TrialRows | None = None
    try:
        while True:
            kind, content = pipe.recv()
            if kind == "rows":
                rows = content
                booster.warm_up()
                pipe.send(("ready",))
            elif kind == "run" and rows is not None:
                _run(pipe, content, rows)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _run(pipe: "Connection[Any, Any]", task: Task, rows: TrialRows) -> None:
    def stopped() -> bool:
        # While a task runs, nothing but a wish to stop it can arrive.
        return pipe.poll() and bool(pipe.recv() == ("stop", task.id))

    for kind, *content in messages(task, rows, stopped, work):
        pipe.send((kind, task.id, *content))


if __name__ == "__main__":
    main(int(sys.argv[1]))
