"""`topk-tune ui` and `topk-tune sync`: what MLflow shows, and what it still has to get."""

from pathlib import Path

from booster.plugins import unknown
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.storage import Location
from topk_tune.terminal.count_view import CountView
from topk_tune.tracking import TrackingConfig, TrackingError, read_config, spool
from topk_tune.tracking.process import WriterProcess, is_sending, left_in, wait_for_sender
from topk_tune.tracking.server import Server, at_free_port, is_ours, page, study_page
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
        _say_study(config, folder)
        return
    wanted, config = config.server.port, at_free_port(config, chosen=port is not None)
    if config.server.port != wanted:
        console.say(f"port {wanted} is not free, so the next one that is free is used")
    console.say(f"starting the MLflow server at {config.server.address} ...")
    try:
        with terminable(), Server(config.server) as server:
            console.say(f"open {page(config, folder)}   (Ctrl-C stops the server)")
            _say_study(config, folder)
            server.wait()
    except KeyboardInterrupt:
        console.say("stopped")


def _say_study(config: TrackingConfig, folder: Path | None) -> None:
    """Print the page of the study itself, if it has one."""
    if folder is not None and (address := study_page(config, folder)):
        console.say(f"     {address}   (the study itself)")


def sync(name: str, storage: str | None) -> None:
    """Send the records of a study that MLflow missed; wait for the process that sends them."""
    folder, config = _folder(name, storage), read_config()
    before = left_in(folder, config)
    if not before:
        console.say("everything is there")
        return
    with console.following("topk_tune"), CountView(console.out, "sending", "records") as view:
        left = wait_for_sender(folder, config)
        if left and is_sending(folder):
            console.say(f"another process sends the records ({left} are left)")
            return
        if left:
            writer = WriterProcess(folder, config)
            writer.finish(progress=lambda left: view(before - left, before))
            left = writer.left
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
