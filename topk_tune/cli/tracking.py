"""`topk-tune ui` and `topk-tune sync`: what MLflow shows, and what it still has to get."""

from typing import TYPE_CHECKING, Annotated

import typer

from topk_tune.cli import driving, remote
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from pathlib import Path


def ui(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of the study whose page is wanted.", autocompletion=options.studies
        ),
    ] = None,
    storage: options.Storage = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the server (default: mlflow.yaml's)."),
    ] = None,
    cluster: remote.Cluster = None,
) -> None:
    """Start the MLflow server of mlflow.yaml and print where it answers; Ctrl-C stops it.

    If studies are tracked on a server elsewhere, only its address is printed. With --cluster the
    server runs on the head, and its port answers here too.

    Example: topk-tune ui demo
    """
    remote.serve(context, cluster, port)
    from topk_tune.tracking import TrackingError, read_config
    from topk_tune.tracking.server import Server, check_port, is_ours, page
    from topk_tune.tracking.uris import without_password

    config = read_config()
    if port is not None:
        config = config.served_at(port)
    folder = None if name is None else _folder(name, storage)
    if not is_ours(config):
        if port is not None:
            raise TrackingError(
                "--port is for a server that is started here, but studies are tracked at "
                f"{without_password(config.tracking_uri)}: leave it out"
            )
        console.say(page(config, folder))
        return
    check_port(config)
    console.say(f"starting the MLflow server at {config.server.address} ...")
    try:
        with driving.terminable(), Server(config.server) as server:
            console.say(f"open {page(config, folder)}   (Ctrl-C stops the server)")
            server.wait()
    except KeyboardInterrupt:
        console.say("stopped")


def sync(name: options.Name, storage: options.Storage = None) -> None:
    """Send to MLflow what it has not got of a study, because it was away.

    Example: topk-tune sync demo
    """
    from topk_tune.tracking.config import read_config
    from topk_tune.tracking.process import BUSY, WriterProcess, left_in

    folder, config = _folder(name, storage), read_config()
    before = left_in(folder, config)
    if not before:
        console.say("everything is there")
        return
    writer = WriterProcess(folder, config)
    with console.following("topk_tune"):
        code = writer.finish()
    left = writer.left
    if code == BUSY:
        console.say(f"the study runs, and another process sends its records ({left} are left)")
        return
    console.say(f"sent {before - left} records, {left} are left")
    if left:
        console.error(f"MLflow did not take everything; {folder / 'writer.log'} says why")
        raise SystemExit(1)


def _folder(name: str, storage: str | None) -> "Path":
    """Where the tracking of a study keeps its files."""
    from booster.plugins import unknown
    from topk_tune.storage import Location
    from topk_tune.tracking import TrackingError, spool
    from topk_tune.tracking.tracker import FOLDER

    location = Location.of(storage)
    folder = location.folder(name) / FOLDER
    if not (folder / spool.NAME).exists():
        tracked = sorted(p.parts[-3] for p in location.root.glob(f"*/{FOLDER}/{spool.NAME}"))
        raise TrackingError(f"in {location.root}: {unknown('tracked study', name, tracked)}")
    return folder
