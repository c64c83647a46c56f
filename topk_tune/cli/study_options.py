"""Options that several commands about studies share."""

import os
from pathlib import Path
from typing import Annotated

import typer

from topk_tune.plugins.names import one_of

ALGORITHMS = ("topopt", "topada", "fullopt", "fullada")
"""As in `booster.ALGORITHMS`, which help and completion have no time to import."""


def _algorithm(name: str | None) -> str | None:
    return None if name is None else one_of("algorithm", name, ALGORITHMS)


def studies(context: typer.Context) -> list[str]:
    """The studies in a folder, for completion, which has no time to open them."""
    storage = context.params.get("storage") or os.environ.get("TOPK_TUNE_STORAGE") or "studies"
    return sorted(path.parent.name for path in Path(storage).glob("*/journal.log"))


Algorithm = Annotated[
    str | None,
    typer.Option(
        callback=_algorithm,
        autocompletion=lambda: list(ALGORITHMS),
        help=f"The booster: {', '.join(ALGORITHMS)}.",
    ),
]
Name = Annotated[str, typer.Argument(help="Name of the study.", autocompletion=studies)]
Storage = Annotated[
    str | None,
    typer.Option(
        help="Folder of studies, or URL of a database (default: $TOPK_TUNE_STORAGE or ./studies)."
    ),
]
Workers = Annotated[int | None, typer.Option(help="Trials at a time (default: one a processor).")]
Backend = Annotated[str, typer.Option(help="ray, or local for processes without Ray.")]
Address = Annotated[
    str | None, typer.Option(help="Ray cluster to run on (default: $RAY_ADDRESS, else our own).")
]
Cpus = Annotated[float, typer.Option(help="Processors that a trial takes.")]
Memory = Annotated[
    float | None, typer.Option(help="GB that a trial takes (default: the booster's bound).")
]
Labels = Annotated[
    list[str] | None, typer.Option("--node-label", help="KEY=VALUE that a node must have.")
]
Timeout = Annotated[
    str | None, typer.Option(help="Stop after so long: seconds, or like 90s, 30m, 8h.")
]
Target = Annotated[float | None, typer.Option(help="Stop at a value as good as this.")]
Patience = Annotated[int | None, typer.Option(help="Stop after so many trials without a better.")]
TrialTimeout = Annotated[
    str | None, typer.Option(help="End a trial that takes longer: seconds, or like 90s, 30m.")
]
Retries = Annotated[int, typer.Option(help="New starts of a trial whose worker was lost.")]
Track = Annotated[
    bool, typer.Option("--track/--no-track", help="Log to MLflow as mlflow.yaml says.")
]

Baselines = Annotated[
    bool,
    typer.Option(
        "--baselines",
        help="Fit ExtraTrees and logistic regression to all labels too, to compare with.",
    ),
]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(option: str, text: str | None) -> float | None:
    """A time such as 90, 90s, 30m or 8h, in seconds."""
    if text is None:
        return None
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        value = float(number) * _UNITS[unit]
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ValueError(f"{option} must be a time such as 90, 90s, 30m or 8h, but got {text!r}")
    return value


def pairs(option: str, texts: list[str] | None) -> dict[str, str]:
    """Options of the form KEY=VALUE."""
    found = {}
    for text in texts or []:
        key, separator, value = text.partition("=")
        if not (key and separator):
            raise ValueError(f"{option} must be KEY=VALUE, but got {text!r}")
        found[key] = value
    return found
