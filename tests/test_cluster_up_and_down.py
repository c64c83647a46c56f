"""`cluster up` and `cluster down`, with programs in the place of Ray's launcher and of SSH."""

import shlex
import stat
import subprocess
from pathlib import Path

import pytest
from messages import raises
from ray.autoscaler._private.local import config
from stand_ins import put_launcher, put_program, put_ssh

from topk_tune.cluster import ending, starting, token
from topk_tune.cluster.ending import Ended, end_cluster
from topk_tune.cluster.finding import Finding
from topk_tune.cluster.launcher import RAY
from topk_tune.cluster.shell import ShellError
from topk_tune.cluster.starting import StartError, start_cluster

ALL = HEAD, WORKER, OTHER = "192.0.2.1", "192.0.2.2", "192.0.2.3"

UP = """\
#!/bin/bash
printf '%s\\n' "$*" "$RAY_UP_enable_autoscaler_v2" >> {calls}
echo "2026-01-01 00:00:00,000 INFO updater.py:261 -- [1/7] Waiting for SSH to become available"
echo "Warning: Permanently added 'x' (ED25519) to the list of known hosts."
echo "2026-01-01 00:00:01,000 INFO updater.py:488 -- (2/3) pip install"
echo "ERROR: no such wheel"
exit {code}
"""
"""In the place of `ray`, as it speaks of what it does."""


class Stage:
    """A cluster whose machines are this one, and what was called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.said: list[str] = []
        self._monkeypatch = monkeypatch
        put_ssh(folder / "bin", monkeypatch)
        self.file = put_launcher(folder, HEAD, WORKER, OTHER)
        self.noted = folder / "noted"
        monkeypatch.setattr(config, "get_state_path", lambda name: str(self.noted))
        monkeypatch.setenv("HOME", str(folder / "home"))
        self.ray_runs(False)
        self.put_ray()
        self.probed(None, None, None)
        self.nodes(there=[HEAD, WORKER, OTHER])

    def put_ray(self, code: int = 0) -> None:
        text = UP.format(calls=self.folder / "ray-calls", code=code)
        ray = put_program(self.folder / "bin", "ray", text)
        for module in (starting, ending):
            self._monkeypatch.setattr(module, "RAY", ray)

    def ray_runs(self, answer: bool) -> None:
        """What `pgrep` finds; a Ray of other tests may run on this machine."""
        put_program(self.folder / "bin", "pgrep", f"#!/bin/bash\nexit {int(not answer)}\n")

    def probed(self, *problems: str | None) -> None:
        found = [
            Finding(f"{ip} can be set up", problem)
            for ip, problem in zip(ALL, problems, strict=True)
        ]
        self._monkeypatch.setattr(starting, "probe", lambda content: found)

    def nodes(self, there: list[str], failed: str = "[]", trouble: str = "null") -> None:
        """Have the head tell of its nodes."""
        nodes = ", ".join(f'{{"ip": "{ip}"}}' for ip in there)
        told = f'{{"there": [{nodes}], "pending": [], "failed": {failed}, "trouble": {trouble}}}'
        self.python(f"echo {shlex.quote(told)}")

    def python(self, script: str) -> None:
        """The Python of the cluster's environment."""
        bin = self.folder / "home" / "topk-tune" / "venv" / "bin"
        put_program(
            bin, "python", f'#!/bin/bash\necho "$*" >> {self.folder}/python-calls\n{script}\n'
        )
        put_program(bin, "ray", "#!/bin/bash\n")
        put_program(bin, "topk-tune", "#!/bin/bash\n")

    def called(self, program: str) -> list[str]:
        path = self.folder / f"{program}-calls"
        return path.read_text().splitlines() if path.exists() else []

    def up(self, restart: bool = False) -> None:
        start_cluster(self.file, self.said.append, restart)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def test_the_launcher_is_heard_and_the_workers_are_waited_for(stage: Stage) -> None:
    stage.up()
    assert stage.said == [
        "head: [1/7] Waiting for SSH to become available",
        "head: (2/3) pip install",
        "workers: 2 of 2 ready",
    ]
    command, autoscaler = stage.called("ray")
    assert command.startswith("up --yes --no-config-cache ")
    assert command.endswith(str(stage.file))
    assert autoscaler == "0"


@pytest.mark.parametrize("runs", [True, False])
def test_a_head_without_ray_is_set_up_in_full(stage: Stage, runs: bool) -> None:
    stage.noted.write_text("the head has been set up")  # before `cluster down` removed its key
    stage.ray_runs(runs)
    stage.up()
    assert stage.noted.exists() == runs


