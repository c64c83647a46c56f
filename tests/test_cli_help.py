"""What the commands say of themselves, and of names that nothing has."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from messages import says
from tuning import study

from topk_tune import cli
from topk_tune.cli.app import app


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


def commands(group: typer.Typer = app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command."""
    for info in group.registered_commands:
        assert info.callback is not None
        yield (*path, info.name or info.callback.__name__)
    for inner in group.registered_groups:
        assert inner.typer_instance is not None and inner.name is not None
        yield from commands(inner.typer_instance, (*path, inner.name))


@pytest.mark.parametrize("command", [(), *commands()], ids=" ".join)
def test_every_help_has_an_example_of_itself(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*command, "--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Example: {' '.join(('topk-tune', *command))}" in shown


def test_the_exit_codes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    (told,) = re.findall(r"Exit codes:.*", " ".join(capsys.readouterr().out.split()))
    says(told, 0, 1, 2, 130)


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        ("rnu", "'run'"),
        ("data shwo", "'show'"),
        ("run --trails 3", "--trials"),
        ("status dmeo", "'demo'"),
        ("resume dmeo", "'demo'"),
        ("confirm dmeo", "'demo'"),
        ("export dmeo", "'demo'"),
        ("report dmeo", "'demo'"),
        ("train yeats", "'yeast'"),
        ("train --algorithm topoptt", "'topopt'"),
        ("run --algorithm topad", "'topada'"),
        ("data show yeats", "'yeast'"),
        ("export demo --format latx", "'latex'"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest(
    arguments: str,
    nearest: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)
    study(tmp_path / "studies", name="demo").store.close()
    assert call(*arguments.split()) == 2
    assert nearest in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ui", "sync"])
def test_a_misspelt_tracked_study_is_told_the_nearest(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)
    folder = tmp_path / "studies" / "demo" / "tracking"
    folder.mkdir(parents=True)
    (folder / "spool.jsonl").touch()
    assert call(command, "dmeo") == 2
    says(capsys.readouterr().err, "'dmeo'", "'demo'")
