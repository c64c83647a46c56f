"""Runs a study with its observers: the terminal and, unless declined, MLflow."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset
from topk_tune.engine.events import Notice, Observer, Sending, Waiting
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.engine.run_clock import RunClock
from topk_tune.records.trials import Confirmation
from topk_tune.report import write_report
from topk_tune.study.confirm import confirm, confirmations
from topk_tune.study.context import provide
from topk_tune.study.kept_model import KeptModel, kept_seed, test_loss
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.tracking import Tracker, TrackingConfig, open_tracker
from topk_tune.training.metrics import LOGGED
from topk_tune.training.trial import train_booster, why_unsaved

logger = logging.getLogger("topk_tune")


def run_tracked(
    study: Study,
    plan: Plan,
    observers: Sequence[Observer],
    tracking: TrackingConfig | None,
    baselines: bool = False,
    began: float | None = None,
) -> str:
    """Run a study as planned, log its best booster to MLflow, and return why it ended.

    With `baselines`, scikit-learn's models are fitted at the end, for comparison; with a time
    limit at the start, because nobody knows how long they take. The time limit counts from
    `began`, by default from now, and covers all of this.
    """
    data, limit = plan.data, plan.stop.timeout
    clock = RunClock(limit, began)
    # First, because it is quick and a killed study then has it too.
    provide(study, data, more=baselines and limit is not None)
    with _tracker(study, tracking, data, observers, clock) as tracker:
        watching = [*observers, *([tracker.observe] if tracker else [])]
        reason = study.run(plan.stop, plan.resources, watching, data, clock.elapsed, plan.prepared)
        _tell(observers, "comparing with baselines")
        _provide(study, tracker, data, more=baselines and reason != INTERRUPTED)
        _tell(observers, "writing the report")
        _report(study, tracker)
        best = study.best()
        wanted = tracking and tracking.log.boosters and best and reason != INTERRUPTED
        if tracker and best and wanted and _savable(best.best_config):
            tracker.keep_booster(best.number, best.best_config, study.settings.seed)
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
    with _tracker(study, tracking, data, observers) as tracker:
        _tell(observers, "comparing with baselines")
        _provide(study, tracker, data, test=True, more=baselines)
        if tracker and tracking:
            _tell(observers, "training the model on all training rows")
            wanted = tracking.log.boosters or tracking.log.model
            wanted = wanted and _savable(confirmed[0].config)
            tracker.confirmed(confirmed, _typical(confirmed[0], data) if wanted else None, data)
        _tell(observers, "writing the report")
        _report(study, tracker)
    return confirmed


def _typical(first: Confirmation, data: Dataset) -> KeptModel:
    """Train the model that is kept, and say which it is and how good."""
    kept = kept_seed(first)
    model = train_booster(first.config, kept.seed, data)
    loss = test_loss(model, data)
    mean = first.metrics.get(f"frozen/{LOGGED if data.is_log else 'shown_loss'}")
    beside = "" if mean is None else f" (the mean of {len(first.runs)} seeds is {mean:.4f})"
    logger.info("the model is of %s", kept)
    logger.info("on the test rows, without learning, it shows a loss of %.4f%s", loss, beside)
    return KeptModel(model, kept.seed, loss)


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
    study: Study,
    tracking: TrackingConfig | None,
    data: Dataset,
    observers: Sequence[Observer],
    clock: RunClock | None = None,
) -> Iterator[Tracker | None]:
    if tracking is None:
        yield None
        return
    with open_tracker(study, tracking, data) as tracker:
        tracker.progress = lambda left: _notify(observers, Sending(left))
        yield tracker
        if clock is not None:
            tracker.patience = clock.left


def _tell(observers: Sequence[Observer], reason: str) -> None:
    """Say what is waited for, so that no waiting is without a name."""
    _notify(observers, Waiting(reason))


def _notify(observers: Sequence[Observer], notice: Notice) -> None:
    for observer in observers:
        observer(notice)
