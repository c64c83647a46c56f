"""Importing `booster`: alone, and without compiling; and the one message when it compiles.

Each test looks at a fresh process, because this one has long imported and compiled everything.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import pytest
from tuning import study

import booster
import topk_tune.data
from booster import machine_code


def in_a_fresh_process(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def answer(program: str) -> Any:
    return json.loads(in_a_fresh_process(program).stdout)


@pytest.fixture(scope="module")
def imported() -> tuple[set[str], set[str]]:
    """The modules that numba, numpy and platformdirs bring, and those after `booster` is there."""
    program = """
import json, sys
import numba, numpy, platformdirs
before = sorted(sys.modules)
from booster import *
print(json.dumps([before, sorted(sys.modules)]))
"""
    before, after = answer(program)
    return set(before), set(after)


def test_import_brings_nothing_but_what_it_needs(imported: tuple[set[str], set[str]]) -> None:
    before, after = imported
    brought = {name.partition(".")[0] for name in after - before}
    assert "booster" in brought
    # Further parts of what it stands on, such as the random numbers of NumPy, are its own affair.
    assert brought - {"booster", "numba", "numpy", "platformdirs"} <= sys.stdlib_module_names


def test_import_leaves_heavy_packages_alone(imported: tuple[set[str], set[str]]) -> None:
    _, modules = imported
    heavy = {"topk_tune", "search_spaces", "ray", "optuna", "mlflow", "pandas", "river", "sklearn"}
    # Numba itself asks for the version of scipy, and imports no part of it.
    parts = {"scipy.linalg", "scipy.stats", "scipy.sparse", "scipy.special", "scipy.optimize"}
    assert modules.isdisjoint(heavy | parts | {"matplotlib", "torch"})


def test_numba_is_imported_with_the_first_thing_that_needs_it() -> None:
    program = """
import json, sys
import booster
booster.warm_up(load=False)
alone = "numba" in sys.modules
booster.TopOpt
print(json.dumps([alone, "numba" in sys.modules]))
"""
    if any(name.startswith("NUMBA_") for name in os.environ):
        pytest.skip("Numba is told by the environment where to keep what it compiles")
    booster.warm_up()  # so that all is compiled
    assert answer(program) == [False, True]


def test_all_that_is_promised_is_there() -> None:
    assert set(booster.__all__) <= set(dir(booster))
    assert all(getattr(booster, name) is not None for name in booster.__all__)
    own = map(booster.ALGORITHMS.load, booster.ALGORITHMS.own)
    assert {one.__name__ for one in own} <= set(booster.__all__)
    assert booster.potentials.__name__ == "booster.potentials"
    with pytest.raises(AttributeError, match="module 'booster' has no attribute 'TopOtp'"):
        _ = booster.TopOtp


@pytest.mark.parametrize("package", [booster, topk_tune.data], ids=lambda each: each.__name__)
def test_no_public_name_is_that_of_a_module(package: ModuleType) -> None:
    # Whoever imports the module would get it in the place of the function from then on.
    modules = {each.name for each in iter_modules(package.__path__)}
    assert modules & set(package.__all__) <= {"learners"}  # which is promised as a module


def test_kernels_are_complete_for_this_processor_and_these_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "cache_folder", lambda: tmp_path / "code")
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        monkeypatch.delenv(name)
    machine_code.mark_complete()  # where nothing can be kept
    assert not machine_code.is_complete()
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "kernel.nbi").touch()
    with monkeypatch.context() as settings:
        settings.setenv("NUMBA_CPU_NAME", "generic")
        machine_code.mark_complete()
    assert not machine_code.is_complete()
    machine_code.mark_complete()
    assert machine_code.is_complete()
    with monkeypatch.context() as settings:
        settings.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        assert not machine_code.is_complete()
    other = tmp_path / "cpuinfo"
    other.write_text("processor : 0\nflags : fpu\n")
    monkeypatch.setattr(machine_code, "_CPU", other)
    assert not machine_code.is_complete()


@pytest.mark.slow
def test_import_compiles_nothing() -> None:
    program = """
import json
import numba
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started.data["dispatcher"].py_func.__name__)

    def on_end(self, ended):
        pass

event.register("numba:compile", Listener())
from booster import *
at_import = list(compiled)

@numba.njit
def something():
    return 1

something()
print(json.dumps([at_import, compiled]))
"""
    at_import, later = answer(program)
    assert at_import == []
    # The listener does hear of compilation.
    assert later == ["something"]


@pytest.mark.slow
def test_making_a_booster_compiles_nothing(tmp_path: Path) -> None:
    program = "from booster import TopOpt; TopOpt(n_features=2, n_labels=3, k=2)"
    made = in_a_fresh_process(program, NUMBA_CACHE_DIR=str(tmp_path))
    assert (made.stdout, made.stderr) == ("", "")
    assert list(tmp_path.rglob("*.nbi")) == []


@pytest.mark.slow
def test_warming_up_leaves_nothing_to_compile() -> None:
    program = """
import copy, json, pickle, tempfile
import numpy as np
import booster
from booster.kernels import rounds

def signatures():
    entries = (rounds.predict, rounds.teach, rounds.run_rows, rounds.score, rounds.add_losses)
    return [len(entry.signatures) for entry in entries]

