"""Where a job works: a folder on the head that stays when Ray clears away what was sent along.

A job is `python -m topk_tune.cluster JOB FILES COMMAND ...`, which its sender need not know.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

COPIED, NONE = "files", "no-files"
"""Whether the folder that a job starts in is a copy of files that were sent along."""

_START = ["python", "-m", "topk_tune.cluster"]

ENVIRONMENT = "TOPK_TUNE_JOBS"
_DEFAULT = "~/topk-tune-jobs"


def entry(job: str, files: bool, arguments: Sequence[str]) -> list[str]:
    """The command of a job."""
    return [*_START, job, COPIED if files else NONE, *arguments]


def shown(command: Sequence[str]) -> str:
    """The command of a job as its sender gave it."""
    ours = list(command[: len(_START)]) == _START
    return " ".join(["topk-tune", *command[len(_START) + 2 :]] if ours else command)


def settle(job: str, files: bool) -> None:
    """Move into a folder of the job, with the files that were sent along."""
    place = Path(os.environ.get(ENVIRONMENT, _DEFAULT)).expanduser() / job
    if files:
        shutil.copytree(Path.cwd(), place)
    else:
        place.mkdir(parents=True)
    os.chdir(place)
