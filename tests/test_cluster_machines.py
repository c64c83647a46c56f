"""The README's cluster, word by word, on machines with SSH; and what may happen to it.

Opt-in, by `make test-cluster`: it needs root, namespaces and an SSH server.
"""

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator

import psutil
import pytest
import yaml
from machines import Command, Machine, Machines, machines_in, missing
from messages import says
from pages import blocks

pytestmark = [
    pytest.mark.machines,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(missing()), reason=f"it needs {', '.join(missing())}"),
]

PROJECT = "~/topk-tune"
HANG = 240.0
"""Seconds after which what is waited for will never come."""

TUNE = ".venv/bin/topk-tune"
SONGS = "--dataset examples/songs.csv"
CLUSTER = "--cluster cluster.yaml"

SENT = "--dataset files/*/songs.csv"
"""The same on the head, which has it from the first job."""
ONE_EACH = f"--cpus {os.cpu_count()}"
"""A worker a machine: they all share the processors of this one, with what happens to them."""

SPACE = """\
default:
  algorithm: topopt
  loops: 12
  n_learners: {type: int, low: 100, high: 110}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
  gamma: 0.1
  k: 3
"""
ENDLESS = 5000
"""Trials that a study never gets through before something happens to it."""
MORE = 12


class Cluster:
    """The machines, as seen from the laptop in the folder of the project."""

    def __init__(self, machines: Machines) -> None:
        self.nodes = machines.nodes
        self.laptop = machines.laptop
        self.file = machines.file
        self.name = machines.name

    def run(self, command: str) -> str:
        return self.laptop.run(command, PROJECT)

    def start(self, command: str) -> Command:
        return self.laptop.start(command, PROJECT)

    def fetched(self, address: str) -> str:
        """A page as the laptop sees it."""
        get = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())"
        return self.run(f"{TUNE.replace('topk-tune', 'python')} -c '{get}' '{address}'")

    def trials(self, study: str) -> list[dict[str, object]]:
        listed = self.run(f"{TUNE} status {study} {CLUSTER} --format yaml")
        return list(yaml.safe_load(listed))

    def finished(self, study: str) -> int:
        try:
            states = Counter(trial["state"] for trial in self.trials(study))
        except AssertionError:  # not made yet
            return 0
        return states["complete"] + states["pruned"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with machines_in(tmp_path_factory.mktemp("machines"), workers=3) as machines:
        made = Cluster(machines)
        made.name("n1", "n2")
        yield made


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)


def running(machine: Machine, *words: str) -> list[str]:
    """The commands of its user that hold all of some words."""
    lines = [command_of(process) for process in machine.processes()]
    return [line for line in lines if all(word in line for word in words)]


def command_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def readme() -> list[str]:
    """The commands of the README's block about clusters."""
    (block,) = [block for block in blocks("README.md") if "cluster up" in block.code]
    return [line.split("  #")[0].rstrip() for line in block.code.splitlines()]


def said(command: Command, wanted: str) -> str:
    """The first line that a command prints with something in it."""
    until(lambda: wanted in command.said or command.is_over)
    lines = [line for line in command.said.splitlines() if wanted in line]
    assert lines, command.said  # it ended
    return lines[0]


def test_the_readme_leads_to_the_best_configuration_and_the_page_of_mlflow(
    cluster: Cluster,
) -> None:
    build, check, up, run, export, ui, down = readme()
    cluster.run(build)
    assert "\nno " not in cluster.run(check)  # and its exit code is 0, as the file is shipped

    told = cluster.run(up)
    for step in (
        "head: [1/7]",
        "head: [6/7]",
        "install what has changed",
        "head: [7/7]",
        "workers: 0 of 2",
    ):
        assert step in told  # nobody wonders what is going on
    assert "workers: 2 of 2 ready" in told  # all that the file names

    told = cluster.run(run)
    says(told, "stopped:", "40 trials")
    assert not [word for word in ("Traceback", "job_manager", "entrypoint") if word in told]

    cluster.run(export)
    best = yaml.safe_load((cluster.file.parent / "best.yaml").read_text())
    assert best["provenance"]["study"] == "big"

    serving = cluster.start(ui)
    address = said(serving, "open http").split()[1].split("/#")[0]
    assert "MLflow" in cluster.fetched(f"{address}/")
    run_id = said(serving, "the study itself").split()[0].split("/runs/")[1].split("?")[0]
    assert '"big"' in cluster.fetched(f"{address}/api/2.0/mlflow/runs/get?run_id={run_id}")
    cluster.laptop.signal(serving, signal.SIGINT)
    assert serving.code(HANG) == 0
    until(lambda: not running(cluster.nodes["head"], "mlflow"))
    assert down.endswith("cluster down cluster.yaml")  # which the last test here does


