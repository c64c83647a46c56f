"""`topk-tune status`: how studies stand."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from topk_tune.cli import listing, remote
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.study.study import Study

_LATEST = 10
"""Trials that people are shown unless they ask for more."""


def status(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a study (default: list all).", autocompletion=options.studies),
    ] = None,
    storage: options.Storage = None,
    last: Annotated[
        int | None,
        typer.Option(min=1, help="Trials to show, the latest (default: 10, for programs all)."),
    ] = None,
    kind: listing.Format = "table",
    cluster: remote.Cluster = None,
) -> None:
    """Show how studies stand: trials done, best so far, what was confirmed.

    Example: topk-tune status demo
    """
    remote.look(context, cluster)
    from topk_tune.storage import Location
    from topk_tune.storage.store import names
    from topk_tune.study.confirm import confirmations
    from topk_tune.study.context import kept
    from topk_tune.study.study import Study

    location = Location.of(storage)
    if name is None:
        studies = [Study.open(location, each) for each in names(location)]
        rows = [_study_row(study) for study in studies]
        listing.show(kind, rows, lambda: console.studies(studies, location.printable))
        return
    study = Study.open(location, name)

    def table() -> None:
        context = kept(study)
        console.status(study, last or _LATEST, context)
        console.confirmed(study, confirmations(study), context)

    listing.show(kind, _trial_rows(study)[-(last or 0) :], table)


def _study_row(study: "Study") -> dict[str, Any]:
    from topk_tune.records.trials import FINISHED
    from topk_tune.study.confirm import confirmations
    from topk_tune.study.confirmed_figures import UNTESTED, ranked_by

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
        "note": UNTESTED if confirmed and not tested else None,
    }


def _trial_rows(study: "Study") -> list[dict[str, Any]]:
    from topk_tune.study.confirm import confirmations
    from topk_tune.study.study import row
    from topk_tune.training.metrics import MAIN

    confirmed = {each.trial: each for each in confirmations(study)}
    rows = []
    for record in study.records():
        found = confirmed.get(record.number)
        parts = {"held_out": found and found.held, "test": found}
        rows.append(row(record))
        for part, repeats in parts.items():
            rows[-1] |= dict.fromkeys(f"{part}_{name}" for name in [*MAIN, "spread"])
            if repeats and repeats.runs:
                rows[-1] |= {f"{part}_{name}": value for name, value in repeats.metrics.items()}
                rows[-1][f"{part}_spread"] = repeats.spread
    return rows
