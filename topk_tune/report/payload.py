"""A study as values for the page: facts about the study, and one short row for each trial.

The live page gets them piece by piece; the offline page has them inside.
"""

import math
from collections.abc import Sequence
from typing import Any

from topk_tune.charts.curves import curve
from topk_tune.records.trials import TrialRecord
from topk_tune.report import recipe, tables
from topk_tune.report.content import Content
from topk_tune.report.tables import ReportTable
from topk_tune.spaces import Choice, Parameter
from topk_tune.study import confirmed_figures
from topk_tune.training.metrics import main_metrics, words

FIELDS = (
    "number",
    "state",
    "value",
    "excess",
    "spread",
    "loop",
    "runs",
    "seconds",
    "started",
    "ended",
    "host",
    "attempts",
    "reused",
    "error",
    "params",
    "metrics",
    "curve",
    "band",
)
"""The parts of a trial's row."""

_DIGITS = 5
"""Significant digits of curves, which are drawn and not read."""

# These change the text direction: a command could look like another one.
_TURNING = {
    ord(c): f"\\u{ord(c):04x}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
}


def study_facts(content: Content) -> dict[str, Any]:
    """Return all that the page shows of a study beside its trials."""
    settings = content.settings
    facts = {
        "name": settings.name,
        "id": f"{settings.name}:{settings.fingerprint[:12]}",
        "dataset": settings.dataset,
        "metric": content.metric,
        "minimize": settings.goal.direction == "minimize",
        "budget": content.budget,
        "headline": tables.headline(content),
        "summary": tables.summary(content),
        "best": _table(tables.best_configuration(content)),
        "parameters": [_parameter(name, p) for name, p in content.searched.items()],
        "metrics": {name: words(name) for name in _beside(settings.objective)},
        "importances": dict(content.importances),
        "confirmed": _confirmed(content),
        "tested": _tested(content),
        "baselines": _table(tables.baselines(content)),
        "recipe": recipe.recipe(content),
        "files": recipe.files(content),
    }
    return {name: readable(value) for name, value in facts.items()}


def _beside(objective: str) -> list[str]:
    return [name for name in main_metrics(objective) if name != objective]


def trial_row(record: TrialRecord) -> list[Any]:
    """Return a trial in the order of `FIELDS`; what is not finite is None."""
    measured = record.best_loop is not None
    main = main_metrics(record.objective.metric)
    drawn = curve(record) if measured else None
    row = {
        "number": record.number,
        "state": record.state,
        "value": record.value,
        "excess": record.key[0] if measured else None,
        "spread": record.spread,
        "loop": record.best_loop,
        "runs": record.usable_runs,
        "seconds": record.seconds,
        "started": record.started and record.started.isoformat(timespec="seconds"),
        "ended": record.ended and record.ended.isoformat(timespec="seconds"),
        "host": record.host,
        "attempts": record.attempts,
        "reused": record.reused,
        "error": record.error,
        "params": record.params,
        "metrics": {name: record.metrics[name] for name in main if name in record.metrics},
        "curve": _short(drawn.mean) if drawn else [],
        "band": _short(drawn.spread) if drawn and any(drawn.spread) else [],
    }
    return [readable(row[name]) for name in FIELDS]


def readable(value: Any) -> Any:
    """Return a value for JSON: text keeps its direction, and what is not finite is None."""
    if isinstance(value, str):
        return value.translate(_TURNING)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {readable(str(name)): readable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [readable(each) for each in value]
    return value


def _parameter(name: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": name,
        "rule": parameter.rule(),
        "log": bool(getattr(parameter, "log", False)),
        "options": list(parameter.options) if isinstance(parameter, Choice) else None,
    }


def _confirmed(content: Content) -> dict[str, Any] | None:
    """Return the confirmed configurations: a table, and the values of each seed to draw."""
    if not content.confirmed:
        return None
    shown = confirmed_figures.ranked_alike(content.confirmed)
    by = [confirmed_figures.ranked_by(each) for each in shown]
    return {
        "note": confirmed_figures.sentence(
            confirmed_figures.ranking(content.confirmed, content.settings).title
        ),
        "metric": confirmed_figures.ranked_metric(content.confirmed),
        "seeds": [
            {"trial": each.trial, "values": repeats.values, "mean": repeats.value}
            for each, repeats in zip(shown, by, strict=True)
        ],
        "table": _table(tables.confirmations(content)),
    }


def _tested(content: Content) -> dict[str, Any] | None:
    table = tables.tested(content)
    if table is None:
        return None
    title = confirmed_figures.tested(content.confirmed[0]).title
    return {"note": confirmed_figures.sentence(title), "table": _table(table)}


def _table(table: ReportTable) -> dict[str, Any]:
    return {
        "columns": table.columns,
        "numeric": table.numeric,
        "rows": [[cell.text for cell in row] for row in table.rows],
    }


def _short(values: Sequence[float]) -> list[float]:
    """Return values with few digits."""
    return [float(f"{value:.{_DIGITS}g}") for value in values]
