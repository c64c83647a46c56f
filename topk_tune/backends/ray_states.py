"""The states of kept trainings in Ray's object store."""

import io
from dataclasses import replace

import numpy as np
import ray
from ray.exceptions import RayError

from topk_tune.backends.base import Kept, Task
from topk_tune.training.training import Training


def keep(training: Training) -> Kept:
    """Put a training into the object store; it is lost with the worker that has put it there."""
    file = io.BytesIO()
    training.keep(file)
    content = np.frombuffer(file.getbuffer(), np.uint8)  # arrays are not copied to be stored
    return Kept(training.seed, training.progress, content.nbytes, ray.put(content))


def opened(task: Task) -> Task:
    """Return a task whose kept training, if it has one, is an open file, or None if it is lost."""
    if task.start is None:
        return task
    try:
        content = ray.get(task.start.state)
    except RayError:
        return replace(task, start=None)
    return replace(task, start=replace(task.start, state=io.BytesIO(content)))
