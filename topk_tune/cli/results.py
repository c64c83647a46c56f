"""`topk-tune confirm` and `export`: what came out of studies."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.backends.resources import ResourceOptions
from topk_tune.cli import driving, remote
from topk_tune.cli import study_options as options
from topk_tune.cli.option_groups import Without, with_groups
from topk_tune.cli.terminal import console


@with_groups
def confirm(
    context: typer.Context,
    name: options.Name,
    *,
    top: Annotated[int, typer.Option(min=1, help="Best configurations to rank again.")] = 5,
    seeds: Annotated[int, typer.Option(min=2, help="New seeds per configuration.")] = 10,
    resources: Annotated[ResourceOptions, Without("trial_timeout")],
    storage: options.Storage = None,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Rank the best configurations again on held-out rows with new seeds, and test the first.

    Example: topk-tune confirm demo --top 5 --seeds 10
    """
    remote.send(context, cluster)
    from topk_tune.session import confirm_tracked
    from topk_tune.storage import Location
    from topk_tune.study.context import kept
    from topk_tune.study.study import Study

    resources.check()
    location = Location.of(storage)
    study = Study.open(location, name)
    study.store.drive()
    tracking = driving.tracking(track)
    counting = console.counting("confirming")
    with driving.terminable(), console.following("topk_tune"), counting as view:
        confirmed = confirm_tracked(
            study, top, seeds, resources, view, tracking, baselines, [view.observe]
        )
    beside = kept(study)
    study.store.close()
    console.confirmed(study, confirmed, beside)
    console.say(f"next: topk-tune export {name}{location.option}   (the confirmed best as YAML)")


def export(
    context: typer.Context,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Name of the study; several for a table.",
            autocompletion=options.studies,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: the terminal).")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--format",
            help="yaml or json: the best; csv: all trials; md or latex: the best of each data set "
            "and algorithm, as the paper's Table 5.",
        ),
    ] = "yaml",
    storage: options.Storage = None,
    cluster: remote.Cluster = None,
) -> None:
    """Write the best configuration, confirmed if there is one, or all trials, or a table.

    Example: topk-tune export demo -o best.yaml

    Example: topk-tune export emotions-opt emotions-ada yeast-ada --format latex
    """
    from topk_tune.export.config import FORMATS, exported_together
    from topk_tune.plugins.names import one_of
    from topk_tune.storage import Location
    from topk_tune.study.study import Study

    one_of("format", kind, FORMATS)
    remote.look(context, cluster, output)
    text = exported_together([Study.open(Location.of(storage), name) for name in names], kind)
    if output is None:
        console.put(text)
    else:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
        console.say(f"written to {output}")
