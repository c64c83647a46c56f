"""The states of kept trainings, as files without a name that processes hand to each other.

The driver holds them open, so they survive the worker that made them, and end with the driver.
"""

import os
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, TypeAlias

from topk_tune.backends.base import Kept
from topk_tune.backends.nameless_files import nameless_file
from topk_tune.training.training import Training

Pipe: TypeAlias = "Connection[Any, Any]"


def keep(training: Training) -> Kept:
    """Write a training to a file without a name."""
    descriptor = nameless_file("training")
    with open(descriptor, "wb", closefd=False) as file:
        training.keep(file)
        size = file.tell()
    return Kept(training.seed, training.progress, size, descriptor)


def outline(kept: Kept | None) -> Kept | None:
    """Return what a message says of a training whose file follows it."""
    return kept and replace(kept, state=None)


def send(pipe: Pipe, kept: Kept | None, receiver: int) -> None:
    """Send the file of a training to the process `receiver`, right after the message about it."""
    if kept is not None:
        send_handle(pipe, kept.state, receiver)


def receive(pipe: Pipe, announced: Kept | None) -> Kept | None:
    """Return the training that the last message has announced, with its file."""
    return announced and replace(announced, state=recv_handle(pipe))


def drop(kept: Kept) -> None:
    """Close the file of a training, as far as this process is concerned."""
    os.close(kept.state)
