"""`topk-tune cluster`: clusters checked, started, looked at and ended."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli import listing
from topk_tune.cli import study_options as options

cluster_app = typer.Typer(help="Check, start and stop clusters.", no_args_is_help=True)

LauncherFile = Annotated[Path, typer.Argument(help="File of Ray's cluster launcher.")]
_FILE = Path("cluster.yaml")


@cluster_app.command()
def check(
    file: LauncherFile = _FILE,
    probe: Annotated[
        bool, typer.Option("--probe", help="Also check the machines themselves, by SSH.")
    ] = False,
    storage: options.Storage = None,
    drivers: Annotated[int, typer.Option(min=1, help="Drivers of one study at a time.")] = 1,
    kind: listing.Format = "table",
) -> None:
    """Check a cluster's file, and that its services answer, before machines are started.

    Example: topk-tune cluster check cluster.yaml --probe
    """
    from topk_tune.commands import cluster

    cluster.check(file, probe, storage, drivers, kind)


@cluster_app.command()
def up(
    file: LauncherFile = _FILE,
    restart: Annotated[
        bool, typer.Option("--restart", help="First stop a running Ray and its jobs.")
    ] = False,
) -> None:
    """Start a cluster or update a running one, and show the progress of each machine.

    After Ctrl-C, the head continues to set up the other machines.

    Example: topk-tune cluster up cluster.yaml
    """
    from topk_tune.commands import cluster

    cluster.up(file, restart)


@cluster_app.command()
def status(file: LauncherFile = _FILE, kind: listing.Format = "table") -> None:
    """Show the machines of a cluster that are ready, being set up, or failed.

    Example: topk-tune cluster status cluster.yaml
    """
    from topk_tune.commands import cluster

    cluster.status(file, kind)


@cluster_app.command()
def down(file: LauncherFile = _FILE) -> None:
    """Stop a cluster: jobs, Ray and servers on every machine; report what still runs.

    Studies are kept on the head; continue them with `cluster up` and `resume --cluster`.

    Example: topk-tune cluster down cluster.yaml
    """
    from topk_tune.commands import cluster

    cluster.down(file)
