"""Studies that are submitted to a cluster, and go on when whoever sent them is gone."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from clusters import (
    FRIGHTENING,
    HANG,
    QUICK,
    Cluster,
    Drivers,
    Process,
    drivers_in,
    ended,
    kill_all,
    running_cluster,
)
from databases import PASSWORD, files_with, postgresql
from messages import raises, says

from topk_tune.cluster.jobs import Jobs, check_arguments


class Laptop:
    """Calls `topk-tune` outside the cluster, with its token and an address of its job server."""

    def __init__(self, folder: Path, cluster: Cluster, drivers: Drivers, storage: str) -> None:
        self.folder = folder
        self.cluster = cluster
        self._drivers = drivers
        self._environment = {
            **cluster.environment,
            "RAY_API_SERVER_ADDRESS": cluster.jobs,
            "TOPK_TUNE_STORAGE": storage,
            "COLUMNS": "200",
        }

    def start(self, *arguments: str, **variables: str) -> Process:
        return self._drivers.start(*arguments, environment={**self._environment, **variables})

    def call(self, *arguments: str, **variables: str) -> tuple[int, str]:
        process = self.start(*arguments, **variables)
        output = ended(process, self.cluster.last_words)
        return process.returncode, output

    def said(self, *arguments: str) -> str:
        code, output = self.call(*arguments)
        assert code == 0, output
        return output

    def outcome(self, job: str) -> str:
        """What a job prints until it is over, and its status then."""
        return self.said("job", "logs", "-f", job) + self.said("job", "status", job)


def first_trial(process: Process) -> list[str]:
    """What a process prints until a trial is done."""
    lines = [""]
    while not lines[-1].startswith("trial "):
        lines.append(process.stdout.readline())
        assert lines[-1], "".join(lines)[-2000:]  # it ended
    return lines


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laptop]:
    folder = tmp_path_factory.mktemp("laptop")
    (folder / "files").mkdir()
    with (
        postgresql() as url,
        running_cluster(
            jobs=True,
            variables={"TOPK_TUNE_STORAGE": url, "TOPK_TUNE_CLUSTER_HOME": str(folder / "head")},
        ) as cluster,
        drivers_in(folder / "files") as drivers,
    ):
        cluster.add_node()
        yield Laptop(folder, cluster, drivers, url)


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_submitted_study_needs_nobody(laptop: Laptop) -> None:
    """Submitted, left alone, looked at and taken home; then resumed and stopped."""
    how = ("--name", "study", "--trials", "10", "--pruner", "none")
    submitted = laptop.said("submit", *QUICK, *how)
    job = submitted.splitlines()[0]
    watcher = laptop.start("job", "logs", "-f", job)
    first_trial(watcher)
    kill_all(watcher)
    printed = laptop.outcome(job)
    says(printed, f"{job}: succeeded", "topk-tune run --no-track")
    says(laptop.said("status", "study"), "10 complete")
    assert yaml.safe_load(laptop.said("export", "study"))["config"]["algorithm"] == "topopt"
    says(printed, "stopped:", "10 trials")
    assert not [word for word in FRIGHTENING if word in printed], printed
    assert (laptop.folder / "head" / "studies" / "study" / "log.txt").is_file()

    again = laptop.said("submit", "resume", "study", "--trials", "+5000", "--no-track")
    job = again.splitlines()[0]
    watcher = laptop.start("job", "logs", "-f", job)
    first_trial(watcher)
    kill_all(watcher)
    says(laptop.said("job", "stop", job), job)
    assert f"{job}: stopped" in laptop.outcome(job)
    says(laptop.said("job", "logs", job), "stopped: interrupted")  # without -f
    trials = laptop.said("status", "study", "--last", "10000")
    assert "running" not in trials

    shown = laptop.said("job", "list")
    assert all(told.splitlines()[0] in shown for told in (submitted, again))
    for told in (submitted, again, printed, shown, trials):
        assert PASSWORD not in told
    assert files_with(PASSWORD, laptop.cluster.folder) == []
    assert files_with(PASSWORD, laptop.folder) == []

    code, output = laptop.call("job", "list", RAY_AUTH_TOKEN="a" * 32)
    assert code == 1
    says(output, "token")
    code, output = laptop.call("job", "status", "raysubmit_none")
    assert code == 2
    says(output, "'raysubmit_none'")


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_study_is_run_on_the_cluster_of_a_file(laptop: Laptop) -> None:
    """Followed to its end, well or badly; and left by Ctrl-C, which does not end it."""
    start = f"ray start --head --dashboard-port={laptop.cluster.job_port}"
    content = {
        "provider": {"type": "local", "head_ip": "127.0.0.1"},
        "head_start_ray_commands": [start],
    }
    (laptop.folder / "files" / "cluster.yaml").write_text(yaml.safe_dump(content))
    there = (*QUICK, "--cluster", "cluster.yaml")
    printed = laptop.said(*there, "--name", "there", "--trials", "3")
    says(printed, "stopped:", "3 trials")
    assert "topk-tune confirm there --cluster cluster.yaml" in printed
    assert not [word for word in FRIGHTENING if word in printed], printed

    code, printed = laptop.call(*there, "--name", "bad", "--sampler", "guess")
    assert code == 2, printed
    says(printed, "sampler 'guess'")

    process = laptop.start(*there, "--name", "left", "--trials", "5000")
    lines = first_trial(process)
    process.send_signal(signal.SIGINT)
    said = ended(process)
    assert process.returncode == 130, said
    job = next(line.split()[1].rstrip(";") for line in lines if line.startswith("job "))
    assert f"topk-tune job stop --cluster cluster.yaml {job}" in said
    assert f"{job}: running" in laptop.said("job", "status", "--cluster", "cluster.yaml", job)


class Client:
    """Stands in for Ray's: its stream of what a job prints goes on when the job has ended."""

    def __init__(self, address: str) -> None:
        self.state = "RUNNING"

    def get_job_info(self, job: str) -> SimpleNamespace:
        state = SimpleNamespace(value=self.state)
        told = {"entrypoint": "true", "message": None, "driver_exit_code": None}
        return SimpleNamespace(submission_id=job, status=state, **told)

    def get_job_logs(self, job: str) -> str:
        return "Running entrypoint for job x: true\nfirst\nsecond\nlast\n"

    async def tail_job_logs(self, job: str) -> AsyncIterator[str]:
        yield "Running entrypoint for job x: true\nfirst\n"
        await asyncio.sleep(0)
        yield "second\nla"
        self.state = "SUCCEEDED"
        await asyncio.Event().wait()


