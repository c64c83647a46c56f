"""The files for those who join or cite the project agree with it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_what_is_cited_is_this_version() -> None:
    cited = yaml.safe_load(text("CITATION.cff"))
    assert str(cited["version"]) == PROJECT["version"].partition(".dev")[0]
    assert cited["license"] == PROJECT["license"]
    (paper,) = cited["references"]
    assert paper["url"] == PROJECT["urls"]["Paper"]
    assert f"[{cited['version']}] - {cited['date-released']}" in text("CHANGELOG.md")


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    versions = re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.M)
    assert versions[0] == "Unreleased" and len(set(versions)) == len(versions)
    headings = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), re.M))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("page", PAGES)
def test_files_and_targets_that_a_page_names_are_there(page: str) -> None:
    content = text(page)
    linked = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", content)
    named = re.findall(r"`((?:tests|tools|booster|topk_tune|locks|docs)/[\w./-]+\.\w+)`", content)
    missing = [name for name in {*linked, *named} if not (ROOT / name).exists()]
    assert not missing
    makefile = text("Makefile")
    targets = {
        word for line in re.findall(r"`make ([a-z -]+)[`A-Z]", content) for word in line.split()
    }
    assert [name for name in targets if f"\n{name}:" not in makefile] == []
