"""Trains random configurations of the shipped spaces to their last loop, and keeps every report.

Run with `python -m benchmarks.curves.collect --configs 200`. It goes on where it stopped, and a
larger number adds to what is there; in a new clone, `python -m benchmarks.curves.table --unpack`
brings back what the tables have. Trials are made in turns over data sets, so that the tables are
balanced at any time; Enron, which takes longest, has a turn in every sixth round.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.curves.tasks import ALGORITHMS, DATASETS, Task, random_configurations
from topk_tune.backends.work import THREADS
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, TrialRows

RAW = Path(__file__).resolve().parents[2] / "build" / "curves"
SEEDS = (0, 1)
SECONDS = "seconds"
"""The name of the cost: processor seconds so far, of training and measuring."""

_EVERY = {"enron": 6}


class Job(NamedTuple):
    """A trial to make: a configuration by its place among the random ones, and a seed."""

    task: Task
    place: int
    config: dict[str, Any]
    seed: int


def jobs(algorithms: tuple[str, ...], datasets: tuple[str, ...], configs: int) -> Iterator[Job]:
    """All trials, in the order in which they are made."""
    tasks = [Task(algorithm, dataset) for algorithm in algorithms for dataset in datasets]
    drawn = {task: list(islice(random_configurations(task.space()), configs)) for task in tasks}
    for turn in range(configs):
        for task in tasks:
            every = _EVERY.get(task.dataset, 1)
            if turn % every == 0:
                place = turn // every
                for seed in SEEDS:
                    yield Job(task, place, drawn[task][place], seed)


def trained(job: Job) -> str:
    """Train; return the line that is kept."""
    loops: list[dict[str, float]] = []
    rows, began = _rows(job.task), time.process_time()
    for report in run_trial(TrialConfig.of(job.config), job.seed, rows, "read-only"):
        loops.append({**report.metrics, SECONDS: time.process_time() - began})
    names = sorted(loops[0])
    curves = {name: [float(f"{loop[name]:.7g}") for loop in loops] for name in names}
    kept = {"place": job.place, "seed": job.seed, "config": job.config, "curves": curves}
    return json.dumps(kept)


def kept(task: Task, folder: Path = RAW) -> list[dict[str, Any]]:
    """The trials of a task so far; a last line that is being written is ignored."""
    path = raw_file(task, folder)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def collect(wanted: Iterator[Job], processes: int, folder: Path = RAW) -> None:
    """Make the trials that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        running: dict[Future[str], Job] = {}
        for job in _missing(wanted, folder):
            running[pool.submit(trained, job)] = job
            if len(running) > processes:  # few at a time, so that a kill loses little
                _keep_finished(running, folder)
        while running:
            _keep_finished(running, folder)


def _missing(wanted: Iterator[Job], folder: Path) -> Iterator[Job]:
    done: dict[Task, set[tuple[int, int]]] = {}
    for job in wanted:
        if job.task not in done:
            _drop_half_a_line(raw_file(job.task, folder))
            done[job.task] = {(each["place"], each["seed"]) for each in kept(job.task, folder)}
        if (job.place, job.seed) not in done[job.task]:
            yield job


def _keep_finished(running: dict[Future[str], Job], folder: Path) -> None:
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        job = running.pop(future)
        with raw_file(job.task, folder).open("a", encoding="utf-8") as file:
            file.write(future.result() + "\n")
        print(job.task.name, job.place, job.seed, flush=True)


def _drop_half_a_line(path: Path) -> None:
    """Remove what a kill has cut off, so that the next trial gets a line of its own."""
    if path.exists():
        content = path.read_bytes()
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def raw_file(task: Task, folder: Path = RAW) -> Path:
    """The file of the trials of a task."""
    return folder / f"{task.name}.jsonl"


@cache
def _rows(task: Task) -> TrialRows:
    return task.rows()


def main() -> None:
    """Collect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--configs", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    os.environ.update(THREADS)
    wanted = jobs(tuple(options.algorithms), tuple(options.datasets), options.configs)
    collect(wanted, options.processes)


if __name__ == "__main__":
    main()
