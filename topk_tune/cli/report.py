"""`topk-tune report`: a study on one page."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli import remote
from topk_tune.cli import study_options as options
from topk_tune.plugins.names import one_of


def report(
    context: typer.Context,
    name: options.Name,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write (default: in the study's folder; with --cluster, here).",
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option("--format", help="html: one page; md: Markdown and pictures; png: pictures."),
    ] = "html",
    dataset: options.Dataset = None,
    storage: options.Storage = None,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Write the results of a study, with charts, as a self-contained page.

    Example: topk-tune report demo
    """
    from topk_tune.commands import report as work

    one_of("format", kind, work.KINDS)
    remote.fetch(context, cluster, output or Path(f"{name}-{work.KINDS[kind]}"))
    work.report(name, output, kind, storage, baselines, dataset)
