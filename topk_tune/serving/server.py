"""The server of models: a socket, and uvicorn."""

import errno
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import uvicorn

from topk_tune.serving.access import Access
from topk_tune.serving.app import RankingApp
from topk_tune.serving.served_model import ServedModel

_MOST_CONNECTIONS = 1_000

_GRACE = 10
"""Seconds that requests under way get when the server is stopped."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends every part of an answer at once (TCP_NODELAY);
    # otherwise an answer waits 40 ms for the acknowledgement of its headers.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(2048)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                f"the port {port} must be free, but something listens at {host}:{port}: choose "
                "another with --port, or 0 for a free one"
            ) from None
        raise OSError(f"--host {host} must be an address of this machine: {error}") from None
    return opened


def address_of(opened: socket.socket) -> str:
    """The address at which a socket is asked."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _hanging_up_ends(server: uvicorn.Server) -> Iterator[None]:
    """Let SIGHUP end the server as uvicorn lets Ctrl-C do, not in the middle of a round."""

    def end(number: int, frame: object) -> None:
        server.should_exit = True

    before = signal.getsignal(signal.SIGHUP)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def run(models: Mapping[str, ServedModel], opened: socket.socket, token: str | None) -> None:
    """Serve models until the process is told to end, or a journal cannot be written any more."""
    app = RankingApp(models, Access(token))

    async def look_for_failures() -> None:
        if any(model.failed is not None for model in models.values()):
            server.should_exit = True

    server = uvicorn.Server(
        uvicorn.Config(
            app.asgi,
            access_log=False,
            callback_notify=look_for_failures,
            lifespan="off",
            limit_concurrency=_MOST_CONNECTIONS,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            timeout_notify=1,
            ws="none",
        )
    )
    with _hanging_up_ends(server):
        server.run(sockets=[opened])
    for name, model in models.items():
        if model.failed is not None:
            raise OSError(
                f"the journal of {name} could not be written: {model.failed}; what was "
                "acknowledged is there after a restart"
            )
