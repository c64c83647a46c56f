"""The site of the docs: its navigation, its links, and that it builds without a network."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from pages import PAGES, ROOT, named_code

DOCS = ROOT / "docs"
SITE_CHECK = ROOT / "tools" / "check_site.py"


def entries(node: object) -> list[str]:
    """All pages in a part of the navigation, in order."""
    if isinstance(node, list):
        return [page for each in node for page in entries(each)]
    if isinstance(node, dict):
        own = [node[key] for key in ("root", "file") if key in node]
        return own + entries(node.get("subtrees", [])) + entries(node.get("entries", []))
    return []


@pytest.fixture(scope="module")
def navigation() -> list[str]:
    return entries(yaml.safe_load((DOCS / "_toc.yml").read_text(encoding="utf-8")))


def test_every_page_is_in_the_navigation_once(navigation: list[str]) -> None:
    pages = [path for kind in ("md", "rst") for path in DOCS.rglob(f"*.{kind}")]
    assert sorted(navigation) == sorted(
        path.relative_to(DOCS).with_suffix("").as_posix() for path in pages
    )


@pytest.mark.parametrize("page", PAGES)
def test_the_code_that_a_page_names_is_there(page: str) -> None:
    assert [name for name, found in named_code(page) if not found] == []


def check(site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SITE_CHECK), str(site)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b.html#there">b</a> <a href="https://example.org">far</a>', ""),
        ('<a href="c.html">c</a>', "nothing is at c.html"),
        ('<a href="b.html#gone">b</a>', "no such place in a page, b.html#gone"),
        ('<a href="#gone">b</a>', "no such place in a page, #gone"),
        ('<script src="//example.org/x.js"></script>', "loads //example.org/x.js"),
        ('<img src="https://example.org/x.png">', "loads https://example.org/x.png"),
        ('<link rel="stylesheet" href="x.css">', "x.css: loads something"),
    ],
)
def test_what_is_wrong_with_a_site_is_found(body: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(body)
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    if "x.css" in body:
        (tmp_path / "x.css").write_text("@font-face {src: url(https://example.org/x.woff)}")
    done = check(tmp_path)
    assert (done.returncode, problem in done.stdout) == (int(bool(problem)), True)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("sphinx") is None, reason="the extra docs is not installed")
def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", str(DOCS)]
    built = subprocess.run([*build, str(tmp_path)], capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    done = check(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "tex-svg.js" in (tmp_path / "algorithms.html").read_text(encoding="utf-8")
    # An example right after the parameters, without its heading, would be taken for one of them.
    api = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "api").iterdir())
    assert "TopOpt" in api and "<strong>&gt;&gt;&gt;" not in api
