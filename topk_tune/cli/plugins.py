"""`topk-tune plugins`: the names of plug-ins, and the packages that provide them."""

from typing import Annotated

import typer

from topk_tune.cli import listing
from topk_tune.plugins.kinds import KINDS


def plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            autocompletion=lambda: list(KINDS),
            help=f"One of {', '.join(KINDS)} (default: list all).",
        ),
    ] = None,
    form: listing.Format = "table",
) -> None:
    """List the names that options, spaces and files accept, and the packages that provide them.

    Plug-ins of other packages are imported, to check that they work.

    Example: topk-tune plugins samplers
    """
    from topk_tune.commands.plugins import list_plugins

    list_plugins(kind, form)
