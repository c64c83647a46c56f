"""The pages of results: that none is forgotten, and that others quote them truly."""

import re
from pathlib import Path

import pytest
from pages import table

LEARNS_FROM = 1
"""The column of the quoted table that the page has for baselines only."""


@pytest.fixture(scope="module")
def pages(root: Path) -> Path:
    return root / "docs" / "results"


def test_every_page_of_results_is_in_the_index(pages: Path) -> None:
    index = (pages / "README.md").read_text()
    linked = set(re.findall(r"\]\((\w+\.md)\)", index))
    assert linked == {page.name for page in pages.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_losses_of_the_page_are_quoted(page: str) -> None:
    head, *rows = [
        [*row[:LEARNS_FROM], *row[LEARNS_FROM + 1 :]] for row in table(page, "| | learns from |")
    ]
    losses = table("docs/results/table1.md", "| | Emotions |")
    baselines = table("docs/results/table1.md", "| | learns from |")
    assert [head, *rows[:4]] == losses
    assert rows[4:] == [[name, *cells] for name, _, *cells in baselines[1:3]]
