"""The build of scikit-multiflow: what is changed in its source, and where it cannot be built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from topk_tune.commands import build_skmultiflow as tool


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = np.float", "x = np.float64"),
        ("isinstance(w, (np.integer, np.float)):", "isinstance(w, (np.integer, np.float64)):"),
        ("a.astype(np.int)", "a.astype(np.int64)"),
        ("np.full(3, np.Inf)", "np.full(3, np.inf)"),
        ("np.float32 np.float64 np.floating np.int8 np.inf", None),
        ("ctypedef np.float_t DTYPE_t", None),
        ("from sklearn.utils import tosequence\nx = tosequence(y)", "x = list(y)"),
        ("Dims, PyArray_DOUBLE, PyArray_INT);", "Dims, NPY_DOUBLE, NPY_INT);"),
        ("__version__ = '0.5.3'", '__version__ = "0.5.3+np2"'),
    ],
)
def test_only_names_that_are_gone_are_replaced(before: str, after: str | None) -> None:
    assert tool.renamed(before) == (before if after is None else after)


def test_a_second_run_does_nothing(monkeypatch, capsys) -> None:
    monkeypatch.setattr(tool, "installed", lambda: tool.VERSION)
    monkeypatch.setattr(tool, "build", lambda: pytest.fail("it built again"))
    tool.main([])
    assert capsys.readouterr().out == "scikit-multiflow 0.5.3+np2 is installed.\n"


def test_without_a_compiler_it_says_so_and_only_the_tests_go_on(monkeypatch, capsys) -> None:
    monkeypatch.setattr(tool, "installed", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="needs a C and C"):
        tool.main([])
    tool.main(["--if-possible"])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("there is none. The tests that need it are skipped.")


def test_the_source_is_set_on_setuptools_and_cython(tmp_path: Path) -> None:
    package = tmp_path / "src" / "skmultiflow"
    package.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("numpy>=1.14.0\nscipy>=1.0.0\n")
    for stale in ("setup.py", "setup.cfg", "src/skmultiflow/setup.py", "src/skmultiflow/_m.c"):
        (tmp_path / stale).write_text("from numpy.distutils import nothing")
    (package / "_m.pyx").write_text("DTYPE = np.float\n")
    tool.modernise(tmp_path)
    assert not list(package.glob("setup.py"))
    assert not list(package.glob("*.c"))
    assert (package / "_m.pyx").read_text() == "DTYPE = np.float64\n"
    assert "cythonize" in (tmp_path / "setup.py").read_text()
    description = (tmp_path / "pyproject.toml").read_text()
    assert 'version = "0.5.3+np2"' in description
    assert '"numpy>=1.14.0", "scipy>=1.0.0"' in description
    assert "cython==3." in description
