"""`topk-tune data`: where data sets come from, and what is in them."""

from pathlib import Path
from typing import Annotated

import typer

from booster.tables import SCHEMES, UNIFORM
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
    path: Annotated[
        str, typer.Argument(help=f"Your file or folder: {_ENDINGS}; or a log: .parquet, .jsonl.")
    ],
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

    Of a log, it says how much can be learned from it, and what can never be known.

    Example: topk-tune data check mine.csv --labels 6 --split tail:0.3
    """
    from topk_tune.commands import data_check

    data_check.check(path, labels, split, kind, everything)


@data_app.command()
def log(
    dataset: Annotated[
        str, typer.Argument(help="A data set with all labels.", autocompletion=datasets)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File of the log: .parquet or .jsonl.")
    ],
    policy: Annotated[
        str, typer.Option(help="Algorithm of the booster whose rankings are shown.")
    ] = "topada",
    loops: Annotated[
        int, typer.Option(help="Passes over the training rows that it has learned from.")
    ] = 1,
    rate: Annotated[float, typer.Option(help="How often a ranking is randomised, 0 to 1.")] = 0.1,
    exploration: Annotated[
        str, typer.Option(help=f"How rankings are randomised: {', '.join(SCHEMES.own)}.")
    ] = UNIFORM,
    k: Annotated[int, typer.Option(help="How many labels are shown.")] = 3,
    passes: Annotated[int, typer.Option(help="Passes over the training rows in the log.")] = 1,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Write the log that a policy would have left: what it shows of the training rows.

    The policy ranks by a booster that no longer learns. The log has only the relevance of the
    labels shown, and how likely each pair of them was to be shown together.

    Example: topk-tune data log yeast --policy topada --rate 0.1 --passes 20 -o yeast-log.parquet
    """
    from topk_tune.commands import data_log

    shown = {"k": k, "rate": rate, "exploration": exploration}
    data_log.write(
        dataset, output, policy=policy, loops=loops, shown=shown, passes=passes, seed=seed
    )
