"""Confirmations as text and numbers, used on the terminal, in reports and in exports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, Repeats
from topk_tune.records.wording import config_line
from topk_tune.training.baselines import Baseline
from topk_tune.training.metrics import LOGGED, WAYS, words

LOSSES = ("shown_loss", "greedy_loss")
"""The metrics shown beside the objective of every test."""

UNTESTED = "ranked again on held-out rows, not tested yet"
"""The status of a configuration that was not yet trained on all training rows and tested."""

UNTESTED_NOTE = "ranked anew, not tested yet"
"""The same in exports, whose values stay as they are for scripts that compare them."""


@dataclass(frozen=True)
class Figures:
    """A table, with a title that ends in a colon."""

    title: str
    columns: list[str]
    rows: list[list[str | int | float | None]]


def ranking(confirmed: Sequence[Confirmation], settings: StudySettings) -> Figures:
    """Return all confirmations, best first, with the rows that they were ranked by."""
    rows: list[list[str | int | float | None]] = []
    for each in confirmed:
        by = ranked_by(each)
        where = "held-out" if each.held else "test"
        values = [each.trial, by.value, by.spread, len(by.runs), where, config_line(each.config)]
        rows.append(values)
    columns = ["trial", "mean", "st. dev.", "seeds", "rows", "configuration"]
    return Figures(_ranked_how(confirmed, settings), columns, rows)


def tested(first: Confirmation, baselines: Sequence[Baseline] = ()) -> Figures:
    """Return the best on the test rows, for each way to use them, beside baselines."""
    metrics = [name for name in measured(first) if any(p + name in first.metrics for p in WAYS)]
    rows: list[list[str | int | float | None]] = []
    for prefix, way in WAYS.items():
        names = [prefix + metric for metric in metrics]
        if any(name in first.metrics for name in names):
            rows.append([way, *(part for name in names for part in _mean_and_spread(first, name))])
    for other in baselines:
        losses = [[other.loss if name in (*LOSSES, LOGGED) else None, None] for name in metrics]
        rows.append([other.name, *(part for pair in losses for part in pair)])
    title = (
        f"trial {first.trial} on the test rows, trained on all training rows with "
        f"{len(first.runs)} fresh seeds:"
    )
    columns = [part for name in metrics for part in (words(name), "st. dev.")]
    return Figures(title, ["how the test rows were used", *columns], rows)


def measured(first: Confirmation) -> list[str]:
    """Return the metrics that are shown for tests."""
    return list(dict.fromkeys([first.objective.metric, *LOSSES]))


def spreads(first: Confirmation) -> dict[str, float]:
    """Return the standard deviations of those metrics, for each way."""
    names = [prefix + name for prefix in WAYS for name in measured(first)]
    found = {name: first.spread_of(name) for name in names if name in first.metrics}
    return {name: spread for name, spread in found.items() if spread is not None}


def ranked_by(confirmation: Confirmation) -> Confirmation | Repeats:
    """Return the runs that a confirmation was ranked by: on held-out rows, or on the test rows."""
    return confirmation.held or confirmation


def ranked_alike(confirmed: Sequence[Confirmation]) -> list[Confirmation]:
    """Return those that were ranked by the same rows as the first."""
    return [each for each in confirmed if bool(each.held) == bool(confirmed[0].held)]


def ranked_metric(confirmed: Sequence[Confirmation]) -> str:
    """Return the metric and the rows that they were ranked by, as text."""
    rows = "held-out training rows" if confirmed[0].held else "the test rows"
    return f"{words(ranked_by(confirmed[0]).metric)} on {rows}"


def sentence(title: str) -> str:
    """Turn a title into a sentence."""
    return f"{title[:1].upper()}{title[1:].rstrip(':')}."


def _ranked_how(confirmed: Sequence[Confirmation], settings: StudySettings) -> str:
    first = confirmed[0]
    metric = words(ranked_by(first).metric)
    if first.held:
        return (
            f"ranked again by {metric} with fresh seeds, on held-out training rows "
            f"({first.holdout}; the search held out {settings.holdout}):"
        )
    trained = f"{metric} on the test rows, trained on all training rows with fresh seeds"
    if settings.protocol == "paper":
        return f"{trained}; chosen on the test rows (protocol paper):"
    if len(confirmed) == 1:
        return f"{trained}:"
    return f"{trained}; not ranked again on held-out rows, so the lead of the first is partly luck:"


def _mean_and_spread(first: Confirmation, name: str) -> tuple[float | None, float | None]:
    if name not in first.metrics:
        return None, None
    return first.metrics[name], first.spread_of(name)
