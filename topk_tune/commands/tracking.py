"""`topk-tune ui` and `topk-tune sync`: what MLflow shows, and what it still has to get."""

from pathlib import Path

from booster.plugins import unknown
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.storage import Location
from topk_tune.tracking import TrackingError, read_config, spool
from topk_tune.tracking.process import BUSY, WriterProcess, left_in
from topk_tune.tracking.server import Server, check_port, is_ours, page
from topk_tune.tracking.tracker import FOLDER
from topk_tune.tracking.uris import without_password


def ui(name: str | None, storage: str | None, port: int | None) -> None:
    """Serve what is tracked until Ctrl-C, or print where it is served already."""
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
        with terminable(), Server(config.server) as server:
            console.say(f"open {page(config, folder)}   (Ctrl-C stops the server)")
            server.wait()
    except KeyboardInterrupt:
        console.say("stopped")


def sync(name: str, storage: str | None) -> None:
    """Send the records of a study that MLflow missed."""
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


def _folder(name: str, storage: str | None) -> Path:
    """Where the tracking of a study keeps its files."""
    location = Location.of(storage)
    folder = location.folder(name) / FOLDER
    if not (folder / spool.NAME).exists():
        tracked = sorted(p.parts[-3] for p in location.root.glob(f"*/{FOLDER}/{spool.NAME}"))
        raise TrackingError(f"in {location.root}: {unknown('tracked study', name, tracked)}")
    return folder
