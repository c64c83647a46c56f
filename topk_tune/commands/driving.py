"""A study that runs, with what is said around it."""

from topk_tune.commands.signals import INTERRUPTED, terminable
from topk_tune.commands.terminal import console
from topk_tune.engine.loop import INTERRUPTED as INTERRUPTED_REASON
from topk_tune.session import run_tracked
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.terminal.logs import logging_to
from topk_tune.terminal.study_views import log_of, study_ends, study_starts
from topk_tune.tracking import TrackingConfig, read_config


def open_to_drive(name: str, storage: str | None, dataset: str | None) -> Study:
    """Open a study to drive it. If its data is at another place now, that place is stored."""
    study = Study.open(Location.of(storage), name)
    if dataset is not None:
        study = study.moved(dataset)
    study.store.drive()
    if dataset is not None:
        study.store.replace_settings(study.settings)
    return study


def drive(
    study: Study, plan: Plan, tracking: TrackingConfig | None, baselines: bool = False
) -> None:
    """Run a study as planned, with everything around it; ends the program if it was interrupted."""
    view = study_starts(console, study)
    logging = logging_to(log_of(console, study), console.debug)
    with logging as note, console.following("booster", "topk_tune"), view, terminable():
        try:
            reason = run_tracked(
                study, plan, [view.observe, note], tracking, baselines, console.began
            )
        except KeyboardInterrupt:  # before the first trial, or once more after the last
            reason = INTERRUPTED_REASON
    study_ends(console, study, reason)
    study.store.close()
    if reason == INTERRUPTED_REASON:
        raise SystemExit(INTERRUPTED)


def tracking(wanted: bool) -> TrackingConfig | None:
    """How studies are tracked: what mlflow.yaml says, unless tracking was declined."""
    return read_config() if wanted else None
