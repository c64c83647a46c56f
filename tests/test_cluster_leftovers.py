"""The end of what an environment has started on a machine, and of nothing else.

The environment is a folder of the test: that of this Python runs the tests themselves.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

END = """
import sys
from topk_tune.cluster import leftovers
leftovers._GRACE = 0.5
sys.prefix = sys.argv[1]
leftovers.end_all()
"""

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(1000)
"""


class Machine:
    """A folder with an environment, and processes that run."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "venv"
        self._started: list[subprocess.Popen[str]] = []
        for name in ("venv", "venv2"):
            (folder / name / "bin").mkdir(parents=True)
            (folder / name / "bin" / "sleep").symlink_to(shutil.which("sleep") or "/bin/sleep")

    def start(self, *command: str, **variables: str) -> psutil.Process:
        """Start a program in the folder of the environment."""
        environment = {"PATH": os.environ["PATH"], **variables}
        process = subprocess.Popen(
            command, cwd=self.prefix, env=environment, stdout=subprocess.PIPE, text=True
        )
        self._started.append(process)
        return psutil.Process(process.pid)

    def end_all(self) -> dict[str, object]:
        """What is told of the end of the environment; nobody takes note of who has ended."""
        done = subprocess.run(
            [sys.executable, "-c", END, str(self.prefix)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        told: dict[str, object] = json.loads(done.stdout)
        return told

    def says(self, process: psutil.Process) -> str:
        """The next line that a process prints."""
        (found,) = (each for each in self._started if each.pid == process.pid)
        assert found.stdout is not None
        return found.stdout.readline()

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.close()


def runs(process: psutil.Process) -> bool:
    return process.status() != psutil.STATUS_ZOMBIE


def test_what_belongs_to_the_environment_ends_and_nothing_else(machine: Machine) -> None:
    prefix = machine.prefix
    ours = [
        machine.start(f"{prefix}/bin/sleep", "1000"),
        machine.start("bin/sleep", "1000"),
        machine.start("sleep", "1000", VIRTUAL_ENV=str(prefix)),
    ]
    others = [
        machine.start("sleep", "1000"),
        machine.start("sleep", "1000", VIRTUAL_ENV=f"{prefix}2"),
        machine.start(f"{prefix}2/bin/sleep", "1000"),
        machine.start("tail", "-f", f"{prefix}/bin/sleep"),
    ]
    assert machine.end_all() == {"left": []}
    assert [runs(process) for process in ours] == [False] * len(ours)
    assert [runs(process) for process in others] == [True] * len(others)


def test_what_does_not_listen_is_killed(machine: Machine) -> None:
    stubborn = machine.start(sys.executable, "-c", STUBBORN, VIRTUAL_ENV=str(machine.prefix))
    assert machine.says(stubborn) == "up\n"
    assert machine.end_all() == {"left": []}
    assert not runs(stubborn)


def test_whoever_asks_goes_on(machine: Machine) -> None:
    """The shell that SSH started for it may have the variables too."""
    asks = f"{sys.executable} -c '{END}' {machine.prefix}; echo still here"
    shell = machine.start(
        "bash", "-c", asks, VIRTUAL_ENV=str(machine.prefix), PYTHONPATH=os.getenv("PYTHONPATH", "")
    )
    assert json.loads(machine.says(shell)) == {"left": []}
    assert machine.says(shell) == "still here\n"
