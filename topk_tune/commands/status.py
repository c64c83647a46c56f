"""`topk-tune status`: how studies stand."""

from typing import Any

from topk_tune.commands import listing
from topk_tune.commands.terminal import console
from topk_tune.records.table import row
from topk_tune.records.trials import FINISHED
from topk_tune.storage import Location
from topk_tune.storage.store import names
from topk_tune.study.confirm import confirmations
from topk_tune.study.confirmed_figures import UNTESTED_NOTE, ranked_by
from topk_tune.study.context import kept
from topk_tune.study.study import Study
from topk_tune.terminal import study_views as views
from topk_tune.tracking import read_config
from topk_tune.tracking.process import is_sending, left_in
from topk_tune.tracking.tracker import folder_of
from topk_tune.training.metrics import main_metrics

_LATEST = 10
"""Trials that people are shown unless they ask for more."""


def show_studies(storage: str | None, kind: str) -> None:
    """List all studies, a row each."""
    location = Location.of(storage)
    studies = [Study.open(location, each) for each in names(location)]
    rows = [study_row(study) for study in studies]
    listing.show(kind, rows, lambda: views.show_studies(console, studies, location.printable))


def show_study(name: str, storage: str | None, last: int | None, kind: str) -> None:
    """Show a study and its latest trials, for programs all unless `last` is given."""
    study = Study.open(Location.of(storage), name)

    def table() -> None:
        context = kept(study)
        views.show_status(console, study, last or _LATEST, context)
        views.show_confirmed(console, study, confirmations(study), context)
        _show_tracking(study)

    listing.show(kind, _trial_rows(study)[-(last or 0) :], table)


def _show_tracking(study: Study) -> None:
    """Say what MLflow still has to get, if anything."""
    try:
        folder, config = folder_of(study), read_config()
    except ValueError:  # an mlflow.yaml with an error; commands that need it say which
        return
    if left := left_in(folder, config):
        name = f"{study.settings.name}{study.store.location.option}"
        sent = "a process sends them" if is_sending(folder) else f"topk-tune sync {name} sends them"
        console.say(f"tracking: {left} records are not in MLflow yet; {sent}")


def study_row(study: Study) -> dict[str, Any]:
    """How a study stands, for programs."""
    settings, best, confirmed = study.settings, study.best(), confirmations(study)
    states = [record.state for record in study.records()]
    tested = next((each for each in confirmed[:1] if each.runs), None)
    return {
        "study": settings.name,
        "dataset": settings.dataset,
        "protocol": settings.protocol,
        "objective": settings.objective,
        **{state: states.count(state) for state in FINISHED},
        "best_trial": best and best.number,
        "best_value": best and best.value,
        "confirmed_trial": tested and tested.trial,
        "confirmed_value": tested and ranked_by(tested).value,
        "test_value": tested and tested.value,
        "note": UNTESTED_NOTE if confirmed and not tested else None,
    }


def _trial_rows(study: Study) -> list[dict[str, Any]]:
    confirmed = {each.trial: each for each in confirmations(study)}
    names = [*main_metrics(study.settings.objective), "spread"]
    rows = []
    for record in study.records():
        found = confirmed.get(record.number)
        parts = {"held_out": found and found.held, "test": found}
        rows.append(row(record))
        for part, repeats in parts.items():
            rows[-1] |= dict.fromkeys(f"{part}_{name}" for name in names)
            if repeats and repeats.runs:
                rows[-1] |= {f"{part}_{name}": value for name, value in repeats.metrics.items()}
                rows[-1][f"{part}_spread"] = repeats.spread
    return rows
