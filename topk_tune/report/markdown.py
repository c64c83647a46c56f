"""The report as Markdown with a folder of pictures."""

from collections.abc import Mapping
from urllib.parse import quote

from topk_tune.charts.figure import Figure
from topk_tune.markup.markdown import fenced, table, text
from topk_tune.report import recipe, tables
from topk_tune.report.content import Content
from topk_tune.report.tables import ReportTable
from topk_tune.study import confirmed_figures


def document(content: Content, folder: str, pictures: Mapping[str, Figure]) -> str:
    """The document, with links to the pictures in a folder."""
    parts = [
        f"# Study {text(content.settings.name)}",
        *map(text, tables.headline(content)),
        "## Summary",
        _table(ReportTable(["", ""], _cells(tables.summary(content)))),
        "## Best configuration",
        _table(tables.best_configuration(content)),
    ]
    if content.confirmed:
        ranked = confirmed_figures.ranking(content.confirmed, content.settings)
        parts += ["## Confirmed configurations", text(confirmed_figures.sentence(ranked.title))]
        parts.append(_table(tables.confirmations(content)))
    if (tests := tables.tested(content)) is not None:
        title = confirmed_figures.tested(content.confirmed[0]).title
        parts += ["## Test", text(confirmed_figures.sentence(title)), _table(tests)]
    if content.context.tuning:
        parts += ["## Baselines", _table(tables.baselines(content))]
    for name, figure in pictures.items():
        title = text(figure.title)
        parts += [f"## {title}", f"![{title}]({quote(f'{folder}/{name}.png')})", text(figure.note)]
    parts += [
        f"## Pareto front of {content.metric} and time",
        _table(tables.pareto(content)),
        "## Trials",
    ]
    if note := tables.left_out(content):
        parts.append(text(note))
    parts += [_table(tables.trials(content)), "## Recipe"]
    facts = recipe.recipe(content)
    parts += [fenced(facts.pop("command"), "sh"), _table(ReportTable(["", ""], _cells(facts)))]
    for name, content_of in recipe.files(content).items():
        parts += [f"### {name}", fenced(content_of, "yaml")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(content: ReportTable) -> str:
    """A table with numbers right-aligned; a sentence if it is empty."""
    if not content.rows:
        return "None yet."
    rows = [[text(cell.text) for cell in row] for row in content.rows]
    right = [column for column, numeric in enumerate(content.numeric) if numeric]
    return table(list(map(text, content.columns)), rows, right)


def _cells(facts: dict[str, str]) -> list[tables.Row]:
    return [[tables.Cell(name), tables.Cell(value)] for name, value in facts.items()]
