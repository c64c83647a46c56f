"""Options that several commands about studies share, beside the groups of a run."""

import os
from pathlib import Path
from typing import Annotated

import typer


def studies(context: typer.Context) -> list[str]:
    """The studies in a folder, for completion, which has no time to open them."""
    storage = context.params.get("storage") or os.environ.get("TOPK_TUNE_STORAGE") or "studies"
    return sorted(path.parent.name for path in Path(storage).glob("*/journal.log"))


Name = Annotated[str, typer.Argument(help="Name of the study.", autocompletion=studies)]
Storage = Annotated[
    str | None,
    typer.Option(
        help="Folder of studies, or URL of a database (default: $TOPK_TUNE_STORAGE or ./studies)."
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option(help="Where the study's data set is now, if it has moved; it must be the same."),
]
Track = Annotated[
    bool, typer.Option("--track/--no-track", help="Log to MLflow as configured in mlflow.yaml.")
]

Baselines = Annotated[
    bool,
    typer.Option(
        "--baselines",
        help="Also fit ExtraTrees and logistic regression to all labels, for comparison.",
    ),
]
