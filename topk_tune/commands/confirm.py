"""`topk-tune confirm`: the best of a study again, on fresh seeds."""

from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.session import confirm_tracked
from topk_tune.storage import Location
from topk_tune.study.context import kept
from topk_tune.study.study import Study
from topk_tune.terminal.live import CountView
from topk_tune.terminal.study_views import show_confirmed


def confirm(
    name: str,
    top: int,
    seeds: int,
    resources: ResourceOptions,
    *,
    storage: str | None,
    track: bool,
    baselines: bool,
) -> None:
    """Rank the best configurations again, test the first, and show what came out."""
    resources.check()
    location = Location.of(storage)
    study = Study.open(location, name)
    study.store.drive()
    tracking = driving.tracking(track)
    counting = CountView(console.out, "confirming")
    with terminable(), console.following("topk_tune"), counting as view:
        confirmed = confirm_tracked(
            study, top, seeds, resources, view, tracking, baselines, [view.observe]
        )
    beside = kept(study)
    study.store.close()
    show_confirmed(console, study, confirmed, beside)
    console.say(f"next: topk-tune export {name}{location.option}   (the confirmed best as YAML)")
