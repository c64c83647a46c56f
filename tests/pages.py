"""The README and the docs: their blocks of code, their links, the tests that they name."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]

RUN = ("bash", "python")
SHOWN = ("yaml", "text", "math", "pycon")
"""Languages of blocks that are not run here; the test of search spaces runs the sessions."""

_BLOCK = re.compile(r"^(?:<!-- not run: (.+?) -->\n)?```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block of code, and the comment before it that says why it is not run."""

    place: str
    language: str
    code: str
    not_run: str


def text(page: str) -> str:
    """A page as it is written."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The blocks of a page in their order."""
    content = text(page)
    return [
        Block(f"{page}:{content.count(chr(10), 0, found.start(2)) + 1}", found[2], found[3], why)
        for found in _BLOCK.finditer(content)
        for why in [found[1] or ""]
    ]


def links(page: str) -> list[Path]:
    """The files that a page links to or shows."""
    found = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text(page))
    return [(ROOT / page).parent / link for link in found]


def named_tests(page: str) -> list[tuple[Path, str]]:
    """The tests that a page names, as file and function."""
    found = re.findall(r"`(test_\w+\.py)::(test_\w+)`", text(page))
    return [(ROOT / "tests" / file, name) for file, name in found]


def table(page: str, head: str) -> list[list[str]]:
    """The cells of the table of a page whose first line begins with `head`, its head included."""
    lines = [re.sub(r" +", " ", line) for line in text(page).splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith(head))
    end = next((i for i, line in enumerate(lines[start:], start) if line[:1] != "|"), len(lines))
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[start:end]]
    return [rows[0], *rows[2:]]


def named_code(page: str) -> list[tuple[str, bool]]:
    """The files and the things in modules of ours that a page names, and whether they are there."""
    folders = "booster|topk_tune|search_spaces|benchmarks|tests|tools|examples"
    files = re.findall(rf"`((?:{folders})/[a-z_/]+(?:\.\w+)?)`", text(page))
    things = re.findall(r"`((?:booster\.kernels|topk_tune(?:\.[a-z]\w*)+)\.\w+)`", text(page))
    found = [(name, (ROOT / name).exists()) for name in files]
    return found + [(name, _is_written(ROOT.joinpath(*name.split(".")))) for name in things]


def _is_written(place: Path) -> bool:
    """Whether a place among our files is a module, or the source of what is above it names it."""
    if place.is_dir() or place.with_suffix(".py").exists():
        return True
    above = [place.parent.with_suffix(".py"), place.parent / "__init__.py"]
    word = re.compile(rf"\b{place.name}\b")
    return any(path.exists() and word.search(path.read_text("utf-8")) for path in above)
