"""Commands that end with the process that started them: real processes, ended in every way."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tuning import wait_until

from topk_tune.processes.keeper import KeptProcess

FAMILY = """
import os, signal, subprocess, sys, time
from pathlib import Path
folder, kind = Path(sys.argv[1]), sys.argv[2]
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) == 3:
    # The shell ends at once, so that a daemon is nobody's child.
    daemon = ["sh", "-c", 'setsid "$@" &', "sh"] if kind == "daemonic" else []
    subprocess.Popen([*daemon, sys.executable, __file__, folder, kind, "grandchild"])
(folder / f"{os.getpid()}.partial").write_text(sys.stdin.read())
(folder / f"{os.getpid()}.partial").rename(folder / f"{os.getpid()}.pid")
if kind == "hasty" and len(sys.argv) == 3:
    while not (folder / "go").exists():
        time.sleep(0.05)
    sys.exit(7)
time.sleep(1000)
"""
"""A program and its child; stubborn ones ignore SIGTERM, a hasty one leaves when told to `go`.
The child of a daemonic one has a session of its own.
"""

PARENT = """
import sys
from topk_tune.processes.keeper import KeptProcess
with KeptProcess(sys.argv[1:]) as kept:
    print(kept.pid, flush=True)
    sys.stdin.readline()
"""

KEEPER = [sys.executable, "-m", "topk_tune.processes.keeper"]


class Family:
    """A program and its child that a keeper looks after."""

    def __init__(self, folder: Path, kind: str = "plain") -> None:
        self.folder = folder
        program = folder / "family.py"
        program.write_text(FAMILY)
        self.command = [sys.executable, str(program), str(folder), kind]
        self.members: list[psutil.Process] = []

    def await_both(self) -> None:
        """Wait until both have come up."""
        wait_until(lambda: len(list(self.folder.glob("*.pid"))) == 2)
        self.members = [psutil.Process(int(path.stem)) for path in self.folder.glob("*.pid")]

    @property
    def alive(self) -> list[psutil.Process]:
        """Those that still run; orphans may stay as zombies where nobody buries them."""
        return [process for process in self.members if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def family(folder: Path, kind: str = "plain") -> Iterator[Family]:
    """A family of which nobody outlives the test, also if it fails."""
    made = Family(folder, kind)
    try:
        yield made
    finally:
        for process in made.alive:
            process.kill()


@contextmanager
def started(command: list[str]) -> Iterator["subprocess.Popen[str]"]:
    """A process with pipes to and from it."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    "end", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, "normal", "exception"]
)
def test_a_command_ends_with_its_parent(tmp_path: Path, end: signal.Signals | str) -> None:
    program = PARENT + ("raise RuntimeError\n" if end == "exception" else "")
    with family(tmp_path) as made:
        with started([sys.executable, "-c", program, *made.command]) as parent:
            assert parent.stdin is not None and parent.stdout is not None
            keeper = psutil.Process(int(parent.stdout.readline()))
            made.await_both()
            if isinstance(end, signal.Signals):
                parent.send_signal(end)
            else:
                parent.stdin.write("\n")
                parent.stdin.flush()
            parent.wait(300)
        wait_until(lambda: not made.alive and not _runs(keeper))


@pytest.mark.slow
def test_a_command_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    with family(tmp_path, "stubborn") as made, started([*KEEPER, *made.command]) as keeper:
        made.await_both()
        assert keeper.stdin is not None
        keeper.stdin.close()
        assert keeper.wait(300) == 128 + signal.SIGKILL
        wait_until(lambda: not made.alive)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of daemons")
def test_a_daemon_does_not_escape(tmp_path: Path) -> None:
    with family(tmp_path, "daemonic") as made, started([*KEEPER, *made.command]) as keeper:
        made.await_both()
        assert len({os.getsid(member.pid) for member in made.members}) == 2
        assert keeper.stdin is not None
        keeper.stdin.close()
        assert keeper.wait(300) == 128 + signal.SIGTERM
        assert not made.alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_keeper_that_is_told_to_end_ends_the_command(
    tmp_path: Path, number: signal.Signals
) -> None:
    with family(tmp_path) as made, started([*KEEPER, *made.command]) as keeper:
        made.await_both()
        keeper.send_signal(number)
        assert keeper.wait(300) == 128 + signal.SIGTERM
        wait_until(lambda: not made.alive)


def test_only_the_end_of_the_standard_input_counts(tmp_path: Path) -> None:
    with family(tmp_path) as made, started([*KEEPER, *made.command]) as keeper:
        assert keeper.stdin is not None
        for _ in range(3):
            keeper.stdin.write("x" * 10_000)
            keeper.stdin.flush()
        made.await_both()
        # The command has an input of its own, which was at its end at once.
        assert all(path.read_text() == "" for path in tmp_path.glob("*.pid"))
        assert (len(made.alive), keeper.poll()) == (2, None)
        keeper.stdin.close()
        assert keeper.wait(300) == 128 + signal.SIGTERM
        wait_until(lambda: not made.alive)


def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    """And its exit code is handed through, while the standard input is still open."""
    with family(tmp_path, "hasty") as made, started([*KEEPER, *made.command]) as keeper:
        made.await_both()
        (tmp_path / "go").touch()
        assert keeper.wait(300) == 7
        wait_until(lambda: not made.alive)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("", 0),
        ("raise SystemExit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137),
    ],
)
def test_the_exit_code_is_the_commands(program: str, code: int) -> None:
    with KeptProcess([sys.executable, "-c", program]) as kept:
        assert kept.wait() == kept.poll() == code
        assert kept.stop() == code


def test_what_a_command_says_goes_where_it_was_sent(tmp_path: Path) -> None:
    program = "import os, sys; print(os.environ['WORD']); print('and this', file=sys.stderr)"
    with (tmp_path / "said").open("w+") as said:
        environment = {**os.environ, "WORD": "this"}
        command = [sys.executable, "-c", program]
        with KeptProcess(command, stdout=said, stderr=subprocess.STDOUT, env=environment) as kept:
            kept.wait()
        said.seek(0)
        assert sorted(said.read().splitlines()) == ["and this", "this"]


def test_a_command_that_cannot_be_started_is_said_in_a_sentence() -> None:
    done = subprocess.run([*KEEPER, "no-such"], capture_output=True, text=True, check=False)
    sentence = "no-such cannot be started: No such file or directory\n"
    assert (done.returncode, done.stderr) == (127, sentence)


def test_stopping_leaves_nothing(tmp_path: Path) -> None:
    with family(tmp_path) as made:
        kept = KeptProcess(made.command)
        try:
            made.await_both()
            assert kept.poll() is None
        finally:
            assert kept.stop() == 128 + signal.SIGTERM
        assert not made.alive


def test_other_children_do_not_hold_a_command(tmp_path: Path) -> None:
    """Whoever inherits the pipe to a keeper would keep the command from ending."""
    with family(tmp_path) as made:
        kept = KeptProcess(made.command)
        with started(["sleep", "1000"]):
            made.await_both()
            kept.stop()
        assert not made.alive


def test_a_keeper_loads_nothing_but_the_standard_library() -> None:
    program = """
import sys
before = set(sys.modules)
import topk_tune.processes.keeper
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - {"topk_tune"} <= sys.stdlib_module_names