booster.warm_up()
warm = signatures()
X, Y = np.random.default_rng(0).normal(size=(2, 30, 4))
Y = Y > 0
for name in booster.ALGORITHMS.own:
    made = booster.ALGORITHMS.load(name)(n_features=4, n_labels=4, n_learners=3)
    made.run(X, Y, loops=2)
    made.predict(X[0].tolist())
    with tempfile.TemporaryDirectory() as folder:
        made.save(f"{folder}/saved")
        loaded = booster.load(f"{folder}/saved")
    for one in [made, copy.deepcopy(made), pickle.loads(pickle.dumps(made)), loaded]:
        one.update([1, 0, 1, 0] if one.full else (True, False, True))
        one.run(X.astype(np.float32), Y.astype(float))
        one.evaluate(X[::-1], Y[::-1])
print(json.dumps([warm, signatures()]))
"""
    warm, later = answer(program)
    assert warm == later == [1] * 5


BASH = {"_TOPK_TUNE_COMPLETE": "complete_bash"}
ZSH = {"_TOPK_TUNE_COMPLETE": "complete_zsh"}
QUICK = [
    (["--help"], {}, "run"),
    (["run", "--help"], {}, "--sampler"),
    (["cluster", "up", "--help"], {}, "--help"),
    (["job", "list", "--help"], {}, "--help"),
    (["version"], {}, "topk-tune"),
    (["plugins"], {}, "topada"),
    ([], BASH | {"COMP_WORDS": "topk-tune ru", "COMP_CWORD": "1"}, "run"),
    ([], ZSH | {"_TYPER_COMPLETE_ARGS": "topk-tune run --d"}, "--dataset"),
    ([], BASH | {"COMP_WORDS": "topk-tune status ", "COMP_CWORD": "2"}, "demo"),
    ([], BASH | {"COMP_WORDS": "topk-tune run --sampler tp", "COMP_CWORD": "3"}, "tpe"),
    ([], BASH | {"COMP_WORDS": "topk-tune run --space topo", "COMP_CWORD": "3"}, "topopt"),
]
"""Commands, the variables by which a shell asks for completions, and a word of the answer."""


def test_help_and_completion_wait_for_nothing_heavy(tmp_path: Path) -> None:
    """What takes time is imported when it is needed: they must answer in half a second.

    One process is enough for all of them: modules stay once they are imported.
    """
    (tmp_path / "studies" / "demo").mkdir(parents=True)
    (tmp_path / "studies" / "demo" / "journal.log").touch()
    program = f"""
import contextlib, io, json, os, sys
os.chdir({str(tmp_path)!r})
heavy = {{"numpy", "numba", "ray", "optuna", "mlflow", "pandas", "sklearn", "pyarrow", "river",
         "sqlalchemy", "matplotlib", "jinja2", "httpx2", "unearth", "booster.kernels"}}
from topk_tune.cli import main
answers = []
for arguments, variables, _ in {QUICK!r}:
    sys.argv = ["topk-tune", *arguments]
    os.environ.update(variables)
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        main()
    for name in variables:
        del os.environ[name]
    answers.append([shown.getvalue(), sorted(heavy & set(sys.modules))])
print(json.dumps(answers))
"""
    for (arguments, variables, word), (shown, heavy) in zip(QUICK, answer(program), strict=True):
        assert word in shown, (arguments, variables)
        assert heavy == [], (arguments, variables)


def test_a_look_at_a_study_in_files_waits_for_nothing_else(tmp_path: Path) -> None:
    study(tmp_path).store.close()
    program = f"""
import atexit, sys
others = {{"numba", "sqlalchemy", "ray", "mlflow", "pandas", "sklearn", "river", "matplotlib"}}
atexit.register(lambda: print("others:", sorted(others & set(sys.modules))))
from topk_tune.cli import main
main(["status", "s", "--storage", {str(tmp_path)!r}])
"""
    assert in_a_fresh_process(program).stdout.splitlines()[-1] == "others: []"


@pytest.mark.slow
def test_compiling_is_announced_once_and_kept(tmp_path: Path) -> None:
    program = """
from booster import TopOpt
booster = TopOpt(n_features=2, n_labels=3, n_learners=2, k=2)
print(booster.scores([[0.0, 1.0]]).tolist())  # of the kernels, the few that compile fastest
"""
    folder = str(tmp_path / "machine code")
    first = in_a_fresh_process(program, NUMBA_CACHE_DIR=folder)
    (line,) = first.stderr.splitlines()
    assert "compiling the kernels" in line
    assert line.endswith(f"kept in {folder}")
    second = in_a_fresh_process(program, NUMBA_CACHE_DIR=folder)
    assert second.stderr == ""
    assert second.stdout == first.stdout
    # A copy of the sources, as in another environment, finds the same machine code.
    shutil.copytree(Path(booster.__file__).parent, tmp_path / "copy" / "booster")
    elsewhere = f"import sys; sys.path.insert(0, {str(tmp_path / 'copy')!r}){program}"
    third = in_a_fresh_process(f"{elsewhere}print(sys.modules['booster'])", NUMBA_CACHE_DIR=folder)
    assert third.stderr == ""
    assert str(tmp_path / "copy") in third.stdout
