"""`topk-tune confirm` and `export`: what came out of studies."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.backends.resources import ResourceOptions
from topk_tune.cli import remote
from topk_tune.cli import study_options as options
from topk_tune.cli.option_groups import Without, with_groups
from topk_tune.plugins.names import one_of


@with_groups
def confirm(
    context: typer.Context,
    name: options.Name,
    *,
    top: Annotated[int, typer.Option(min=1, help="Best configurations to rank again.")] = 5,
    seeds: Annotated[int, typer.Option(min=2, help="New seeds per configuration.")] = 10,
    resources: Annotated[ResourceOptions, Without("trial_timeout")],
    dataset: options.Dataset = None,
    storage: options.Storage = None,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Rank the best configurations again on held-out rows with new seeds, and test the first.

    Example: topk-tune confirm demo --top 5 --seeds 10
    """
    remote.send(context, cluster)
    from topk_tune.commands import confirm as work

    work.confirm(
        name,
        top,
        seeds,
        resources,
        dataset=dataset,
        storage=storage,
        track=track,
        baselines=baselines,
    )


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
    from topk_tune.commands import export as work

    one_of("format", kind, work.FORMATS)
    remote.look(context, cluster, output)
    work.export(names, kind, output, storage)
