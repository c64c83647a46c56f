"""What the README and the docs say: every block of code is run as it stands, or says why not."""

import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pages import PAGES, ROOT, RUN, SHOWN, Block, blocks, links, named_tests, text
from tracking_cases import make_study, new_database

from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.stopping import StopOptions
from topk_tune.study.confirm import confirm

BIN = Path(sys.executable).parent
BLOCKS = [block for page in PAGES for block in blocks(page)]
MAKES_DEMO = "--name demo"

slow = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run things in, with the commands of this environment and no settings of ours."""
    for name in [name for name in os.environ if name.startswith(("MLFLOW_", "TOPK_TUNE_", "RAY_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(BIN), prepend=os.pathsep)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> None:
    done = subprocess.run(
        arguments,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, f"{arguments[-1]}\n{done.stdout}"


def run_block(block: Block) -> None:
    """Python runs in this process: to import everything anew takes longer than most blocks."""
    if block.language == "bash":
        run("bash", "-euo", "pipefail", "-c", block.code)
        return
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(block.code, block.place, "exec"), names)
    names.clear()
    gc.collect()  # what it left open warns now


def runnable(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language in RUN and not block.not_run]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study that pages speak of when they do not make it themselves."""
    folder = tmp_path_factory.mktemp("demo")
    study, data = make_study(folder)
    study.run(StopOptions(trials=3), ResourceOptions("local", 1), data=data)
    confirm(study, 2, 2, ResourceOptions("local", 1), data=data)
    study.store.close()
    return folder


@slow
@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)])
def test_the_code_of_a_page_runs(page: str, demo: Path, place: Path) -> None:
    # As in the project's folder, but what is written there stays out of it.
    (place / ".venv").symlink_to(sys.prefix)
    (place / "examples").symlink_to(ROOT / "examples")
    wanted = runnable(page)
    if any(MAKES_DEMO in block.code for block in wanted):
        new_database(place)
    else:
        shutil.copytree(demo, place, dirs_exist_ok=True)
    for block in wanted:
        run_block(block)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.not_run], ids=lambda block: block.place)
def test_code_that_is_not_run(block: Block) -> None:
    """Only so that the report of the tests lists it, with the reason that the page gives."""
    pytest.skip(f"{block.place} is not run: {block.not_run}")


def test_every_block_says_what_it_is() -> None:
    assert [block.place for block in BLOCKS if block.language not in (*RUN, *SHOWN)] == []


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_links_to_is_there(page: str) -> None:
    assert [str(link) for link in links(page) if not link.exists()] == []


def test_the_tests_that_pages_name_are_there() -> None:
    named = [test for page in PAGES for test in named_tests(page)]
    assert len(named) > 20
    missing = [name for file, name in named if f"def {name}(" not in file.read_text("utf-8")]
    assert missing == []


@slow
def test_the_reference_is_what_the_program_writes() -> None:
    command = [sys.executable, str(ROOT / "tools" / "reference.py")]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert text("docs/reference.md") == written, "python tools/reference.py > docs/reference.md"


@slow
@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples").glob("*.py")))
def test_examples_run(example: str, place: Path) -> None:
    run(sys.executable, str(ROOT / "examples" / example))


@slow
def test_the_notebook_runs_and_holds_no_output(place: Path) -> None:
    content = json.loads(text("examples/notebook.ipynb"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert [cell["outputs"] for cell in cells] == [[]] * len(cells)
    run(sys.executable, "-c", "\n".join("".join(cell["source"]) for cell in cells))
