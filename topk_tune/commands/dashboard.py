"""`topk-tune dashboard`: the live page of studies."""

from collections.abc import Sequence

from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.dashboard import DashboardServer
from topk_tune.dashboard.watching import Watch
from topk_tune.storage import Location


def dashboard(chosen: Sequence[str], storage: str | None, port: int | None) -> None:
    """Serve the page of some studies, or of all, until Ctrl-C."""
    watch = Watch(Location.of(storage), chosen)
    try:
        with terminable(), DashboardServer(watch, port or 0) as server:
            console.say(f"open {server.address}")
            console.say("The address is secret: it is all that one needs to read the studies.")
            console.say("Ctrl-C stops the server.")
            server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        console.say("stopped")
