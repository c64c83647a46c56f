"""Parts of other libraries that these do not promise: behind one adapter each, and bounded."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from booster.numba_parts import NUMBA
from booster.private_parts import Library, MissingPartError
from topk_tune.backends.ray_parts import RAY
from topk_tune.storage import journal
from topk_tune.storage.journal import OPTUNA

ROOT = Path(__file__).parents[1]
ADAPTERS = {
    "booster/numba_parts.py": NUMBA,
    "topk_tune/backends/ray_parts.py": RAY,
    "topk_tune/storage/journal.py": OPTUNA,
    "topk_tune/engine/tpe.py": OPTUNA,
}
IN_A_FILE = {("topk_tune/data/dumps.py", "numpy")}
"""What is named in files that are read, so it is no part that we call."""
INSIDE = ("ray.autoscaler.v2", "ray.experimental", "ray.core", "ray.dashboard", "numba.core")
"""What is private though no underscore says so."""


def sources() -> list[Path]:
    return [p for package in ("booster", "topk_tune") for p in (ROOT / package).rglob("*.py")]


@cache
def libraries() -> set[str]:
    """What is installed and not ours."""
    return set(packages_distributions()) - {"booster", "topk_tune", "search_spaces"}


def is_private(path: str) -> bool:
    """Whether a dotted path leads inside a library."""
    library, *parts = path.split(".")
    hidden = any(re.fullmatch(r"_(?!_)\w+", part) for part in parts)
    return library in libraries() and (hidden or path.startswith(INSIDE))


def dotted(node: ast.AST) -> str:
    """The path that an expression reads along, without the arguments of calls in it."""
    match node:
        case ast.Attribute(value, attr):
            return f"{dotted(value)}.{attr}"
        case ast.Call(inner) | ast.Subscript(inner):
            return dotted(inner)
        case ast.Name(name):
            return name
    return ""


def used(tree: ast.AST) -> Iterator[str]:
    """The dotted paths that a module imports, and what it reads of what it has imported."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.name
                known[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                known[each.asname or each.name] = f"{node.module}.{each.name}"
                yield f"{node.module}.{each.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = dotted(node).partition(".")
            if first in known:
                yield f"{known[first]}.{rest}"
        elif isinstance(node, ast.Constant) and re.fullmatch(r"[\w.:]+", str(node.value)):
            yield str(node.value).replace(":", ".")  # as adapters name parts


def private(source: str) -> list[str]:
    return [path for path in used(ast.parse(source)) if is_private(path)]


@pytest.mark.parametrize(
    "source",
    [
        "from ray._private import services",
        "from ray import _raylet",
        "import ray\nclient = ray._raylet.GcsClient",
        "import ray._private.services as s",
        "from ray.autoscaler.v2.sdk import get_cluster_status",
        "from numba.core import event",
        "import optuna\noptuna.storages._rdb.models",
        "import_module('ray._private.state')",
        "import rich\nrich.get_console()._buffer",
    ],
)
def test_the_scan_sees_what_is_private(source: str) -> None:
    assert private(source)


@pytest.mark.parametrize("source", ["import ray\nray.init()", "from optuna.trial import Trial"])
def test_the_scan_lets_pass_what_is_public(source: str) -> None:
    assert not private(source)


def test_private_parts_are_in_their_adapters_alone() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): parts
        for path in sources()
        if (parts := private(path.read_text(encoding="utf-8")))
    }
    for path, parts in found.items():
        if {(path, part.partition(".")[0]) for part in parts} <= IN_A_FILE:
            continue
        assert path in ADAPTERS, f"{path} uses {parts}"
        assert {part.partition(".")[0] for part in parts} == {ADAPTERS[path].package}


@pytest.mark.parametrize("tested", ADAPTERS.values(), ids=lambda tested: tested.package)
def test_only_tested_versions_may_be_installed(tested: Library) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    required = [r for line in lines if (r := Requirement(line)).name == tested.package]
    assert required
    wanted = Requirement(tested.requirement).specifier
    assert all(each.specifier == wanted for each in required)
    pinned = [
        Requirement(line.partition("#")[0])
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"{tested.package}==")
    ]
    assert pinned and all(
        SpecifierSet(str(wanted)).contains(next(iter(pin.specifier)).version) for pin in pinned
    )


@pytest.mark.parametrize("tested", ADAPTERS.values(), ids=lambda tested: tested.package)
def test_all_parts_are_here(tested: Library) -> None:
    tested.check()


@pytest.mark.parametrize("path", ["numpy.nowhere", "numpy:nothing", "numpy.linalg:norm.nothing"])
def test_a_missing_part_is_named_with_the_version_and_the_range(path: str) -> None:
    import numpy

    tested = Library("numpy", "1.0", "1.1")
    part = tested.part(path)
    with pytest.raises(MissingPartError) as raised:
        tested.check()
    for word in (path.replace(":", "."), f"numpy {numpy.__version__}", "numpy>=1.0,<1.1"):
        assert word in str(raised.value)
    assert tested.parts == [part]


def test_a_journal_of_another_form_is_noticed_when_a_study_is_made(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    path.write_text('{"op_code": 0}\n5\nno json\n{"user_attr": {"settings": "{}"}}\n')
    journal.check_note(path, "settings")
    path.write_text('{"op_code": 2, "attributes": {"settings": "{}"}}\n')
    with pytest.raises(MissingPartError, match=re.escape(OPTUNA.requirement)):
        journal.check_note(path, "settings")
    assert not journal.has_note(tmp_path / "none.log", "settings")
