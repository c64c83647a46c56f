"""`topk-tune serve`: rankers that go on learning."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]MODEL...",
            help="Exported configuration (trained first), saved booster, or models:/NAME@ALIAS.",
        ),
    ],
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for a free one.")
    ] = 8000,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where models and logs are kept (default: `serving` beside the file)."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token that requests must have; needed beyond loopback."),
    ] = None,
    snapshot_rounds: Annotated[
        int, typer.Option(min=1, help="Rounds until the booster and its log are saved again.")
    ] = 10_000,
    address: Annotated[
        str | None,
        typer.Option(help="Ray cluster to serve on by Ray Serve; this machine must be a node."),
    ] = None,
) -> None:
    """Serve rankings by HTTP and learn from the feedback on them; Ctrl-C stops it.

    POST /rank returns a ranking with an id, and POST /feedback learns which of its first k labels
    were relevant. What is acknowledged survives any end of the process. A log for other boosters
    is written beside the model. With several models, the paths are /NAME/rank and /NAME/feedback.

    Example: topk-tune serve best.yaml

    Example: topk-tune serve a=one.npz b=two.npz --port 8001
    """
    from topk_tune.commands import serve as work

    work.serve(models, host, port, folder, token_file, snapshot_rounds, address)