def test_what_the_last_lines_advise_works_when_pasted(cluster: Cluster) -> None:
    told = cluster.run(f"{TUNE} resume big {CLUSTER} {ONE_EACH} --trials +2")
    advised = re.findall(r"^(?:next:|     ) (topk-tune .*?)(?:   .*)?$", told, re.MULTILINE)
    assert [line.split()[1] for line in advised] == ["confirm", "export", "report", "resume"]
    assert all(CLUSTER in line for line in advised)
    confirm, export, report, resume = (f".venv/bin/{line}" for line in advised)
    assert "on the test rows" in cluster.run(f"{confirm} --top 2 --seeds 2")
    assert yaml.safe_load(cluster.run(export))["provenance"]["confirmed"] is True
    cluster.run(report)
    assert "<html" in (cluster.file.parent / "big-report.html").read_text()
    assert "stopped: all" in cluster.run(resume)

    assert len(cluster.trials("big")) == 40 + 2 + 20
    head = cluster.nodes["head"]
    assert head.run("find ~ -name mlflow.db").split() == ["/home/tuner/topk-tune/mlflow.db"]
    listed = cluster.run(f"{TUNE} job list {CLUSTER}")
    assert len(re.findall(r"\bsucceeded\b", listed)) == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_ends_leaves_nothing_on_the_laptop(cluster: Cluster, number: int) -> None:
    run = f"{TUNE} run {CLUSTER} {SONGS} {ONE_EACH} --no-track"
    following = cluster.start(f"{run} --trials {ENDLESS}")
    job = said(following, "job study-").split()[1].rstrip(";")
    until(lambda: running(cluster.laptop, "ssh", "-L"))
    cluster.laptop.signal(following, number)
    following.code(HANG)
    until(lambda: not cluster.laptop.processes())
    assert f"{job}: running" in cluster.run(f"{TUNE} job status {CLUSTER} {job}")
    cluster.run(f"{TUNE} job stop {CLUSTER} {job}")
    until(lambda: "running" not in cluster.run(f"{TUNE} job status {CLUSTER} {job}"))
    assert not cluster.laptop.processes()


@pytest.mark.parametrize("how", ["--cluster", "ssh"])
def test_the_page_of_mlflow_ends_with_the_line_to_it(cluster: Cluster, how: str) -> None:
    head = cluster.nodes["head"]
    command = f"{TUNE} ui big {CLUSTER}"
    if how == "ssh":  # with a terminal, as somebody who logs in has it
        command = (
            f"ssh -tt -o StrictHostKeyChecking=no tuner@{head.ip} 'cd topk-tune; topk-tune ui'"
        )
    serving = cluster.start(command)
    said(serving, "open http")
    assert running(head, "mlflow")
    cluster.laptop.signal(serving, signal.SIGKILL)
    serving.code(HANG)
    until(lambda: not running(head, "mlflow"))
    until(lambda: not cluster.laptop.processes())


def test_a_shell_of_the_head_has_our_commands_and_keeps_secrets(cluster: Cluster) -> None:
    head = cluster.nodes["head"]
    ssh = f"ssh -o StrictHostKeyChecking=no tuner@{head.ip}"
    run = f"topk-tune run --address auto {SENT} {ONE_EACH} --trials 2 --no-track --name there"
    outside = cluster.start(f"env RAY_AUTH_MODE=token {TUNE} run --address {head.ip}:6379")
    told = cluster.run(f"{ssh} 'export RAY_AUTH_MODE=token; ray --version; cd topk-tune; {run}'")
    says(told, "stopped:", "2 trials")
    for machine in (head, cluster.nodes["n1"], cluster.nodes["n2"]):
        assert machine.run("stat --format %a ~/.ray/auth_token").strip() == "600"
    assert head.run("stat --format %a ~/ray_bootstrap_key.pem").strip() == "600"
    assert cluster.run("stat --format %a ~/.ray/auth_token").strip() == "600"

    assert outside.code(60) == 1  # without an answer Ray would go on for ever
    assert "--cluster FILE" in outside.said


