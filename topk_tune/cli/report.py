"""`topk-tune report`: a study on one page."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli import remote
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console


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
    storage: options.Storage = None,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Write what came out of a study, with charts, as a page that needs no network.

    Example: topk-tune report demo
    """
    from topk_tune.plugins.names import one_of
    from topk_tune.report import KINDS, write_report
    from topk_tune.storage import Location
    from topk_tune.study.study import Study

    one_of("format", kind, KINDS)
    remote.fetch(context, cluster, output or Path(f"{name}-{KINDS[kind]}"))
    path = write_report(Study.open(Location.of(storage), name), output, kind, baselines)
    console.say(f"written to {path}")
