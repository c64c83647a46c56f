"""What is imported is declared, what is declared is imported, and a page says why."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pages import table

ROOT = Path(__file__).parents[1]
OURS = ("booster", "topk_tune", "search_spaces")
BUILT = {"skmultiflow"}
"""What no index has: `topk_tune.commands.build_skmultiflow` builds it."""
LOADED_BY_OTHERS = {"cmaes"}
"""What Optuna imports when a sampler needs it."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(package: str, without: str = "") -> set[str]:
    """The packages outside the standard library and our own that modules import, anywhere."""
    found: set[str] = set()
    for path in (ROOT / package).rglob("*.py"):
        if without and path.is_relative_to(ROOT / without):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - set(OURS)


@cache
def _providers() -> dict[str, list[str]]:
    return dict(packages_distributions())


def distributions(modules: set[str]) -> set[str]:
    """What is to be installed to have them."""
    missing = modules - set(_providers())
    assert not missing, f"nothing that is installed has {missing}"
    found = [{canonical(name) for name in _providers()[module]} for module in modules]
    # Some share a package, as MLflow does with its smaller self: then the one that is declared.
    return set().union(*(names & declared() or names for names in found))


@cache
def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {canonical(Requirement(line).name) for line in project["dependencies"]}


@pytest.mark.parametrize("package", OURS)
def test_what_is_imported_is_declared(package: str) -> None:
    assert distributions(imported(package) - BUILT) <= declared()


def test_what_is_declared_is_imported() -> None:
    everything = set().union(*map(imported, OURS))
    assert declared() - LOADED_BY_OTHERS == distributions(everything - BUILT)


def test_boosters_need_three_packages() -> None:
    # The trees of other libraries are adapters that are imported when they are asked for.
    assert imported("booster", without="booster/learners") == {"numpy", "numba", "platformdirs"}
    assert imported("booster/learners") <= {"numpy", "numba", "river", "skmultiflow"}


def test_a_page_says_of_each_why_it_is_there() -> None:
    rows = table("docs/dependencies.md", "| package |")[1:]
    named = [canonical(name.strip()) for packages, _ in rows for name in packages.split(",")]
    assert sorted(named) == sorted(declared())