def test_a_head_that_is_not_set_up_leaves_its_last_words(stage: Stage) -> None:
    stage.put_ray(code=1)
    with pytest.raises(StartError) as error:
        stage.up()
    assert str(error.value) == "the head was not set up; its last lines: ERROR: no such wheel"


def test_a_worker_that_cannot_be_set_up_is_not_waited_for(stage: Stage) -> None:
    stage.probed(None, None, "rsync is missing")
    stage.nodes(there=[HEAD, WORKER])
    stage.up()
    assert stage.said[0] == f"not yet: {OTHER} can be set up: rsync is missing"
    assert stage.said[-1] == "workers: 1 of 1 ready"


def test_an_autoscaler_that_has_ended_is_not_waited_for(stage: Stage) -> None:
    stage.nodes(there=[HEAD], trouble='"out of memory"')
    with raises(StartError, "autoscaler", "out of memory"):
        stage.up()


def test_as_many_are_waited_for_as_the_file_asks_for(stage: Stage) -> None:
    stage.file.write_text(stage.file.read_text() + "min_workers: 1\n")
    stage.nodes(there=[HEAD, WORKER])
    stage.up()
    assert stage.said[-1] == "workers: 1 of 2 ready"


def test_a_head_that_does_not_say_whether_ray_runs_is_left_alone(stage: Stage) -> None:
    put_program(stage.folder / "bin", "pgrep", "#!/bin/bash\nexit 2\n")
    with pytest.raises(ShellError):
        stage.up()
    assert stage.called("ray") == []


def test_without_a_head_or_any_worker_nothing_is_started(stage: Stage) -> None:
    for problems, facts in {
        ("gone", None, None): ("head", "gone"),
        (None, "gone", "gone"): ("no worker",),
    }.items():
        stage.probed(*problems)
        with raises(StartError, *facts):
            stage.up()
    assert stage.called("ray") == []


def test_workers_that_fail_are_named_with_the_reason(stage: Stage) -> None:
    stage.nodes(there=[HEAD, WORKER], failed=f'[{{"ip": "{OTHER}", "reason": "no disk"}}]')
    with raises(StartError, "1 of 2", OTHER, "no disk"):
        stage.up()


def test_a_head_that_tells_nothing_is_an_error(stage: Stage) -> None:
    stage.python("echo no Ray here >&2; exit 1")
    with raises(OSError, HEAD, "no Ray here"):
        stage.up()


@pytest.mark.parametrize("restart", [False, True])
def test_a_ray_that_runs_is_left_alone_unless_it_must_not(stage: Stage, restart: bool) -> None:
    stage.ray_runs(True)
    stage.up(restart)
    left_alone = "--no-restart" in stage.called("ray")[0]
    renewed = "-m topk_tune.cluster renew" in stage.called("python")
    assert (left_alone, renewed) == (not restart, not restart)
    assert ("is not restarted" in stage.said[0]) == (not restart)


@pytest.mark.slow
def test_the_token_is_made_once_for_the_user_alone_and_ray_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "auth_token"
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(path))
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    said: list[str] = []
    assert token.make_token(said.append) == path
    made = path.read_text()
    assert len(made) >= 32
    assert made not in str(said)
    read = subprocess.run([RAY, "get-auth-token"], capture_output=True, text=True, check=True)
    assert read.stdout.strip() == made
    path.chmod(0o644)
    token.make_token(said.append)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (made, 0o600)
    assert len(said) == 1


def test_every_machine_is_ended_and_what_is_left_is_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "_stop_jobs", lambda path, say: None)
    key = stage.folder / "home" / "ray_bootstrap_key.pem"
    stage.python("""echo '{"left": ["raylet (7)"]}'""")
    key.touch()
    assert end_cluster(stage.file, stage.said.append) == [
        Ended(ip, left=["raylet (7)"]) for ip in ALL
    ]
    assert not key.exists()
    assert stage.called("python") == ["-m topk_tune.cluster end"] * 3


def test_a_machine_that_was_never_set_up_has_nothing_to_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "_stop_jobs", lambda path, say: None)
    (stage.folder / "home" / "topk-tune" / "venv" / "bin" / "topk-tune").unlink()
    assert end_cluster(stage.file, stage.said.append) == [Ended(ip, left=[]) for ip in ALL]


def test_a_machine_that_cannot_be_reached_is_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The jobs cannot be stopped then, which is no reason to leave the others running."""
    put_program(stage.folder / "bin", "ssh", "#!/bin/bash\necho no route >&2; exit 255\n")
    problem = f"no SSH to nobody@{HEAD}: no route"
    assert end_cluster(stage.file, stage.said.append)[0] == Ended(HEAD, problem)
    assert stage.said[0] == f"jobs cannot be asked to stop: no SSH to the head {HEAD}: no route"
