"""LaTeX tables, comments and escaped text."""

from collections.abc import Sequence

from topk_tune.markup.lines import one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "{}#$%&_"},
    **{c: f"{{{c}}}" for c in "[*"},  # after the end of a row they would be arguments
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_RARE = "ÐÞðþ"
"""Western European letters that LaTeX's default encoding lacks."""


def table(caption: str, label: str, head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a booktabs table; caption and head are already LaTeX, cells are plain text."""
    lines = [
        comment(r"Needs \usepackage{booktabs}."),
        r"\begin{table}[ht]",
        r"    \centering",
        rf"    \caption{{{caption}}}",
        rf"    \begin{{tabular}}{{{'c' * len(head)}}}",
        r"        \toprule",
        rf"        {' & '.join(head)} \\",
        r"        \midrule",
        *(rf"        {' & '.join(map(text, row))} \\" for row in cells),
        r"        \bottomrule",
        r"    \end{tabular}",
        rf"    \label{{{label}}}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def text(value: str) -> str:
    r"""Escape text so that LaTeX prints it literally, on one line.

    Characters that some installations lack are replaced by their code.

    >>> print(text("50% of a_b \\input{x} ü ✓"))
    50\% of a\_b \textbackslash{}input\{x\} ü (U+2713)
    """
    return "".join(map(_character, one_line(value)))


def comment(value: str) -> str:
    """Return a comment; nothing in the text can end it."""
    return f"% {one_line(value)}"


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    known = " " <= c <= "~" or ("À" <= c <= "ÿ" and c.isalpha() and c not in _RARE)
    return c if known else f"(U+{ord(c):04X})"
