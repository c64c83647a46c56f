"""Studies that are submitted to a cluster, and go on when whoever sent them is gone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from clusters import FRIGHTENING, Cluster, Drivers, kill_all, running_cluster, until
from databases import PASSWORD, files_with, postgresql

from topk_tune.cluster.jobs import check_arguments

SPACE = """\
default:
  algorithm: topopt
  loops: 6
  n_learners: {type: int, low: 5, high: 20}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
"""
DATA = "synthetic:rows=800,dim=10,m=6,cardinality=2"


class Laptop:
    """Calls `topk-tune` outside the cluster, with its token and an address of its job server."""

    def __init__(self, folder: Path, cluster: Cluster, storage: str) -> None:
        self.cluster = cluster
        self.drivers = Drivers(folder)
        self._environment = {
            **cluster.environment,
            "RAY_API_SERVER_ADDRESS": cluster.jobs,
            "TOPK_TUNE_STORAGE": storage,
            "COLUMNS": "200",
        }

    def call(self, *arguments: str, **variables: str) -> tuple[int, str]:
        environment = {**self._environment, **variables}
        process = self.drivers.start(*arguments, environment=environment)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output

    def said(self, *arguments: str) -> str:
        code, output = self.call(*arguments)
        assert code == 0, output
        return output

    def watch_and_go(self, job: str) -> None:
        """Follow a job until its first trial is done, and be killed."""
        watcher = self.drivers.start("job", "logs", "-f", job, environment=self._environment)
        lines = [""]
        while not lines[-1].startswith("trial "):
            lines.append(watcher.stdout.readline())
            assert lines[-1], "".join(lines)[-2000:]  # it ended
        kill_all(watcher)


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Laptop]:
    with (
        postgresql() as url,
        running_cluster(
            jobs=True, variables={"TOPK_TUNE_STORAGE": url, "TOPK_TUNE_JOBS": str(tmp_path)}
        ) as cluster,
    ):
        cluster.add_node()
        made = Laptop(tmp_path, cluster, url)
        try:
            yield made
        finally:
            made.drivers.close()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_submitted_study_needs_nobody(tmp_path: Path, laptop: Laptop) -> None:
    """Submitted, left alone, looked at and taken home; then resumed and stopped."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "space.yaml").write_text(SPACE)
    study = ("run", "--name", "study", "--dataset", DATA, "--space", "space.yaml")
    how = ("--trials", "30", "--pruner", "none", "--no-track")
    submitted = laptop.said("submit", "--files", str(files), *study, *how)
    job = submitted.splitlines()[0]

    laptop.watch_and_go(job)
    until(lambda: "running" not in laptop.said("job", "status", job))
    assert f"{job}: succeeded, topk-tune run --name study" in laptop.said("job", "status", job)
    assert ": 30 complete\n" in laptop.said("status", "study")
    assert yaml.safe_load(laptop.said("export", "study"))["config"]["algorithm"] == "topopt"
    printed = laptop.said("job", "logs", job)
    assert "stopped: all 30 trials are done" in printed
    assert not [word for word in FRIGHTENING if word in printed], printed
    assert (tmp_path / job / "studies" / "study" / "log.txt").is_file()

    again = laptop.said("submit", "resume", "study", "--trials", "+5000", "--no-track")
    job = again.splitlines()[0]
    laptop.watch_and_go(job)
    assert "told to stop" in laptop.said("job", "stop", job)
    until(lambda: "running" not in laptop.said("job", "status", job))
    assert f"{job}: stopped" in laptop.said("job", "status", job)
    assert "stopped: interrupted" in laptop.said("job", "logs", job)
    trials = laptop.said("status", "study", "--last", "10000")
    assert "running" not in trials

    shown = laptop.said("job", "list")
    assert shown.count("topk-tune") == 2
    for told in (submitted, again, printed, shown, trials):
        assert PASSWORD not in told
    assert files_with(PASSWORD, laptop.cluster.folder) == []
    assert files_with(PASSWORD, tmp_path) == []

    code, output = laptop.call("job", "list", RAY_AUTH_TOKEN="a" * 32)
    assert code == 1
    assert "it demands a token" in output
    code, output = laptop.call("job", "status", "raysubmit_none")
    assert code == 2
    assert "no job 'raysubmit_none' on the cluster" in output


def test_without_a_job_server_it_is_said_at_once(tmp_path: Path) -> None:
    drivers = Drivers(tmp_path)
    environment = {**os.environ, "RAY_ADDRESS": "127.0.0.1:2"}
    process = drivers.start(
        *("submit", "--address", "http://127.0.0.1:1", "run", "--trials", "3"),
        environment=environment,
    )
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1, output
    assert "no job server at http://127.0.0.1:1: Failed to connect" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "argument",
    [f"postgresql://me:{PASSWORD}@host/db", f"--storage=postgresql://me:{PASSWORD}@host/db"],
)
def test_a_password_is_not_sent_in_a_command(argument: str) -> None:
    with pytest.raises(ValueError, match="a password must not be in the command") as error:
        check_arguments(["run", "--storage", argument])
    assert PASSWORD not in str(error.value)


@pytest.mark.parametrize("arguments", [[], ["export", "demo"], ["--name", "demo"]])
def test_a_job_trains(arguments: list[str]) -> None:
    with pytest.raises(ValueError, match="must be one of run, resume, confirm, but got"):
        check_arguments(arguments)


def test_what_may_be_sent() -> None:
    check_arguments(["run", "--storage", "postgresql://me@host/db", "--dataset", "yeast"])
