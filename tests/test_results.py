"""The pages of results: that none is forgotten, and that the README quotes them."""

import re
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def pages(root: Path) -> Path:
    return root / "docs" / "results"


def test_every_page_of_results_is_in_the_index(pages: Path) -> None:
    index = (pages / "README.md").read_text()
    linked = set(re.findall(r"\]\((\w+\.md)\)", index))
    assert linked == {page.name for page in pages.glob("*.md")} - {"README.md"}


def test_the_readme_quotes_the_losses_of_the_page(root: Path, pages: Path) -> None:
    quoted = table(root / "README.md", "| | Emotions |")
    assert len(quoted) == 2 + 4  # head, line, four algorithms
    assert quoted == table(pages / "table1.md", "| | Emotions |")


def table(page: Path, head: str) -> list[str]:
    """The lines of the table whose first line begins with `head`, spaces made alike."""
    lines = [re.sub(r" +", " ", line) for line in page.read_text().splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith(head))
    end = next(i for i, line in enumerate(lines[start:], start) if not line.startswith("|"))
    return lines[start:end]
