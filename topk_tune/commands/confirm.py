"""`topk-tune confirm`: the best of a study again, on fresh seeds."""

from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.session import confirm_tracked
from topk_tune.study.context import kept
from topk_tune.terminal.count_view import CountView
from topk_tune.terminal.study_views import show_confirmed
from topk_tune.tracking.models import serving
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
    console.say(
        f"next: topk-tune export {name}{study.store.location.option}   (the confirmed best as YAML)"
    )
    if tracking is not None:
        algorithm = confirmed[0].config["algorithm"]
        for what, command in serving(folder_of(study), tracking, algorithm).items():
            console.say(f"      {command}   ({what})")
