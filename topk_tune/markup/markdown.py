"""Markdown tables, code blocks and escaped text."""

import html
import re
from collections.abc import Collection, Iterable, Sequence

from topk_tune.markup.lines import one_line

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def table(head: Sequence[str], rows: Iterable[Iterable[str]], right: Collection[int] = ()) -> str:
    """Return a table; cells are already Markdown, and the columns in `right` are right-aligned.

    >>> print(table(["name", "loss"], [["a", "0.1"]], right=[1]))
    | name | loss |
    | --- | ---: |
    | a | 0.1 |
    """
    aligned = ["---:" if column in right else "---" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, aligned, *rows))


def text(value: str) -> str:
    """Escape text so that it stays on one line, without markup and HTML.

    >>> text("a_b | <i>c</i>")
    'a\\\\_b \\\\| &lt;i&gt;c&lt;/i&gt;'
    """
    return _SPECIAL.sub(r"\\\1", html.escape(one_line(value), quote=False))


def fenced(value: str, language: str) -> str:
    """Return a code block with any content.

    >>> print(fenced("a ``` b", "sh"))
    ````sh
    a ``` b
    ````
    """
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{value.rstrip()}\n{fence}"


def comment(value: str) -> str:
    """Return a comment; nothing in the text can end it.

    >>> comment("a --> b")
    '<!-- a --&gt; b -->'
    """
    return f"<!-- {html.escape(one_line(value), quote=False)} -->"