def test_the_table_of_trials_is_that_of_one_machine(cluster: Cluster) -> None:
    study = f"{SONGS} --deterministic --trials 12 --no-track --name same"
    cluster.run(f"{TUNE} run {CLUSTER} {study}")
    cluster.run(f"{TUNE} run --backend local --workers 1 {study}")
    tables = []
    for where in (CLUSTER, ""):
        rows = yaml.safe_load(cluster.run(f"{TUNE} status same {where} --format yaml"))
        tables.append([without_times(row) for row in rows])
    assert len(tables[0]) == 12
    assert yaml.safe_dump(tables[0]) == yaml.safe_dump(tables[1])


def without_times(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in ("seconds", "attempts")}


def test_a_study_outlives_nodes_the_head_and_the_laptop(cluster: Cluster) -> None:
    head, n1, n2, n3 = cluster.nodes.values()
    (cluster.file.parent / "space.yaml").write_text(SPACE)
    run = f"{TUNE} run {CLUSTER} --name hardy --space space.yaml --pruner none --no-track"
    following = cluster.start(f"{run} {ONE_EACH} --trials {ENDLESS}")
    said(following, "trial ")
    n2.lose_power()

    cluster.name("n1", "n2", "n3")
    told = cluster.run(f"{TUNE} cluster up cluster.yaml")
    assert "Ray is running on the head" in told
    assert f"not yet: {n2.ip} can be set up: no SSH to" in told
    until(lambda: running(n3, "ray::Worker"))
    assert not following.is_over
    before = cluster.finished("hardy")
    assert before > 0

    head.lose_power()
    assert following.code(HANG) == 1
    for machine in (head, n2):
        machine.switch_on()
    assert cluster.finished("hardy") >= before  # without Ray, by SSH alone
    starting = cluster.start(f"{TUNE} cluster up cluster.yaml")
    said(starting, "head: [1/7]")  # so every machine has answered
    resume = f"{TUNE} resume hardy {CLUSTER} {ONE_EACH} --trials +{MORE} --no-track"
    with n1.deaf(), n2.deaf(), n3.deaf():  # or they may be there before the study is
        said(starting, "workers: 0 of 3")
        resumed = cluster.start(resume)
        job = said(resumed, "job study-").split()[1].rstrip(";")
        waiting = said(resumed, "being set up")  # not a word less while no worker has a place
    assert waiting.startswith("waiting for a worker: 1 node is there without room")
    said(starting, "workers: 3 of 3 ready")
    assert starting.code(HANG) == 0
    said(resumed, "trial ")

    cluster.laptop.lose_power()
    cluster.laptop.switch_on()
    logs = cluster.run(f"{TUNE} job logs -f {CLUSTER} {job}")
    trials = cluster.trials("hardy")
    says(logs, "stopped:", f"{len(trials)} trials")
    assert [trial["number"] for trial in trials] == list(range(len(trials)))
    assert len(trials) >= before + MORE
    assert {trial["state"] for trial in trials} == {"complete"}


def test_down_ends_everything_everywhere(cluster: Cluster) -> None:
    head = cluster.nodes["head"]
    run = f"{TUNE} run {CLUSTER} {SONGS} {ONE_EACH} --no-track --name left"
    left = cluster.start(f"{run} --trials {ENDLESS}")
    said(left, "trial ")
    told = cluster.run(readme()[-1])
    assert "stopping job study-" in told
    assert told.count(": nothing runs") == 4
    assert left.code(HANG) == 130
    for machine in cluster.nodes.values():
        assert machine.processes() == []
    until(lambda: not cluster.laptop.processes())  # Ray's SSH stays for some seconds
    assert "ray_bootstrap_key" not in head.run("ls -a ~")
    assert "running" not in {trial["state"] for trial in cluster.trials("left")}
