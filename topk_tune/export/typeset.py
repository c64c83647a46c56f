"""Typesets a table with a caption, and comments about its origin, as Markdown or LaTeX."""

from collections.abc import Sequence

from topk_tune.markup import latex as tex
from topk_tune.markup import markdown as md

Cells = Sequence[Sequence[str]]


def markdown(caption: str, head: Sequence[str], cells: Cells, notes: Sequence[str]) -> str:
    """Return the table in Markdown, with the notes as HTML comments."""
    rows = [map(md.text, row) for row in cells]
    table = md.table(list(map(md.text, head)), rows, right=range(1, len(head)))
    comments = "\n".join(map(md.comment, notes))
    return f"{md.text(caption)}\n\n{table}\n\n{comments}\n"


def latex(caption: str, label: str, head: Sequence[str], cells: Cells, notes: Sequence[str]) -> str:
    """Return the table in LaTeX; caption and head are already LaTeX."""
    return "\n".join([*map(tex.comment, notes), tex.table(caption, label, head, cells)]) + "\n"
