"""The option `--format` of lists: a table for people, or JSON, YAML or CSV for programs."""

from typing import Annotated

import typer

from topk_tune.commands.listing import FORMATS, TABLE
from topk_tune.commands.terminal import console
from topk_tune.plugins.names import one_of


def _checked(kind: str) -> str:
    """Check a format when it is read: whatever is said from then on must stay out of the data."""
    if one_of("format", kind, FORMATS) != TABLE:
        console.step_aside()
    return kind


Format = Annotated[
    str,
    typer.Option(
        "--format",
        callback=_checked,
        autocompletion=lambda: list(FORMATS),
        help="table, or json, yaml or csv for programs.",
    ),
]
