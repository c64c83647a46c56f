"""The folder of a cluster on its head: studies, MLflow's files and the files of jobs.

All jobs and commands work there, so they see the same studies, also after the cluster has been
restarted. A job is `python -m topk_tune.cluster command ... ...`.
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
    """The command of a job as it was submitted."""
    ours = list(command[: len(_START)]) == _START
    return shlex.join(["topk-tune", *command[len(_START) :]] if ours else command)


def script(head: Shell, *module: str, **variables: str) -> str:
    """The shell command that runs one of our modules in the folder on the head.

    It reads the environment of the head, as Ray does when it starts there.
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
