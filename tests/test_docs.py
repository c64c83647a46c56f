"""The commands of the README and the docs, and the examples, as they stand."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NOT_HERE = ("make ", "topk-tune ui")
"""What other tests run: installing twice, and a server that never ends by itself."""


SMALLER = {"--trials 20": "--trials 4", "--trials +10": "--trials +2", "--seeds 5": "--seeds 2"}
"""A budget that the tests can afford; everything else is as it stands."""


def blocks(page: str, language: str) -> list[str]:
    """The code of a page in a language, "" for blocks that name none."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    return [code for named, code in found if named == language]


def commands(page: str) -> list[str]:
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    found = [line.split(" #")[0].strip().removeprefix(".venv/bin/") for line in lines]
    return [line for line in found if line and not line.startswith(NOT_HERE)]


def run(arguments: list[str], folder: Path) -> None:
    done = subprocess.run(
        arguments, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, f"{shlex.join(arguments)}\n{done.stdout}"


def test_the_commands_of_the_readme_work_in_their_order(tmp_path: Path) -> None:
    found = commands("README.md")
    assert any(line.startswith("topk-tune run") for line in found)
    for line in found:
        for large, small in SMALLER.items():
            line = line.replace(large, small)
        program, *arguments = shlex.split(line)
        assert program == "topk-tune", line
        run([str(BIN / program), *arguments], tmp_path)
    assert (tmp_path / "best.yaml").read_text(encoding="utf-8").startswith("config:")


@pytest.mark.parametrize("number", range(2))
def test_the_python_of_the_readme_works(number: int, tmp_path: Path) -> None:
    code = blocks("README.md", "python")[number]
    run([sys.executable, "-c", code], tmp_path)


@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples").glob("*.py")))
def test_examples_run(example: str, tmp_path: Path) -> None:
    run([sys.executable, str(ROOT / "examples" / example)], tmp_path)
