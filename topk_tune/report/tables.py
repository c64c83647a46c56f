"""The texts and tables of a report, for all formats."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from topk_tune.charts.results import has_value
from topk_tune.records.trials import Confirmation, Repeats, TrialRecord
from topk_tune.records.wording import duration, objective_line, origins_line
from topk_tune.report.content import Content
from topk_tune.spaces import Space
from topk_tune.study import confirmed_figures
from topk_tune.training.metrics import loss_of_baselines, main_metrics, words
from topk_tune.training.objective import Key

ROWS = 100
"""The most trials in a table, which cannot be sorted in a text file."""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and the number that it is sorted by, if any."""

    text: str
    value: float | None = None


Row = list[Cell]


@dataclass(frozen=True)
class ReportTable:
    """Rows of cells under the names of columns."""

    columns: list[str]
    rows: list[Row]

    @cached_property
    def numeric(self) -> list[bool]:
        """Whether a column holds numbers only."""
        return [
            all(row[i].value is not None or not row[i].text for row in self.rows)
            for i in range(len(self.columns))
        ]


def headline(content: Content) -> list[str]:
    """The result in sentences: the loss, the rows it is measured on, and how reliable it is."""
    name, best = content.settings.name, content.best
    if best is None:
        return [
            "No trial has a result yet.",
            f"The objective is the {objective_line(content.settings)}.",
        ]
    loops = "loop" if best.best_loop == 1 else "loops"
    goal = content.settings.goal
    found = f"Trial {best.number} has the {goal.superlative} {goal.words}: {figure(best.value)}"
    found += "" if best.spread is None else f" ± {figure(best.spread)}"
    lines = [f"{found} after {best.best_loop} {loops}: {objective_line(content.settings)}."]
    if content.settings.protocol == "paper":
        lines.append(
            "Configurations were chosen on the test rows (protocol paper): expect worse on new "
            "rows."
        )
    if not content.confirmed:
        lines.append(
            "It is not confirmed on fresh seeds yet; the best of many noisy trials is partly luck. "
            f"Confirm it with: topk-tune confirm {name}"
        )
    else:
        lines.append(_confirmed(content))
    if content.context.tuning:
        others = ", ".join(f"{b.name} {figure(b.loss)}" for b in content.context.tuning)
        loss = loss_of_baselines(content.settings.objective)
        lines.append(f"Baselines, {loss} on the same rows: {others}.")
    space = Space.from_dict(content.settings.space)
    caveats = content.context.caveats(space, best, content.confirmed)
    return [*lines, *(f"Note: {caveat}." for caveat in caveats)]


def summary(content: Content) -> dict[str, str]:
    """The main facts of a study."""
    settings, period = content.settings, content.period
    algorithms = Space.from_dict(settings.space).parameters["algorithm"].extremes
    labels = {"labels": settings.labels, "split": settings.split}
    return {
        "data set": settings.dataset,
        **{name: value for name, value in labels.items() if value is not None},
        "algorithm": ", ".join(map(str, algorithms)),
        "trials": ", ".join(f"{n:,} {s}" for s, n in content.counts.items()) or "none yet",
        "search": f"{settings.sampler}, pruning: {settings.pruner}",
        **({"started with": origins_line(settings)} if settings.origins else {}),
        "objective": objective_line(settings),
        **({"second objective": "runtime"} if settings.runtime_objective else {}),
        "seeds per trial": str(settings.seeds),
        "training time": duration(content.seconds),
        **({"stopped": content.ended} if content.ended else {}),
        **({"period": " to ".join(f"{t:%Y-%m-%d %H:%M}" for t in period)} if period else {}),
    }


def best_configuration(content: Content) -> ReportTable:
    """The best configuration, with the range of each parameter."""
    rules = {name: p.rule() for name, p in content.searched.items()}
    rows = [
        [Cell(name), Cell(value_text(value)), Cell(rules.get(name, "not searched"))]
        for name, value in content.best_config.items()
    ]
    return ReportTable(["parameter", "value", "searched"], rows)


def confirmations(content: Content) -> ReportTable:
    """The confirmed configurations, best first."""
    found = _of_figures(confirmed_figures.ranking(content.confirmed, content.settings))
    seeds = [
        Cell(", ".join(map(figure, confirmed_figures.ranked_by(each).values)))
        for each in content.confirmed
    ]
    # Configurations are left to the table of trials.
    rows = [[*row[:-1], by_seed] for row, by_seed in zip(found.rows, seeds, strict=True)]
    return ReportTable([*found.columns[:-1], "by seed"], rows)


