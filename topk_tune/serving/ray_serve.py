"""Models on a Ray cluster, behind Ray Serve: one replica that is restarted, on this machine.

A model is one stream of rounds, so there is never more than one replica. It runs on the node whose
disk has the folders of the models, because a replica elsewhere would know nothing of what was
learned. It ends with the command, even if that is killed: it waits for an actor of the command,
which Ray ends then.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.serving.access import Access
from topk_tune.serving.app import RankingApp
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.served_model import Limits, NewModel, ServedModel

if TYPE_CHECKING:
    from starlette.applications import Starlette

APPLICATION = "topk-tune"

_MOST_REQUESTS = 1_000
_GRACE = 10
"""Seconds that requests under way get when the replica is stopped."""

_NODE = "ray.io/node-id"
"""The label with the id that Ray gives to each node."""


def check_installed() -> None:
    """Raise a ValueError if there is no Ray Serve."""
    try:
        import_module("ray.serve")
    except ImportError as error:
        raise ValueError(
            "--address needs Ray Serve, which is not installed: pip install 'topk-tune[ray-serve]' "
            f"({error})"
        ) from None


@contextmanager
def deployed(
    folders: Mapping[str, tuple[Path, str]], limits: Limits, access: Access, host: str, port: int
) -> Iterator[None]:
    """Serve the models of folders, each with its origin, until the end of the block.

    The program is connected to Ray, and runs on a node of it.
    """
    import ray
    from ray import serve

    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    if serve.status().applications or serve.status().proxies:
        raise ValueError("Ray Serve runs in this cluster already: stop it with `serve shutdown`")
    command: Any = ray.remote(num_cpus=0)(_Command).remote()
    here = ray.get_runtime_context().get_node_id()
    replica = serve.deployment(
        num_replicas=1,
        max_ongoing_requests=_MOST_REQUESTS,
        graceful_shutdown_timeout_s=_GRACE,
        ray_actor_options={"num_cpus": 1, "label_selector": {_NODE: here}},
        logging_config={"enable_access_log": False},
    )(serve.ingress(lambda: opened(folders, limits, access, command))(_Replica))
    try:
        serve.start(http_options={"host": host, "port": port, "location": "HeadOnly"})
        serve.run(replica.bind(), name=APPLICATION, route_prefix="/")
        yield
    finally:
        serve.shutdown()


def opened(
    folders: Mapping[str, tuple[Path, str]], limits: Limits, access: Access, command: Any
) -> Starlette:
    """Open models and return their application; this runs in the replica."""
    models = {
        name: ServedModel(ModelFiles(folder), origin, _must_be_there, limits)
        for name, (folder, origin) in folders.items()
    }
    threading.Thread(target=_end_with, args=(command,), daemon=True).start()
    app = RankingApp(models, access).asgi
    app.state.models = models
    return app


class _Command:
    """Lives as long as the command."""

    async def ended(self) -> None:
        """Never return: who waits is told when the actor is dead."""
        import asyncio

        await asyncio.Event().wait()


class _Replica:
    """What Ray Serve asks besides the application."""

    app: Starlette

    def check_health(self) -> None:
        """Raise an error if a journal could not be written: a restarted replica reads it again."""
        for name, model in self.app.state.models.items():
            if model.failed is not None:
                raise OSError(f"the journal of {name} could not be written: {model.failed}")

    def __del__(self) -> None:
        """Save everything: Ray Serve calls this before it stops the replica."""
        for model in self.app.state.models.values():
            model.close()


def _end_with(command: Any) -> None:
    import ray
    from ray import serve
    from ray.exceptions import RayActorError

    try:
        ray.get(command.ended.remote())
    except RayActorError:
        serve.shutdown()


def _must_be_there() -> NewModel:
    raise FileNotFoundError("the command that serves models has opened their folders before")
