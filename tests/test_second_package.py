"""A package of somebody else's, installed beside the wheel of the project: its algorithm, learner,
metric, sampler and reader make a study on workers of both kinds, are in MLflow, and survive a kill.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
from clusters import Process, ended, finished, kill_all, records, until
from mlflow import MlflowClient
from packages import SONGRANK
from tracking_cases import new_database, runs_of
from wheels import build_wheel, clean_environment

pytestmark = pytest.mark.slow

DATASET = "songs.jsonl"
TRIALS = 8
SPACE = """\
default:
  algorithm: {type: choice, options: [popularity, topada]}
  loops: 3
  smoothing: {type: float, low: 0.1, high: 10, log: true, when: {algorithm: [popularity]}}
  learner: {type: fixed, value: frequency, when: {algorithm: [topada]}}
  n_learners: {type: int, low: 1, high: 3, when: {algorithm: [topada]}}
"""
OPTIONS = (
    *("--dataset", DATASET, "--space", "space.yaml"),
    *("--objective", "hits", "--sampler", "songrank.sampler:HalfOfTheBest"),
)
TRACKING = "log: {study_plots: false, trial_files: false}\nwait_seconds: 120\nfinish_seconds: 120\n"


@pytest.fixture(scope="module")
def command(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`topk-tune` of an environment that has both wheels, and no checkout."""
    folder = tmp_path_factory.mktemp("environment")
    wheels = [build_wheel(source, folder / source.name) for source in (root, SONGRANK)]
    return clean_environment(wheels[0], folder / "clean", wheels[1]).parent / "topk-tune"


def write_songs(path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    lines = []
    for x in X:
        features = {f"feature_{i}": float(value) for i, value in enumerate(x)}
        labels = {f"label_{i}": int(value > 0.3) for i, value in enumerate([*x, -x[0], -x[1]])}
        lines.append(json.dumps(features | labels))
    path.write_text("\n".join(lines), encoding="utf-8")


@contextmanager
def started(command: Path, folder: Path, *arguments: str) -> Iterator[Process]:
    """The command in a folder; neither it nor what it started outlives the test."""
    ours = ("MLFLOW_", "TOPK_TUNE_", "RAY_", "PYTHONPATH")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    process = subprocess.Popen(
        [command, *arguments],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        kill_all(process)
        if process.stdout is not None:
            process.stdout.close()


def killed(process: Process) -> None:
    """End a driver as a machine does that loses its power, with all that it has started."""
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    for member in family:
        if member.is_running():
            member.kill()
    psutil.wait_procs(family)


@pytest.mark.parametrize("backend", ["local", "ray"])
def test_a_study_with_all_of_it(command: Path, tmp_path: Path, backend: str) -> None:
    write_songs(tmp_path / DATASET)
    (tmp_path / "space.yaml").write_text(SPACE)
    (tmp_path / "mlflow.yaml").write_text(TRACKING)
    new_database(tmp_path)
    machines = ("--backend", backend, "--workers", "1")
    run = ("run", "--name", "study", "--trials", str(TRIALS), "--pruner", "none", *OPTIONS)
    with started(command, tmp_path, *run, *machines) as driver:
        until(lambda: finished(tmp_path) >= 2, driver)
        killed(driver)
    before = [record for record in records(tmp_path) if record.state == "complete"]
    assert 2 <= len(before) < TRIALS
    with started(command, tmp_path, "resume", "study", *machines) as driver:
        output = ended(driver)
    assert driver.returncode == 0, output
    done = records(tmp_path)
    assert [record.state for record in done] == ["complete"] * TRIALS
    assert [done[each.number].curve for each in before] == [each.curve for each in before]
    assert {record.config["algorithm"] for record in done} == {"popularity", "topada"}
    assert {record.config.get("learner") for record in done} == {None, "frequency"}
    client = MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
    (experiment,) = [each.name for each in client.search_experiments() if "songs" in each.name]
    _, runs = runs_of(client, experiment)
    assert [run.data.params["algorithm"] for run in runs] == [r.config["algorithm"] for r in done]
    assert [run.data.metrics["hits"] for run in runs] == [r.metrics["hits"] for r in done]


def test_its_algorithm_brings_its_own_space(command: Path, tmp_path: Path) -> None:
    rows = "synthetic:rows=300,m=6"
    run = ("run", "--algorithm", "popularity", "--dataset", rows, "--trials", "2")
    options = ("--no-track", "--backend", "local", "--workers", "1", "--name", "study")
    with started(command, tmp_path, *run, *options) as driver:
        output = ended(driver)
    assert driver.returncode == 0, output
    assert {"smoothing", "rate"} <= set(records(tmp_path)[0].config)
