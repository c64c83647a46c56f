"""The importance of each parameter."""

import warnings
from collections.abc import Sequence

import optuna

from topk_tune.charts.figure import Axis, Bars, Chart, Figure
from topk_tune.charts.ped_anova import ped_anova
from topk_tune.charts.results import Results, searched, value_of
from topk_tune.charts.scales import Numbers, rows
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.storage.quiet_optuna import unannounced

ENOUGH = 10
"""The least number of trials: importances compare the best tenth with the others."""

_ANALYSED = 2000
"""The number of latest trials in use: more would only take longer."""


def importances(results: Results) -> Figure:
    """Return a chart with one bar per parameter."""
    shares = results.importances
    title = "Importances"
    if not shares:
        note = f"Importances need {ENOUGH} trials and a searched parameter."
        found = len(results.ranked) + len(results.stopped)
        return Figure(title, f"{note} There are {found} trials.")
    names, ends = list(shares), list(shares.values())
    labels = [f"{share:.2f}" for share in ends]
    chart = Chart(
        "Importance of each parameter",
        Axis("share", Numbers(0.0, max(ends) * 1.18 or 1.0)),
        Axis("", rows(names)),
        [Bars(names, [0.0] * len(names), ends, "complete", labels)],
    )
    note = (
        "How much a parameter decides whether a trial is among the best tenth (PED-ANOVA). The "
        "shares add up to 1. A pruned trial counts as worse than all that trained for longer. "
        "With few trials they are rough."
    )
    return Figure(title, note, [chart])


def shares(settings: StudySettings, records: Sequence[TrialRecord]) -> dict[str, float]:
    """Return how much each parameter decides whether a trial is in the best tenth (PED-ANOVA).

    Trials that were stopped count, as worse than all that trained for longer; if most trials are
    stopped, the others alone would say little. Trials that a changed space no longer allows are
    excluded.
    """
    parameters = searched(settings)
    latest = sorted(records, key=lambda each: each.number)[-_ANALYSED:]
    usable = [
        record
        for record in _ordered(Results(settings, latest))
        if all(n in parameters and parameters[n].allows(v) for n, v in record.params.items())
    ]
    if len(usable) < ENOUGH:
        return {}
    with unannounced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about trials that are all alike: shares are equal then
        study = optuna.create_study()
        for place, record in enumerate(usable):
            fixed = optuna.trial.FixedTrial(dict(record.params))
            for name in record.params:
                parameters[name].suggest(fixed, name)
            study.add_trial(
                optuna.trial.create_trial(
                    params=dict(record.params),
                    distributions=fixed.distributions,
                    value=place,
                )
            )
        return ped_anova(study)


def _ordered(results: Results) -> list[TrialRecord]:
    """Return the trials best first: those that can be used, then the stopped, the longest first."""
    sign = 1 if results.settings.goal.direction == "minimize" else -1
    stopped = sorted(results.stopped, key=lambda r: (-len(r.curve), sign * value_of(r)))
    return results.ranked + stopped
