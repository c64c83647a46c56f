"""Imports of our own packages inside functions: for the time to start, and nowhere else."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parents[1]
OWN = ("booster", "topk_tune", "search_spaces")

DECLARATIONS = "topk_tune/cli/"
"""Where a command, when it runs, imports the one module that does its work."""

LATE = {
    "booster/warming.py": "what is compiled already need not wait for Numba",
    "topk_tune/api.py": "importing the package must not wait for what `tune` needs",
    "topk_tune/backends/resources.py": "the command line lists the options in it",
    "topk_tune/cluster/__main__.py": "each verb is a program of its own, and some must be quick",
    "topk_tune/cluster/nodes.py": "Ray reads its variables when it is imported",
    "topk_tune/commands/serve.py": "a server without a cluster need not wait for Ray",
    "topk_tune/engine/stopping.py": "the command line lists the options in it",
    "topk_tune/spaces/space.py": "reading a space must not wait for NumPy; checking one needs it",
}
"""The other files with such imports, and why each has them."""


def local_imports(source: str) -> Iterator[str]:
    """The function around each import of ours that is inside one."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = (node for part in function.body for node in ast.walk(part))
            yield from (function.name for node in inside if _is_own(node))


def _is_own(node: ast.AST) -> bool:
    match node:
        case ast.Import(names):
            modules = [each.name for each in names]
        case ast.ImportFrom(module=str(module), level=0):
            modules = [module]
        case ast.ImportFrom():  # a relative one
            return True
        case _:
            return False
    return any(module.partition(".")[0] in OWN for module in modules)


def found() -> dict[str, Counter[str]]:
    """How many imports each function has, by file."""
    files = (path for package in OWN for path in (HOME / package).rglob("*.py"))
    counts = {
        path.relative_to(HOME).as_posix(): Counter(local_imports(path.read_text(encoding="utf-8")))
        for path in files
    }
    return {path: functions for path, functions in counts.items() if functions}


def test_they_are_where_the_time_to_start_asks_for_them() -> None:
    assert {path for path in found() if not path.startswith(DECLARATIONS)} == set(LATE)


def test_a_command_has_one() -> None:
    declared = {path: each for path, each in found().items() if path.startswith(DECLARATIONS)}
    assert declared
    assert [path for path, functions in declared.items() if max(functions.values()) > 1] == []


def test_imports_of_every_form_are_seen() -> None:
    source = """
import booster

def here():
    import numpy, booster.tables
    if True:
        from topk_tune import tune
    from . import beside
    from bisect import bisect
"""
    assert list(local_imports(source)) == ["here", "here", "here"]
