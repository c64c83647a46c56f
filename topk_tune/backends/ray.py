"""Workers as Ray actors, in a Ray that lives as long as the study or in a cluster."""

import itertools
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayError

import booster
from topk_tune.backends import ray_states
from topk_tune.backends.base import (
    Backend,
    BackendError,
    Event,
    Kept,
    Lost,
    Reported,
    Task,
    Wait,
    WorkerView,
)
from topk_tune.backends.memory import largest_memory
from topk_tune.backends.ray_cluster import Resources, connect, fitting
from topk_tune.backends.ray_errors import in_words, is_own_fault, is_want_of_memory
from topk_tune.backends.ray_nodes import cluster_nodes, why_no_worker
from topk_tune.backends.resources import ResourceOptions
from topk_tune.backends.work import THREADS, Body, bundled, events, work
from topk_tune.backends.worker_starts import PATIENCE, Starts
from topk_tune.data.rows import bytes_of
from topk_tune.spaces import Space
from topk_tune.training.trial import TrialRows

_RECOUNT = 10.0
"""Seconds between two checks of the cluster's resources."""
_RELOOK = 2.0
"""Seconds between two checks of the nodes while no worker is ready."""
_LITTLE_PATIENCE = 60.0
"""Seconds until the backend gives up on workers that cannot start; other nodes may be slower."""
_BUNDLE = 0.1
"""Seconds for which reports are collected to be sent together: a message costs 1 to 2 ms."""

_LESS = "if nodes are too small, ask for less (--cpus N, --memory GB)"
_ADVICE = (
    "no worker yet: topk-tune cluster status FILE shows each machine; the autoscaler's log is "
    f"/tmp/ray/session_latest/logs/monitor.log on the head; {_LESS}"
)


class Worker:
    """The actor: holds the rows, which all actors of a node share, and runs tasks."""

    def __init__(self, rows: TrialRows, body: Body) -> None:
        booster.warm_up()
        self._rows = rows
        self._body = body
        self._stopped = threading.Event()

    def where(self) -> tuple[str, int]:
        """Return the host and the process id; answers once the worker is ready."""
        return socket.gethostname(), os.getpid()

    def run(self, task: Task) -> Iterator[list[Event]]:
        """Run a task; yield bundles of events, the last of which reports the end."""
        self._stopped.clear()
        ready = ray_states.opened(task)
        told = events(ready, self._rows, self._stopped.is_set, self._body, ray_states.keep)
        yield from bundled(told, _BUNDLE)

    def stop(self) -> None:
        """Stop the task after the current loop; called during `run`, in a separate thread."""
        self._stopped.set()


@dataclass
class _Actor:
    """An actor and its state as the driver knows it."""

    index: int
    handle: Any
    starting: Any
    ready: bool = False
    host: str | None = None
    task: int | None = None
    bundles: Any = None


