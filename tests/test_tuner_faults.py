"""Processes that are killed: workers and drivers of the real command, at work on real trials."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tuning import FakeBackend, FakeResources, command, settings, states, table, wait_until

from topk_tune.backends.local import LocalBackend
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.engine.events import LoopDone, Notice, TrialStarted
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import parse_space
from topk_tune.storage import Location
from topk_tune.storage.store import names
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.training.trial import SplitRows

pytestmark = pytest.mark.slow

DATA = "synthetic:rows=1200,dim=10,m=6"
SPACE = """\
default:
  algorithm: topada
  loops: 10
  n_learners: {type: int, low: 4, high: 40}
  rho: {type: float, low: 0.05, high: 0.3}
"""
"""A trial takes some tenths of a second: time enough to be killed in one."""

Process = subprocess.Popen[str]
STARTED: list[Process] = []


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "space.yaml").write_text(SPACE, encoding="utf-8")
    yield
    while STARTED:  # workers end by themselves when their driver is gone
        with STARTED.pop() as process:
            process.kill()


def start(folder: Path, arguments: str) -> Process:
    options = ("--backend", "local", "--no-track")
    STARTED.append(command(*arguments.split(), *options, folder=folder))
    return STARTED[-1]


def run(folder: Path, options: str) -> Process:
    return start(folder, f"run --name s --dataset {DATA} --space space.yaml {options}")


def here(folder: Path, space: str = SPACE, **changes: object) -> Study:
    """The same study, made by this process."""
    searched, data = parse_space(space, "space.yaml"), load(DATA)
    changes = {"dataset": DATA, "fingerprint": data.fingerprint, "pruner": "median", **changes}
    plan = Plan.checked(settings(searched, **changes), data)
    return Study.create(Location.of(str(folder)), plan)


def finished(folder: Path) -> int:
    """How many trials are finished, read as anyone may while a driver writes."""
    if not names(Location.of(str(folder / "studies"))):
        return 0
    return sum(state in ("complete", "pruned", "failed") for state in states(folder / "studies"))


def ended_well(process: Process) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def workers_of(process: Process) -> list[psutil.Process]:
    found = psutil.Process(process.pid).children(recursive=True)
    return [p for p in found if "topk_tune.backends.local_worker" in words_of(p)]


def words_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # it has just ended
        return []


def test_a_worker_killed_in_the_middle_of_a_trial(tmp_path: Path) -> None:
    backend, attempts = LocalBackend(1), dict[int, int]()

    class Local(ResourceOptions):
        def make(self, space: object, rows: SplitRows) -> LocalBackend:
            return backend

    def observe(notice: Notice) -> None:
        if isinstance(notice, TrialStarted):
            attempts[notice.number] = notice.attempt
        if isinstance(notice, LoopDone) and attempts == {0: 1, 1: 1} and notice.report.loop == 3:
            os.kill(backend._workers[0].pid, signal.SIGKILL)

    killed, whole = here(tmp_path / "killed"), here(tmp_path / "whole")
    killed.run(StopOptions(trials=3), Local("local"), observers=[observe])
    whole.run(StopOptions(trials=3), FakeResources(made=FakeBackend(1, train=None)))
    assert attempts == {0: 1, 1: 2, 2: 1}
    assert table(tmp_path / "killed") == table(tmp_path / "whole")


def test_a_trial_past_its_time(tmp_path: Path) -> None:
    """Its loops have no end; the time does not run while its worker loads."""
    study = here(tmp_path, SPACE.replace("loops: 10", "loops: 1000000"))
    study.run(StopOptions(trials=1), ResourceOptions("local", workers=1, trial_timeout=2.5))
    (record,) = study.records()
    assert (record.state, record.error) == ("failed", "took longer than the limit of 2.5 s")
    assert record.runs


def test_a_driver_killed_and_resumed(tmp_path: Path) -> None:
    """Deterministic, so that it can be compared with a study that nobody disturbed."""
    process = run(tmp_path, "--deterministic --trials 14 --workers 2")
    wait_until(lambda: finished(tmp_path) >= 9, process)  # in the second batch
    workers = workers_of(process)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(workers, timeout=300)
    assert not alive, "workers must end when their driver is gone"
    ended_well(start(tmp_path, "resume s --workers 3"))
    whole = here(tmp_path / "whole", deterministic=True)
    whole.run(StopOptions(trials=14), FakeResources(made=FakeBackend(1, train=None)))
    assert finished(tmp_path) == 14
    assert table(tmp_path / "studies") == table(tmp_path / "whole")


def test_ctrl_c_and_resume(tmp_path: Path) -> None:
    process = run(tmp_path, "--trials 500 --workers 2 --pruner median")
    wait_until(lambda: finished(tmp_path) >= 2, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    assert "topk-tune resume s" in out
    assert "running" not in states(tmp_path / "studies")
    announced = [line for line in out.splitlines() if line.startswith("trial ")]
    before = finished(tmp_path)
    assert len(announced) == before  # all that is written, and nothing else
    study = Study.open(Location.of(str(tmp_path / "studies")), "s")
    study.run(StopOptions(trials=before + 4), FakeResources(made=FakeBackend(1, train=None)))
    assert finished(tmp_path) == len(states(tmp_path / "studies")) == before + 4


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_workers_start(tmp_path: Path, number: signal.Signals) -> None:
    process = run(tmp_path, "--trials 500 --workers 2")
    log = tmp_path / "studies" / "s" / "log.txt"  # which is there once there is a study to resume
    wait_until(lambda: bool(workers_of(process)) and log.exists(), process)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    assert "topk-tune resume s" in out


def test_a_signal_while_a_study_is_confirmed(tmp_path: Path) -> None:
    study = here(tmp_path / "studies")
    study.run(StopOptions(trials=2), FakeResources(made=FakeBackend(1, train=None)))
    study.store.close()
    process = start(tmp_path, "confirm s --seeds 500 --workers 1")
    wait_until(lambda: bool(workers_of(process)), process)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, "Traceback" in err) == (130, False), err


def test_two_resumes_at_once(tmp_path: Path) -> None:
    study = here(tmp_path / "studies")
    study.run(StopOptions(trials=2), FakeResources(made=FakeBackend(1, train=None)))
    study.store.close()
    both = [start(tmp_path, "resume s --trials 6 --workers 1") for _ in range(2)]
    ends = [(*process.communicate(timeout=300), process.returncode) for process in both]
    assert finished(tmp_path) == len(states(tmp_path / "studies")) == 6
    for _, err, code in ends:
        # The other came while this one ran, or when it was done.
        assert code == 0 or (code == 2 and "driven by another process" in err)
    assert any(code == 0 for *_, code in ends)
