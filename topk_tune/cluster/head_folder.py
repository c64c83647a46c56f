"""The one folder of a cluster on its head: studies, MLflow's files and what jobs were sent.

Every job and every look at a study works there, so all of them see the same studies, today and
after the cluster has been started anew. A job is `python -m topk_tune.cluster command ... ...`.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from topk_tune.cluster.shell import Shell

ENVIRONMENT = "TOPK_TUNE_CLUSTER_HOME"
HOME = "~/topk-tune"

_NOT_SET_UP = "Error: the head is not set up: topk-tune cluster up FILE"
_START = ["python", "-m", "topk_tune.cluster", "command"]


def home() -> Path:
    """The folder, on the head."""
    return Path(os.environ.get(ENVIRONMENT, HOME)).expanduser()


def entry(arguments: Sequence[str]) -> list[str]:
    """The command of a job."""
    return [*_START, *arguments]


def command_line(command: Sequence[str]) -> str:
    """The command of a job as its sender gave it."""
    ours = list(command[: len(_START)]) == _START
    return shlex.join(["topk-tune", *command[len(_START) :]] if ours else command)


def script(head: Shell, *module: str, **variables: str) -> str:
    """What a shell of the head runs so that a module of ours works in the folder.

    The environment of the head is read as it is when Ray starts there.
    """
    if head.is_here:
        folder = shlex.quote(str(home()))
        there = f"mkdir -p {folder} && cd {folder} && exec {shlex.quote(sys.executable)}"
    else:
        there = (
            f"cd {HOME} 2> /dev/null && [ -x venv/bin/topk-tune ] || {{ echo '{_NOT_SET_UP}' >&2; "
            "exit 1; }; set -a; [ ! -f environment ] || . ./environment; set +a; "
            "exec venv/bin/python"
        )
    exports = "".join(f"export {name}={shlex.quote(text)}; " for name, text in variables.items())
    return f"{exports}{there} -m {shlex.join(module)}"
