"""Runs a study with its observers: the terminal and, unless declined, MLflow."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset
from topk_tune.engine.events import Observer
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.records.trials import Confirmation
from topk_tune.report import write_report
from topk_tune.study.confirm import confirm, confirmations
from topk_tune.study.context import provide
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.tracking import Tracker, TrackingConfig, open_tracker
from topk_tune.training.trial import train_booster, why_unsaved

logger = logging.getLogger("topk_tune")


def run_tracked(
    study: Study,
    plan: Plan,
    observers: Sequence[Observer],
    tracking: TrackingConfig | None,
    baselines: bool = False,
) -> str:
    """Run a study as planned, log its best booster to MLflow, and return why it ended.

    With `baselines`, scikit-learn's models are fitted at the end, for comparison.
    """
    data = plan.data
    provide(study, data)  # first, because it is quick and a killed study then has it too
    with _tracker(study, tracking, data) as tracker:
        watching = [*observers, *([tracker.observe] if tracker else [])]
        reason = study.run(plan.stop, plan.resources, watching, data)
        _provide(study, tracker, data, more=baselines and reason != INTERRUPTED)
        _report(study, tracker)
        best = study.best()
        wanted = tracking and tracking.log.boosters and best and reason != INTERRUPTED
        if tracker and best and wanted and _savable(best.best_config):
            tracker.keep_booster(
                best.number, train_booster(best.best_config, study.settings.seed, data)
            )
        return reason


def confirm_tracked(
    study: Study,
    top: int,
    seeds: int,
    resources: ResourceOptions,
    done: Callable[[int, int], None],
    tracking: TrackingConfig | None,
    baselines: bool = False,
    observers: Sequence[Observer] = (),
) -> list[Confirmation]:
    """Confirm the best of a study; log the winner to MLflow as a model."""
    data = study.data()
    confirmed = confirm(study, top, seeds, resources, done, data, observers)
    with _tracker(study, tracking, data) as tracker:
        _provide(study, tracker, data, test=True, more=baselines)
        if tracker and tracking:
            best = confirmed[0]
            wanted = (tracking.log.boosters or tracking.log.model) and _savable(best.config)
            model = train_booster(best.config, best.runs[0].seed, data) if wanted else None
            tracker.confirmed(confirmed, model, data)
        _report(study, tracker)
    return confirmed


def _provide(
    study: Study, tracker: Tracker | None, data: Dataset, *, test: bool = False, more: bool
) -> None:
    """Compute baselines and warnings for the terminal and the report, and log them to MLflow."""
    context = provide(study, data, test=test, more=more)
    if tracker:
        caveats = context.caveats(study.space, study.best(), confirmations(study))
        tracker.compared(context, caveats)


def _savable(config: Mapping[str, Any]) -> bool:
    reason = why_unsaved(config)
    if reason is not None:
        logger.info("no model file: %s", reason)
    return reason is None


def _report(study: Study, tracker: Tracker | None) -> None:
    """Write the report again; errors in it must not cost the study's results."""
    try:
        path = write_report(study)
    except Exception as error:
        logger.warning("the report was not written (%s: %s)", type(error).__name__, error)
        return
    logger.info("report: %s", path)
    if tracker:
        tracker.add_file(path)


@contextmanager
def _tracker(
    study: Study, tracking: TrackingConfig | None, data: Dataset
) -> Iterator[Tracker | None]:
    if tracking is None:
        yield None
        return
    with open_tracker(study, tracking, data) as tracker:
        yield tracker