class RayBackend:
    """Workers in a Ray cluster.

    Parameters
    ----------
    workers
        The number of workers; None for as many as the processors and the memory of the cluster
        allow, changing as nodes join and leave.
    address
        The address of the cluster; None to start a Ray on this machine.
    resources
        The resources of each worker.
    body
        The function that a worker runs on a task; benchmarks have their own.
    """

    def __init__(
        self,
        workers: int | None,
        address: str | None = None,
        resources: Resources | None = None,
        body: Body = work,
    ) -> None:
        self._asked = workers
        self._address = address
        self._resources = resources or Resources()
        self._body = body
        self._actors: list[_Actor] = []
        self._owns_ray = False
        self._starts = Starts()
        self._wait = self._first_wait()
        self._looked = math.inf

    def start(self, rows: TrialRows) -> None:
        """Connect to Ray, put the rows in its object store and start the actors."""
        self._owns_ray = connect(self._address, self._own_cpus(), sum(map(bytes_of, rows)))
        self._rows = ray.put(rows)
        self._fit()
        self._fill()
        self._looked = -math.inf

    def free(self) -> int:
        """Return the number of workers that are ready and idle."""
        return len(self._idle())

    def submit(self, task: Task) -> None:
        """Give a task to a free worker."""
        actor = self._idle()[0]
        actor.task = task.id
        actor.bundles = actor.handle.run.options(num_returns="streaming").remote(task)

    def stop(self, task: int) -> None:
        """Ask the worker of a task to stop it after the current loop."""
        for actor in self._actors:
            if actor.task == task:
                actor.handle.stop.options(concurrency_group="control").remote()

    def kill(self, task: int) -> None:
        """Kill the worker of a task at once and replace it."""
        for actor in list(self._actors):
            if actor.task == task:
                self._remove(actor)
        self._fill()

    def drop(self, kept: Kept) -> None:
        """Do nothing: Ray frees what nobody refers to."""

    def poll(self, timeout: float) -> list[Event]:
        """Wait for events, at most `timeout` seconds."""
        if time.monotonic() - self._fitted >= _RECOUNT:
            self._fit()
            self._call_up()
        self._fill()
        waiting = {a.starting if a.bundles is None else a.bundles: a for a in self._actors}
        waiting = {ref: actor for ref, actor in waiting.items() if ref is not None}
        if not waiting:
            threading.Event().wait(timeout)
            return []
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=timeout)
        return [event for ref in ready for event in self._receive(waiting[ref])]

    def workers(self) -> list[WorkerView]:
        """Return the current workers."""
        return [WorkerView(f"worker {a.index}", a.host or "starting", a.task) for a in self._actors]

    def waiting(self) -> Wait | None:
        """Return the reason why no worker is ready, from an occasional check of the nodes."""
        if any(actor.ready for actor in self._actors):
            return None
        if time.monotonic() - self._looked >= _RELOOK:
            reason = why_no_worker(cluster_nodes(), self._resources, len(self._actors))
            advice = _ADVICE if self._address else f"no worker yet: {_LESS}"
            self._wait = Wait(reason, advice)
            self._looked = time.monotonic()
        return self._wait

    def close(self) -> None:
        """Stop the actors, and Ray if the backend started it."""
        for actor in self._actors:
            ray.kill(actor.handle)
        self._actors = []
        if self._owns_ray:
            ray.shutdown()

    def _fit(self) -> None:
        """Adapt the number of actors to the cluster; drop those that found no place."""
        self._wanted, self._resources = fitting(self._asked, self._resources)
        self._fitted = time.monotonic()
        remote: Any = ray.remote  # its types cover only some of the options
        self._make = remote(concurrency_groups={"control": 1})(Worker).options(
            max_restarts=0, runtime_env={"env_vars": THREADS}, **self._resources.options()
        )
        surplus = max(len(self._actors) - self._wanted, 0)
        for actor in [actor for actor in self._actors if not actor.ready][:surplus]:
            self._remove(actor)

    def _fill(self) -> None:
        """Start missing actors, unless the last ones have just failed."""
        taken = {actor.index for actor in self._actors}
        free = (index for index in itertools.count() if index not in taken)
        while len(self._actors) < self._wanted and self._starts.allowed:
            self._actors.append(self._another(next(free)))

    def _call_up(self) -> None:
        """Ask idle actors where they are, so that none that is gone gets a task."""
        for actor in self._idle():
            actor.host, actor.starting = None, actor.handle.where.remote()

    def _first_wait(self) -> Wait:
        if ray.is_initialized():
            return Wait("waiting for workers to start")
        if self._address is None:
            return Wait("starting Ray on this machine")
        return Wait(f"connecting to the Ray at {self._address}")

    def _own_cpus(self) -> int | None:
        """Return the processors for a Ray that the backend starts: as many as its workers use."""
        return None if self._asked is None else math.ceil(self._asked * self._resources.cpus)

    def _idle(self) -> list[_Actor]:
        return [actor for actor in self._actors if actor.host is not None and actor.task is None]

    def _another(self, index: int) -> _Actor:
        handle = self._make.remote(self._rows, self._body)
        return _Actor(index, handle, handle.where.remote())

    def _remove(self, actor: _Actor) -> None:
        ray.kill(actor.handle)
        self._actors.remove(actor)

    def _receive(self, actor: _Actor) -> list[Event]:
        try:
            if actor.bundles is None:
                actor.host, _ = ray.get(actor.starting)
                actor.ready, actor.starting = True, None
                self._starts.came_up()
                return []
            bundle: list[Event] = ray.get(next(actor.bundles))
            self._heard(actor, bundle[-1])
            return bundle
        except RayError as error:
            return self._lose(actor, error)

    def _heard(self, actor: _Actor, last: Event) -> None:
        """Mark an actor as idle if its last event says so."""
        if not isinstance(last, Reported):
            actor.task = actor.bundles = None
            self._starts.went_well()

    def _lose(self, actor: _Actor, error: RayError) -> list[Event]:
        """Remove an actor that is gone; another one will replace it."""
        reason = in_words(error)
        self._remove(actor)
        if not actor.ready or is_want_of_memory(error):
            self._starts.failed(reason)
        patience = _LITTLE_PATIENCE if is_own_fault(error) else PATIENCE
        if self._starts.in_vain >= patience and not any(other.ready for other in self._actors):
            raise BackendError(f"no worker has started for {patience:g} s: {reason}")
        return [] if actor.task is None else [Lost(actor.task, reason)]


def make(options: ResourceOptions, space: Space, rows: TrialRows) -> Backend:
    """Return the backend of a study."""
    memory = largest_memory(space, rows) if options.memory is None else int(options.memory * 1e9)
    return RayBackend(
        workers=options.workers,
        address=options.cluster,
        resources=Resources(options.cpus, memory, options.node_labels),
    )
