"""`topk-tune data`: where data sets come from, and what is in them."""

from typing import Annotated

import typer

from topk_tune.cli import listing
from topk_tune.cli.completion import datasets
from topk_tune.data.formats import READERS

data_app = typer.Typer(no_args_is_help=True, help="List, fetch, show and check data sets.")

_ENDINGS = ", ".join(f".{name}" for name in READERS.own)


@data_app.command("list")
def list_(kind: listing.Format = "table") -> None:
    """List the data sets, and whether they are on this machine.

    Example: topk-tune data list
    """
    from topk_tune.commands import data

    data.list_all(kind)


@data_app.command()
def get(
    names: Annotated[
        list[str], typer.Argument(help="Names of data sets.", autocompletion=datasets)
    ],
) -> None:
    """Fetch data sets into the cache, from which they then load without a network.

    Example: topk-tune data get emotions scene
    """
    from topk_tune.commands import data

    data.get(names)


@data_app.command()
def show(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of data sets; without any, the paper's five.", autocompletion=datasets
        ),
    ] = None,
    kind: listing.Format = "table",
) -> None:
    """Show sizes and labels per row, as in Table 6 of the paper.

    Data sets that are not on this machine are downloaded first.

    Example: topk-tune data show yeast
    """
    from topk_tune.commands import data

    data.show(names, kind)


@data_app.command()
def check(
    path: Annotated[str, typer.Argument(help=f"Your file or folder: {_ENDINGS}.")],
    labels: Annotated[str | None, typer.Option(help="Which columns are labels.")] = None,
    split: Annotated[
        str | None, typer.Option(help="tail:SHARE or random:SHARE:SEED, to set test rows aside.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List every label, and every constant feature.")
    ] = False,
    kind: listing.Format = "table",
) -> None:
    """Read your file or folder and show what is in it, or what is wrong with it.

    Example: topk-tune data check mine.csv --labels 6 --split tail:0.3
    """
    from topk_tune.commands import data_check

    data_check.check(path, labels, split, kind, everything)
