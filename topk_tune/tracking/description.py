"""The description of a study's run in MLflow: its best configuration, and where to look on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, Self

from topk_tune.markup import markdown
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.records.wording import objective_line, value_text
from topk_tune.tracking.runs import LONGEST_TAG
from topk_tune.training.metrics import words

NOTE = "mlflow.note.content"
"""The tag that MLflow shows as a description."""


@dataclass(frozen=True)
class Tested:
    """The test of the confirmed best: its trial, metric, mean, spread and number of seeds."""

    trial: int
    metric: str
    mean: float
    spread: float | None
    seeds: int

    @classmethod
    def of(cls, trial: int, metric: str, by_seed: Iterable[float]) -> Self:
        """The result of a test from its values, one for each seed."""
        values = list(by_seed)
        spread = stdev(values) if len(values) > 1 else None
        return cls(trial, metric, mean(values), spread, len(values))

    def __str__(self) -> str:
        """Return the result as text."""
        spread = "" if self.spread is None else f" ± {self.spread:.4f}"
        return f"{words(self.metric)} {self.mean:.4f}{spread} on the test rows, {self.seeds} seeds"


def description(
    settings: StudySettings,
    best: TrialRecord,
    config: Mapping[str, Any],
    links: Mapping[str, str],
    tested: Tested | None = None,
) -> str:
    """Return the description in Markdown.

    `best` is the best trial or the confirmed one, `config` its configuration, and `links` are
    pages by their titles.
    """
    found = f"{best.objective.words} {best.value:.4f}" if best.value is not None else best.state
    parts = [f"**Trial {best.number}** is the best: {found}. {_measured(settings)}"]
    if tested is not None:
        parts = [f"**Trial {best.number}** is the confirmed best: {markdown.text(str(tested))}."]
    rows = [[markdown.text(name), markdown.text(value_text(v))] for name, v in config.items()]
    # First, because MLflow folds what is long.
    parts.append(" · ".join(f"[{markdown.text(title)}]({page})" for title, page in links.items()))
    parts.append(markdown.table(["parameter", "value"], rows))
    return "\n\n".join(parts)[:LONGEST_TAG]


def _measured(settings: StudySettings) -> str:
    return f"It is measured by {markdown.text(objective_line(settings))}, not confirmed yet."
