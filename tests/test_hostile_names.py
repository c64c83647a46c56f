"""Names that would run, overwrite or break something, through the real commands."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tracking_cases import embedded
from tuning import train_in_this_process

from topk_tune import cli
from topk_tune.commands import driving
from topk_tune.dashboard.watching import Watch
from topk_tune.storage import Location

SPACE = """\
default:
  algorithm: topada
  loops: 2
  n_learners: {type: int, low: 1, high: 4}
  rho: {type: float, low: 0.05, high: 0.3}
"""
LABELS = [
    "<script>document.title='owned'</script>",
    "../../up",
    "quo\"te' $(touch pwned) `touch pwned`",
    "ü ✓ " + "l" * 300,
]
FILES = [
    "<img src=x onerror=\"alert(1)\"> 'q' $(touch pwned); `touch pwned` & ü✓.csv",
    "#a?b=%2e%2e%2fup {{ 7 * 7 }} | \\input{x} %.csv",
    "new\nline \x1b[2J\x1b]0;owned\x07 --> end.csv",
    "n" * 240 + ".csv",
]
STUDIES = ["a b", "../up", "ü", "n" * 300, "<b>", "a'b", ".", "..", "a/b", "a\nb", "$(touch pwned)"]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a folder, so that what comes to lie outside can be seen."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "space.yaml").write_text(SPACE, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)
    train_in_this_process(monkeypatch)
    return folder


def write_data(path: Path) -> None:
    quoted = ['"{}"'.format(name.replace('"', '""')) for name in LABELS]
    rows = [
        f"{i % 7},{i % 5},{i % 2},{i // 2 % 2},{int(i % 3 > 0)},{int(i % 5 == 0)}"
        for i in range(120)
    ]
    path.write_text("\n".join([",".join(["a", "b", *quoted]), *rows]), encoding="utf-8")


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


def check_harmless(folder: Path, name: str, allowed: set[str]) -> None:
    """Nothing outside, nothing executed, nothing beside what belongs there."""
    assert [path.name for path in folder.parent.iterdir()] == ["work"]
    assert {path.name for path in folder.iterdir()} <= {name, "space.yaml", "studies", *allowed}
    assert not list(folder.rglob("pwned"))


@pytest.mark.parametrize(
    ("name", "track"),
    [
        (FILES[0], False),
        *(pytest.param(name, False, marks=pytest.mark.slow) for name in FILES[1:]),
        # MLflow is slow, so one name must be enough for it.
        pytest.param(FILES[0], True, marks=pytest.mark.slow),
    ],
)
def test_a_data_file_of_any_name(
    workplace: Path,
    name: str,
    track: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = embedded(workplace) if track else None
    monkeypatch.setattr(driving, "tracking", lambda wanted: config)
    write_data(workplace / name)
    data = ["--dataset", f"./{name}", "--labels", "4"]
    assert call("data", "check", f"./{name}", "--labels", "4") == 0
    assert call("run", *data, "--space", "space.yaml", "--trials", "2", "--name", "s") == 0
    for command in (["status"], ["status", "s"], ["confirm", "s", "--top", "1", "--seeds", "2"]):
        assert call(*command) == 0, command
    assert "\x1b" not in capsys.readouterr().out  # a terminal shows codes and does not obey them
    for kind, read in (("yaml", yaml.safe_load), ("json", json.loads)):
        assert call("export", "s", "--format", kind) == 0
        assert read(capsys.readouterr().out)["data"]["dataset"] == str(workplace / name)
    for kind in ("csv", "md", "latex"):
        assert call("export", "s", "--format", kind) == 0
    for kind in ("html", "md"):
        assert call("report", "s", "--format", kind) == 0
    page = (workplace / "studies" / "s" / "report.html").read_text(encoding="utf-8")
    assert "<img" not in page and "<script>document" not in page
    news = Watch(Location.of("studies")).news({})["studies"]["s"]
    assert news["facts"]["dataset"] == str(workplace / name) and len(news["trials"]) == 2
    check_harmless(
        workplace, name, {"mlflow.db", "mlflow.db.lock", "artifacts"} if track else set()
    )


COMMANDS = ["status", "export", "report", "confirm", "resume", "dashboard"]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("run --space space.yaml --name", name) for name in STUDIES),
        *(("status", name) for name in STUDIES),
        # They all have the rule from one place.
        *((command, name) for command in COMMANDS[1:] for name in ("../up", "a\nb")),
    ],
)
def test_a_study_has_a_plain_name(
    workplace: Path, command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*command.split(), name) == 2
    assert "a study's name must have 1 to 100 letters" in capsys.readouterr().err
    check_harmless(workplace, "", set())


def test_the_command_of_a_report_is_safe_in_a_shell(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Copied into a shell, the command names the file and executes nothing of its name."""
    monkeypatch.setattr(driving, "tracking", lambda wanted: None)
    write_data(workplace / FILES[0])
    data = ["--dataset", f"./{FILES[0]}", "--labels", "4"]
    assert call("run", *data, "--space", "space.yaml", "--trials", "1", "--name", "s") == 0
    assert call("report", "s", "--format", "md") == 0
    report = (workplace / "studies" / "s" / "report.md").read_text(encoding="utf-8")
    command = report.split("```sh\n")[1].split("\n```")[0].removeprefix("topk-tune ")
    shown = subprocess.run(
        ["sh", "-c", f'topk_tune() {{ printf "%s\\n" "$@"; }}; topk_tune {command}'],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    words = shown.stdout.splitlines()
    assert words[words.index("--dataset") + 1] == str(workplace / FILES[0])
    check_harmless(workplace, FILES[0], set())