def tested(content: Content) -> ReportTable | None:
    """The confirmed best on the test rows, under each protocol, with baselines."""
    if not content.confirmed or not content.confirmed[0].runs:
        return None
    return _of_figures(confirmed_figures.tested(content.confirmed[0], content.context.test))


def baselines(content: Content) -> ReportTable:
    """The baselines on the rows that trials are evaluated on."""
    rows = [
        [
            Cell(each.name),
            _number(each.loss),
            Cell("features and all labels" if each.needs_all_labels else "how often labels occur"),
        ]
        for each in content.context.tuning
    ]
    loss = loss_of_baselines(content.settings.objective)
    return ReportTable(["", loss, "of the training rows it sees"], rows)


def pareto(content: Content) -> ReportTable:
    """The trials of the Pareto front, fastest first."""
    rows = [
        [Cell(str(r.number), r.number), _number(r.seconds, 1), _number(r.value)]
        for r in content.front
    ]
    return ReportTable(["trial", "seconds", content.metric], rows)


def trials(content: Content, most: int = ROWS) -> ReportTable:
    """The trials, best first: those that can be used, then others, then those without a value."""
    usable = {record.number for record in content.ranked}
    ordered = sorted(content.records, key=lambda r: (r.number not in usable, _key(r), r.number))
    names = list(content.searched)
    objective = content.settings.objective
    others = [name for name in main_metrics(objective) if name != objective]
    figures = [content.metric, "st. dev.", *map(words, others)]
    columns = ["trial", "state", *figures, "best loop", "seconds", *names]
    errors = any(record.error for record in content.records)
    rows = [_trial_row(record, others, names, errors) for record in ordered[:most]]
    return ReportTable([*columns, "error"] if errors else columns, rows)


def left_out(content: Content, most: int = ROWS) -> str:
    """A sentence about trials that are not in a table, if any."""
    total = len(content.records)
    if total <= most:
        return ""
    command = f"topk-tune export {content.settings.name} --format csv"
    return f"The best {most:,} of {total:,} trials; all of them: {command}"


def _confirmed(content: Content) -> str:
    first = content.confirmed[0]
    found = f"{'Confirmed best' if first.runs else 'Best on fresh seeds'}: trial {first.trial}"
    if first.held:
        held = first.held
        among = sum(bool(each.held) for each in content.confirmed)
        found += (
            f", the best of {among} configurations by {words(held.metric)} on held-out training "
            f"rows ({_with_spread(held)} over {len(held.runs)} fresh seeds)"
        )
    if not first.runs:
        return f"{found}; {confirmed_figures.UNTESTED}."
    found += (
        f", with a {words(first.metric)} of {_with_spread(first)} on the test rows over "
        f"{len(first.runs)} fresh seeds, trained on all training rows"
    )
    if len(content.confirmed) > 1 and not first.held:
        found += f"; the best of {len(content.confirmed)} configurations by these rows"
    return f"{found}."


def _with_spread(repeats: Confirmation | Repeats) -> str:
    spread = "" if repeats.spread is None else f" ± {figure(repeats.spread)}"
    return f"{figure(repeats.value)}{spread}"


def _of_figures(figures: confirmed_figures.Figures) -> ReportTable:
    def cell(value: str | int | float | None) -> Cell:
        if isinstance(value, str):
            return Cell(value)
        digits = 0 if isinstance(value, int) else 4
        return _number(value, digits)

    return ReportTable(figures.columns, [list(map(cell, row)) for row in figures.rows])


def figure(value: float | None, digits: int = 4) -> str:
    """A number with a fixed number of digits; empty for None."""
    return "" if value is None else f"{value:.{digits}f}"


def value_text(value: Any) -> str:
    """A value of a configuration; floats are rounded."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _trial_row(
    record: TrialRecord, others: Sequence[str], names: Sequence[str], errors: bool
) -> Row:
    row = [
        Cell(str(record.number), record.number),
        Cell(record.state),
        _number(record.value),
        _number(record.spread),
        *(_number(record.metrics.get(name)) for name in others),
        _number(record.best_loop, 0),
        _number(record.seconds, 1),
        *(_parameter(record, name) for name in names),
    ]
    return [*row, Cell(record.error or "")] if errors else row


def _parameter(record: TrialRecord, name: str) -> Cell:
    if name not in record.params:
        return Cell("")
    value = record.params[name]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(value_text(value), float(value) if number else None)


def _number(value: float | None, digits: int = 4) -> Cell:
    return Cell(figure(value, digits), value)


def _key(record: TrialRecord) -> Key:
    return record.key if has_value(record) else (math.inf, math.inf)
