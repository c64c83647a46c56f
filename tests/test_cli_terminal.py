"""What a person sees: on wide and narrow terminals, without colours, without UTF-8, in a pipe."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from messages import says
from terminals import PATIENCE, on_terminal, plain

SPACE = """\
default:
  algorithm: topada
  loops: 3
  n_learners: {type: int, low: 1, high: 6}
  rho: {type: float, low: 0.05, high: 0.3}
  exploration: {type: choice, options: [uniform, single-swap]}
"""
DATA = "synthetic:rows=200,dim=5,m=4,cardinality=2,seed=1"
RUN = [
    *("run", "--name", "s", "--dataset", DATA, "--space", "space.yaml", "--trials", "4"),
    *("--seeds", "2", "--backend", "local", "--workers", "1", "--no-track", "--pruner", "median"),
]
BEGIN, END = "\x1b[?25l", "\x1b[?25h"
"""A live view hides the cursor while it is there."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*\b(3[0-7]|38|4[0-7]|48|9[0-7])\b[0-9;]*m")


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path) -> None:
    (tmp_path / "space.yaml").write_text(SPACE, encoding="utf-8")


def live(text: str) -> list[str]:
    """The lines of the live view, all its frames one after another."""
    assert text.count(BEGIN) == text.count(END) == 1
    return plain(text[text.index(BEGIN) : text.index(END)]).splitlines()


@pytest.mark.slow
def test_a_wide_terminal_shows_it_all_in_colour(tmp_path: Path) -> None:
    code, text = on_terminal(tmp_path, *RUN, columns=100)
    assert code == 0, text
    lines = live(text)
    assert max(map(len, lines)) <= 100
    assert any("4/4 trials" in line for line in lines)
    assert any(line.startswith("best ") for line in lines)
    assert "exploration" in "".join(lines)
    says(plain(text), "stopped:", "4 trials")
    assert _COLOUR.search(text)


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "columns"), [("ascii", 40), ("latin-1", 60)])
def test_a_narrow_terminal_without_colour_or_utf_8(
    tmp_path: Path, encoding: str, columns: int
) -> None:
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "NO_COLOR": "1"}
    code, text = on_terminal(tmp_path, *RUN, columns=columns, **variables)
    assert code == 0, text
    lines = live(text)
    assert max(map(len, lines)) <= columns
    assert any("4/4 trials" in line for line in lines)
    assert not _COLOUR.search(text)
    assert "Traceback" not in text
    if encoding == "ascii":
        assert text.isascii()
        assert " +/- 0." in plain(text)


@pytest.mark.slow
def test_quiet_shows_nothing_on_a_terminal(tmp_path: Path) -> None:
    assert on_terminal(tmp_path, "-q", *RUN) == (0, "")


@pytest.mark.slow
def test_a_pipe_gets_plain_lines(tmp_path: Path) -> None:
    # As with `LC_ALL=C` on a system that has no C.UTF-8 to fall back on.
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [str(Path(sys.executable).with_name("topk-tune")), *RUN]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    text = (done.stdout + done.stderr).decode("ascii")
    assert done.returncode == 0, text
    assert "\x1b" not in text
    assert sum(line.startswith("trial ") for line in text.splitlines()) == 4
    assert " +/- 0." in text


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("topk-tune"))
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [program, "data", "list", "--format", "json"],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(e, marks=pytest.mark.slow) for e in ("latin-1", "utf-8"))]
)
def test_data_for_programs_is_utf_8_whatever_the_terminal_has(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "größe ✓.csv"
    path.write_text("a,b,ja,né✓\n" + "1,2,0,1\n3,4,1,0\n" * 5, encoding="utf-8")
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("topk-tune")), "data", "check", path.name),
            *("--labels", "2", "--format", "csv"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8").splitlines()[1].startswith("größe ✓,")
    assert done.stderr.decode(encoding).count("can be used") == 1
