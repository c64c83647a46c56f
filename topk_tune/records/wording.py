"""Text for trials, configurations and times, used on the terminal, in reports and in logs."""

import math
from collections.abc import Mapping
from typing import Any

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.training.metrics import LOGGED, MAIN_OF_LOGS, METRICS, metric


def trial_line(record: TrialRecord) -> str:
    """Return one line about a finished trial, with its whole configuration."""
    if record.state == "failed" or record.value is None:
        return outcome_line(record)
    return f"{outcome_line(record)}  {config_line(record.config)}"


def outcome_line(record: TrialRecord) -> str:
    """Return one line about how a trial ended."""
    if record.state == "failed":
        return f"trial {record.number} failed: {record.error}"
    if record.value is None:
        return f"trial {record.number} {record.state}"
    spread = "" if record.spread is None else f" ± {record.spread:.4f}"
    above = f", {record.key[0]:.4f} above the bound" if record.key[0] > 0 else ""
    reused = " (reused)" if record.reused else ""
    if record.objective.metric == LOGGED and all(name in record.metrics for name in MAIN_OF_LOGS):
        _, low, high = (record.metrics[name] for name in MAIN_OF_LOGS)
        spread += f" (95%: {low:.4f} to {high:.4f})"
    return (
        f"trial {record.number} {record.state}: {record.objective.words} {record.value:.4f}{spread}"
        f"{above} after {record.best_loop} loops, {record.seconds:.1f} s{reused}"
    )


def config_line(config: Mapping[str, Any]) -> str:
    """Return a configuration on one line."""
    return ", ".join(f"{name} {value_text(value)}" for name, value in config.items())


def value_text(value: object) -> str:
    """Return the value of a parameter with a readable number of digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """Return a duration as text."""
    seconds = int(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


_UNITS = ((3600, "h", 1.5), (60, "min", 1.5), (1, "s", 0.0))
"""Seconds in a unit, its name, and from how many on it is used."""


def between(low: float, high: float) -> str:
    """Return a range of times as text, in whole units.

    >>> between(130, 310), between(50, 70), between(25, 8000)
    ('2 to 6 min', '50 to 70 s', '25 s to 3 h')
    """
    size, unit, _ = _unit(high)
    first, last = math.floor(low / size), math.ceil(high / size)
    if first == 0 and low >= 1:  # which would promise too much
        small, name, _ = _unit(low)
        return f"{math.floor(low / small)} {name} to {last} {unit}"
    return f"{first} to {last} {unit}" if first < last else f"{last} {unit}"


def _unit(seconds: float) -> tuple[int, str, float]:
    return next(each for each in _UNITS if seconds >= each[2] * each[0])


def objective_line(settings: StudySettings) -> str:
    """Return the objective of a study and the rows on which it is measured, as text."""
    bound = ""
    if settings.exploration_cost is not None:
        bound = f", with at most {settings.exploration_cost:g} more in what is shown,"
    if settings.objective not in METRICS:
        return f"{settings.goal.words} (a metric that is not installed here){bound}"
    measured = metric(settings.objective)
    what = f"{settings.goal.words} ({measured.help}){bound}"
    if measured.needs == "training":
        return what
    if settings.protocol == "paper":
        return f"{what} on the TEST rows, learning from them (protocol paper)"
    return f"{what} on held-out training rows ({settings.holdout})"


def origins_line(settings: StudySettings) -> str:
    """Return how many configurations were chosen by earlier results, and by whose."""
    number = len(settings.origins)
    what = "configurations" if number > 1 else "configuration"
    return f"{number} {what} that did well on {', '.join(sorted(set(settings.origins)))}"
