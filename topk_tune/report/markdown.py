"""The report as Markdown with a folder of pictures."""

import html
import re
from collections.abc import Sequence
from urllib.parse import quote

from topk_tune.report import recipe, tables
from topk_tune.report.content import Content
from topk_tune.report.images import PICTURES
from topk_tune.report.tables import ReportTable
from topk_tune.study import confirmed_figures

_ROWS = 100
"""The most trials in a table, which cannot be sorted in a text file."""

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def document(content: Content, folder: str, pictures: Sequence[str]) -> str:
    """The document, with links to the pictures in a folder."""
    parts = [
        f"# Study {text(content.settings.name)}",
        *map(text, tables.headline(content)),
        "## Summary",
        table(ReportTable(["", ""], _cells(tables.summary(content)))),
        "## Best configuration",
        table(tables.best_configuration(content)),
    ]
    if content.confirmed:
        ranked = confirmed_figures.ranking(content.confirmed, content.settings)
        parts += ["## Confirmed configurations", text(confirmed_figures.sentence(ranked.title))]
        parts.append(table(tables.confirmations(content)))
    if (tests := tables.tested(content)) is not None:
        title = confirmed_figures.tested(content.confirmed[0]).title
        parts += ["## Test", text(confirmed_figures.sentence(title)), table(tests)]
    if content.context.tuning:
        parts += ["## Baselines", table(tables.baselines(content))]
    for name in pictures:
        parts += [f"## {PICTURES[name]}", f"![{PICTURES[name]}]({quote(f'{folder}/{name}.png')})"]
    parts += [
        f"## Pareto front of {content.metric} and time",
        table(tables.pareto(content)),
        "## Trials",
    ]
    if note := tables.left_out(content, _ROWS):
        parts.append(text(note))
    parts += [table(tables.trials(content, _ROWS)), "## Recipe"]
    facts = recipe.recipe(content)
    parts += [fenced(facts.pop("command"), "sh"), table(ReportTable(["", ""], _cells(facts)))]
    for name, content_of in recipe.files(content).items():
        parts += [f"### {name}", fenced(content_of, "yaml")]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(content: ReportTable) -> str:
    """A table with numbers right-aligned; a sentence if it is empty."""
    if not content.rows:
        return "None yet."
    lines = [
        [text(column) for column in content.columns],
        ["---:" if numeric else "---" for numeric in content.numeric],
        *([text(cell.text) for cell in row] for row in content.rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def text(value: str) -> str:
    """Text on one line, with markup and HTML escaped.

    >>> text("a_b | <i>c</i>")
    'a\\\\_b \\\\| &lt;i&gt;c&lt;/i&gt;'
    """
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(value.split()), quote=False))


def fenced(value: str, language: str) -> str:
    """A code block with any content.

    >>> print(fenced("a ``` b", "sh"))
    ````sh
    a ``` b
    ````
    """
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{value.rstrip()}\n{fence}"


def _cells(facts: dict[str, str]) -> list[tables.Row]:
    return [[tables.Cell(name), tables.Cell(value)] for name, value in facts.items()]
