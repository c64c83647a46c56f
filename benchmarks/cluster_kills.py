"""Machines that lose their power while studies run on them: is every trial there exactly once?

Real machines with SSH in namespaces (`tests/machines.py`), so it needs root. Each study has another
seed, and one of three workers, drawn at random, dies after a number of trials that is drawn as
well. It is switched on again for the next study.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ray

from benchmarks.report import write
from topk_tune.markup.markdown import table
from topk_tune.provenance.facts import processor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from machines import Machines, machines_in, missing

TRIALS = 300
STUDIES = 10
WORKERS = ("n1", "n2", "n3")
PROJECT = "~/topk-tune"
TUNE = ".venv/bin/topk-tune"

SPACE = """\
default:
  algorithm: topopt
  loops: 8
  n_learners: {type: int, low: 5, high: 40}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
  gamma: 0.1
  k: 3
"""
TRACKING = """\
log: {trial_files: false, study_plots: false, boosters: false}
finish_seconds: 300
"""

_IN_MLFLOW = """
import json, mlflow
client = mlflow.MlflowClient("sqlite:////home/tuner/topk-tune/mlflow.db")
ids = [e.experiment_id for e in client.search_experiments()]
runs = client.search_runs(ids, max_results=50000)
(own,) = [r for r in runs if r.info.run_name == "{name}" and "trial" not in r.data.tags]
same = [r for r in runs if r.data.tags.get("study_id") == own.data.tags["study_id"]]
print(json.dumps([(r.data.tags["trial"], r.info.status) for r in same if r is not own]))
"""


def main() -> None:
    """Kill, count, and write docs/results/cluster_kills.md."""
    if missing():
        sys.exit(f"it needs {', '.join(missing())}")
    with (
        tempfile.TemporaryDirectory(prefix="kills-") as folder,
        machines_in(Path(folder), len(WORKERS)) as machines,
    ):
        prepare(machines)
        rows = [study(machines, seed) for seed in range(STUDIES)]
        machines.laptop.run(f"{TUNE} cluster down cluster.yaml", PROJECT)
    made = f"Made by `python -m benchmarks.cluster_kills`; Ray {ray.__version__}; {processor()}."
    head = (
        "study",
        "machine",
        "killed after",
        "trials tried again",
        "in storage",
        "in MLflow",
        "s",
    )
    write("cluster_kills.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))
    sys.exit(any("**" in cell for row in rows for cell in row))


def prepare(machines: Machines) -> None:
    """Start the cluster from the laptop."""
    machines.name(*WORKERS)
    project = machines.file.parent
    (project / "space.yaml").write_text(SPACE)
    (project / "mlflow.yaml").write_text(TRACKING)
    machines.laptop.run(".venv/bin/hatchling build -t wheel", PROJECT)
    print(machines.laptop.run(f"{TUNE} cluster up cluster.yaml", PROJECT), flush=True)


def study(machines: Machines, seed: int) -> list[str]:
    """Run a study during which a machine dies; a row of the table."""
    draw = random.Random(seed)
    victim, moment = draw.choice(WORKERS), draw.randrange(10, TRIALS - 60)
    name = f"kill{seed}"
    began = time.monotonic()
    running = machines.laptop.start(
        f"{TUNE} run --cluster cluster.yaml --name {name} --space space.yaml --seed {seed} "
        f"--trials {TRIALS} --sampler random",
        PROJECT,
    )
    while not running.is_over:
        if running.said.count("\ntrial ") >= moment and machines.nodes[victim].is_on:
            machines.nodes[victim].lose_power()
        time.sleep(0.1)
    assert running.code(0) == 0, running.said[-3000:]
    assert not machines.nodes[victim].is_on, "it was over too soon"
    seconds = time.monotonic() - began
    machines.nodes[victim].switch_on()
    stored = in_storage(machines, name)
    tracked = in_mlflow(machines, name)
    again = sum(trial["attempts"] > 1 for trial in stored)
    row = [
        str(seed),
        victim,
        f"{moment} trials",
        str(again),
        once([trial["number"] for trial in stored], [trial["state"] for trial in stored]),
        once([int(number) for number, _ in tracked], [state for _, state in tracked]),
        f"{seconds:.0f}",
    ]
    print(" | ".join(row), flush=True)
    await_workers(machines)
    return row


def in_storage(machines: Machines, name: str) -> list[dict[str, Any]]:
    """The trials that the study has."""
    listed = f"{TUNE} status {name} --cluster cluster.yaml --format json"
    return list(json.loads(machines.laptop.run(listed, PROJECT)))


def in_mlflow(machines: Machines, name: str) -> list[tuple[str, str]]:
    """The trials that MLflow has, with their states."""
    head = machines.nodes["head"]
    (head.home / "count.py").write_text(_IN_MLFLOW.format(name=name))
    told = head.run("~/topk-tune/venv/bin/python ~/count.py 2> /dev/null")
    return [tuple(trial) for trial in json.loads(told.splitlines()[-1])]


def once(numbers: list[int], states: list[str]) -> str:
    """Whether every trial is there exactly once and has come to its end."""
    times = Counter(numbers)
    wrong = [number for number in range(TRIALS) if times[number] != 1]
    others = len(numbers) - TRIALS
    if wrong or others:
        return f"**{len(wrong)} not once, {others} too many**"
    ends = Counter(state.lower() for state in states)
    return f"each once ({', '.join(f'{count} {state}' for state, count in ends.items())})"


def await_workers(machines: Machines) -> None:
    """Wait until the machine that died is of the cluster again."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        listed = machines.laptop.run(f"{TUNE} cluster status cluster.yaml --format json", PROJECT)
        there = [row for row in json.loads(listed) if row["state"] == "there"]
        if len(there) == 1 + len(WORKERS):
            return
        time.sleep(2)
    raise AssertionError("the machine does not come back")


_INTRODUCTION = f"""\
# Machines that die while studies run

{STUDIES} studies of {TRIALS} trials (random search on Yeast, boosters of 5 to 40 learners) on a
head and {len(WORKERS)} workers, started by `topk-tune cluster up`. They are namespaces of one
machine with two processors, and reached by real SSH. In each study one worker loses its power at a
random moment and comes back afterwards. What the study's storage on the head holds is counted, and
what MLflow holds: every trial must be there exactly once."""


if __name__ == "__main__":
    main()