def test_a_job_is_followed_to_its_end_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.job_submission.JobSubmissionClient", Client)
    assert "".join(Jobs("http://127.0.0.1:1").follow("x")) == "first\nsecond\nlast\n"


@pytest.mark.slow
def test_without_a_job_server_it_is_said_at_once(tmp_path: Path) -> None:
    drivers = Drivers(tmp_path)
    environment = {**os.environ, "RAY_ADDRESS": "127.0.0.1:2"}
    process = drivers.start(
        *("submit", "--address", "http://127.0.0.1:1", "run", "--trials", "3"),
        environment=environment,
    )
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 1, output
    says(output, "http://127.0.0.1:1")
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "arguments",
    [
        ["--storage", f"postgresql://me:{PASSWORD}@host/db"],
        [f"--storage=postgresql://me:{PASSWORD}@host/db"],
        ["--storage", f"postgresql+psycopg://me:{PASSWORD}@host/db?sslmode=require"],
        ["--storage", f"postgresql://me:a={PASSWORD}@host/db"],
        ["--storage", f"postgresql://me@host/db?password={PASSWORD}"],
    ],
)
def test_a_password_is_not_sent_in_a_command(arguments: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        check_arguments(["run", *arguments])
    says(error.value, "password")
    assert PASSWORD not in str(error.value)


@pytest.mark.parametrize("arguments", [[], ["export", "demo"], ["--name", "demo"]])
def test_a_job_trains(arguments: list[str]) -> None:
    with raises(ValueError, "run", "resume", "confirm"):
        check_arguments(arguments)


def test_what_may_be_sent() -> None:
    check_arguments(["run", "--storage", "postgresql://me@host/db", "--dataset", "yeast"])
