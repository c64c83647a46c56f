"""`topk-tune serve --address`: rankers on a Ray cluster."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import ray

from topk_tune.backends.ray_address import check_address
from topk_tune.backends.ray_cluster import connect
from topk_tune.commands.serve import open_models
from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.serving.access import Access
from topk_tune.serving.ray_serve import check_installed, deployed
from topk_tune.serving.served_model import Limits
from topk_tune.serving.server import listen
from topk_tune.serving.sources import Source


def serve_on_ray(
    sources: Sequence[Source],
    host: str,
    port: int,
    folder: Path | None,
    limits: Limits,
    access: Access,
    address: str,
) -> None:
    """Serve models by Ray Serve until Ctrl-C; new ones are made before a replica opens them."""
    check_installed()
    if port == 0:
        raise ValueError("--port must be a number from 1 with --address, but got 0")
    check_address(address)
    with suppress(KeyboardInterrupt), terminable(), console.following("booster", "topk_tune"):
        listen(host, port).close()  # before a model is trained for nothing
        with open_models(sources, folder, limits) as served:
            folders = {
                name: (model.files.folder.absolute(), model.origin)
                for name, model in served.items()
            }
        connected = connect(address, None, 0)
        try:
            with deployed(folders, limits, access, host, port):
                console.say(f"serving at http://{host}:{port}")
                console.say("Ray Serve keeps it running. Ctrl-C stops the server.")
                threading.Event().wait()
        finally:
            if connected:
                ray.shutdown()
    console.say("stopped")
