"""Commands on the machines of a cluster: how SSH is called, and scripts that real shells run."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says
from stand_ins import put_program, put_ssh

from topk_tune.cluster import head_folder
from topk_tune.cluster.launcher import ClusterError
from topk_tune.cluster.shell import Shell, ShellError, head_shell, shell_to

HERE = Shell("127.0.0.1")
THERE = Shell("192.0.2.1", user="tuner")

NASTY = [
    "two words",
    "it's",
    'say "no"',
    "$HOME",
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "a\nb",
    "*",
    "~",
    "\\",
    "",
    "--",
    "größe",
]

PROGRAM = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), os.getenv('A')]))"


def options(command: list[str]) -> dict[str, str]:
    """The options of SSH by name."""
    given = [command[i + 1] for i, word in enumerate(command) if word == "-o"]
    return dict(each.split("=", 1) for each in given)


def test_ssh_asks_nothing_and_shares_nothing() -> None:
    command = THERE.command("true")
    assert command[0] == "ssh"
    assert command[-2:] == ["tuner@192.0.2.1", "true"]
    found = options(command)
    assert found["BatchMode"] == "yes"
    assert (found["ControlMaster"], found["ControlPath"]) == ("no", "none")
    assert int(found["ConnectTimeout"]) > 0
    assert found["StrictHostKeyChecking"] == "accept-new"
    assert "-i" not in command and "IdentitiesOnly" not in found and "ProxyCommand" not in found


@pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh")
def test_ssh_itself_takes_the_options(tmp_path: Path) -> None:
    (tmp_path / "a key").touch()
    shell = Shell("192.0.2.1", user="tuner", key=str(tmp_path / "a key"), proxy="nc %h %p")
    command = shell.command("true", "-L", "127.0.0.1:2:127.0.0.1:3")
    asked = subprocess.run(
        [command[0], "-G", *command[1:]], capture_output=True, text=True, check=True
    )
    settings = dict(line.partition(" ")[::2] for line in asked.stdout.splitlines())
    assert settings["user"] == "tuner"
    assert settings["batchmode"] == "yes"
    assert settings["identityfile"] == str(tmp_path / "a key")
    assert settings["identitiesonly"] == "yes"
    assert settings["proxycommand"] == "nc %h %p"
    assert settings["controlmaster"] in ("no", "false")
    assert settings["localforward"] == "[127.0.0.1]:2 [127.0.0.1]:3"


def test_the_launcher_file_says_who_logs_in_and_how() -> None:
    auth = {
        "ssh_user": "tuner",
        "ssh_private_key": "~/.ssh/key",
        "ssh_proxy_command": "ssh -W %h:%p gate",
    }
    content = {"provider": {"type": "local", "head_ip": "192.0.2.1"}, "auth": auth}
    assert head_shell(content) == Shell("192.0.2.1", *auth.values())
    content["provider"] |= {"external_head_ip": "198.51.100.1"}
    assert head_shell(content).host == "198.51.100.1"
    assert shell_to("192.0.2.2", {"provider": {}}) == Shell("192.0.2.2")
    with raises(ClusterError, "provider.head_ip"):
        head_shell({"provider": {"type": "local"}})


def test_without_ssh_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with raises(ClusterError, "ssh"):
        THERE.run("true")


def test_a_tunnel_is_on_loopback_at_both_ends() -> None:
    command = THERE.forwarding(1234, 8265)
    assert command[-4:] == ["-N", "-L", "127.0.0.1:1234:127.0.0.1:8265", "tuner@192.0.2.1"]
    assert options(command)["ExitOnForwardFailure"] == "yes"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cluster whose head is this machine, and is called badly."""
    folder = tmp_path / "a 'home' of $HOME"
    folder.mkdir()
    (folder / "told.py").write_text(PROGRAM)
    monkeypatch.setenv(head_folder.ENVIRONMENT, str(folder))
    return folder


def test_words_come_to_a_module_as_they_were_given(home: Path) -> None:
    script = head_folder.script(HERE, "told", *NASTY, A=NASTY[4])
    assert json.loads(HERE.run(script)) == [NASTY, str(home), NASTY[4]]
    assert [file.name for file in home.iterdir() if file.is_file()] == ["told.py"]


def test_so_they_do_by_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the environment of the head, and in the folder that is always its own."""
    folder = tmp_path / "topk-tune"
    (folder / "venv" / "bin").mkdir(parents=True)
    (folder / "venv" / "bin" / "python").symlink_to(shutil.which("python3") or "python3")
    (folder / "told.py").write_text(PROGRAM)
    (folder / "environment").write_text("A='of the head'\n")
    calls = put_ssh(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("HOME", str(tmp_path))
    script = head_folder.script(THERE, "told", *NASTY)
    with raises(ShellError, "topk-tune cluster up"):
        THERE.run(script)
    put_program(folder / "venv" / "bin", "topk-tune", "#!/bin/bash\n")
    assert json.loads(THERE.run(script)) == [NASTY, str(folder), "of the head"]
    assert "tuner@192.0.2.1" in calls.read_text()


@given(words=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_the_command_of_a_job_is_shown_as_it_was_given(words: list[str]) -> None:
    sent = shlex.split(shlex.join(head_folder.entry(["run", *words])))
    assert shlex.split(head_folder.command_line(sent)) == ["topk-tune", "run", *words]


def test_other_jobs_are_shown_as_they_are() -> None:
    assert head_folder.command_line(["python", "train.py", "a b"]) == "python train.py 'a b'"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo first >&2; echo last >&2; echo out; exit 3", "last"),
        ("echo out; exit 3", "out"),
        ("exit 3", 3),
        ("exit 255", 255),
    ],
)
def test_a_script_that_fails_says_why(script: str, reason: object) -> None:
    with raises(ShellError, "127.0.0.1", reason):
        HERE.run(script)


def test_what_never_ends_is_given_up() -> None:
    with raises(ShellError, "127.0.0.1", "0.2 s"):
        HERE.run("exec sleep 60", timeout=0.2)


def test_a_machine_that_cannot_be_reached_is_told_from_a_script_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_ssh(tmp_path, monkeypatch)
    assert THERE.run("echo well") == "well\n"
    with pytest.raises(ShellError) as failed:
        THERE.run("echo badly >&2; exit 1")
    says(failed.value, "192.0.2.1", "badly")
    assert "SSH" not in str(failed.value)
    with raises(ShellError, "SSH", "tuner@192.0.2.1", "no route to host"):
        THERE.run("echo no route to host >&2; exit 255")


def test_bytes_that_are_no_text_are_no_error() -> None:
    assert HERE.run(r"printf '\377'") == "�"
