"""A table with a caption, and comments on where it comes from, as Markdown or as LaTeX."""

import html
from collections.abc import Sequence

from topk_tune.report.markdown import text

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "{}#$%&_"},
    **{c: f"{{{c}}}" for c in "[*"},  # after the end of a row they would be its arguments
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_RARE = "ÐÞðþ"
"""Letters of western Europe that LaTeX's first encoding lacks."""

Cells = Sequence[Sequence[str]]


def markdown(caption: str, head: Sequence[str], cells: Cells, notes: Sequence[str]) -> str:
    """The table in Markdown, with the notes as comments of HTML."""
    lines = [[text(cell) for cell in row] for row in (head, *cells)]
    lines.insert(1, ["---", *["---:"] * (len(head) - 1)])
    table = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    # Escaped, so that no name can end the comment.
    comments = "\n".join(f"<!-- {html.escape(_one_line(note), quote=False)} -->" for note in notes)
    return f"{text(caption)}\n\n{table}\n\n{comments}\n"


def latex(caption: str, label: str, head: Sequence[str], cells: Cells, notes: Sequence[str]) -> str:
    """The table in LaTeX; caption and head are LaTeX already."""
    lines = [
        *(f"% {_one_line(note)}" for note in notes),
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}[ht]",
        r"    \centering",
        rf"    \caption{{{caption}}}",
        rf"    \begin{{tabular}}{{{'c' * len(head)}}}",
        r"        \toprule",
        rf"        {' & '.join(head)} \\",
        r"        \midrule",
        *(rf"        {' & '.join(map(latex_text, row))} \\" for row in cells),
        r"        \bottomrule",
        r"    \end{tabular}",
        rf"    \label{{{label}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_text(value: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    Characters that not every installation knows are named by their code.

    >>> print(latex_text("50% of a_b \\input{x} ü ✓"))
    50\% of a\_b \textbackslash{}input\{x\} ü (U+2713)
    """
    return "".join(map(_character, _one_line(value)))


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    known = " " <= c <= "~" or ("À" <= c <= "ÿ" and c.isalpha() and c not in _RARE)
    return c if known else f"(U+{ord(c):04X})"


def _one_line(value: str) -> str:
    """A comment ends where its line ends, so a name with a line break in it must not have one."""
    return " ".join(value.split())
