"""`topk-tune confirm`: the best of a study again, on fresh seeds."""

from booster.tables import ALGORITHMS, TOP_K
from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.session import confirm_tracked
from topk_tune.study.context import kept
from topk_tune.terminal.count_view import CountView
from topk_tune.terminal.study_views import show_confirmed
from topk_tune.tracking.models import mlflow_serves, noted_uri
from topk_tune.tracking.tracker import folder_of


def confirm(
    name: str,
    top: int,
    seeds: int,
    resources: ResourceOptions,
    *,
    dataset: str | None,
    storage: str | None,
    track: bool,
    baselines: bool,
) -> None:
    """Rank the best configurations again, test the first, and show what came out."""
    resources.check()
    study = driving.open_to_drive(name, storage, dataset)
    tracking = driving.tracking(track)
    counting = CountView(console.out, "confirming")
    with terminable(), console.following("topk_tune"), counting as view:
        confirmed = confirm_tracked(
            study, top, seeds, resources, view, tracking, baselines, [view.observe]
        )
    beside = kept(study)
    study.store.close()
    show_confirmed(console, study, confirmed, beside)
    option = study.store.location.option
    console.say(f"next: topk-tune export {name}{option} -o best.yaml   (the confirmed best)")
    uri = noted_uri(folder_of(study)) if tracking else None
    if _learns_from_what_it_shows(confirmed[0].config["algorithm"]):
        console.say(
            f"      topk-tune serve {uri or 'best.yaml'}   (a service that goes on learning)"
        )
    if tracking and uri:
        console.say(f"      {mlflow_serves(uri, tracking)}   (the model as a service of MLflow)")


def _learns_from_what_it_shows(algorithm: str) -> bool:
    return algorithm in ALGORITHMS.own and TOP_K in ALGORITHMS[algorithm].traits
