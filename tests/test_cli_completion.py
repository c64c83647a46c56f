"""What the shell completes: names, and files where a file can be given."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import search_spaces
from topk_tune.cli.app import app
from topk_tune.data import names
from topk_tune.engine.samplers import SAMPLERS


def completed(line: str) -> list[str]:
    """What bash is offered for the last word of a line."""
    words = f"topk-tune {line}"
    variables = {
        "_TOPK_TUNE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    return CliRunner().invoke(app, env=variables, prog_name="topk-tune").output.split()


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("yearly").mkdir()
    Path("yearly/songs.csv").touch()
    Path(".hidden.csv").touch()


@pytest.mark.parametrize("words", ["run --dataset ", "train ", "data show ", "data get "])
def test_data_sets_and_files(words: str) -> None:
    assert set(completed(words)) == {*names(), "yearly/"}
    assert set(completed(f"{words}ye")) == {"yeast", "yearly/"}
    assert completed(f"{words}yearly/s") == ["yearly/songs.csv"]
    assert completed(f"{words}.h") == [".hidden.csv"]
    assert completed(f"{words}nowhere/x") == []


def test_samplers_and_spaces() -> None:
    assert completed("run --sampler ") == [*SAMPLERS]
    assert set(completed("run --space ")) == {*search_spaces.spaces(), "yearly/"}
