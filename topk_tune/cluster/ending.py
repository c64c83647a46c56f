"""`topk-tune cluster down`: ends jobs, Ray and all our processes on every machine."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from topk_tune.cluster.head_folder import HOME
from topk_tune.cluster.jobs import JobError, Jobs
from topk_tune.cluster.launcher import RAY, Launcher, is_local, read_launcher
from topk_tune.cluster.server import job_server
from topk_tune.cluster.shell import Shell, ShellError, every_shell

_LAST_WORDS = 60.0
"""Seconds that jobs have to store their finished trials."""
_PATIENCE = 120.0
"""Seconds that a machine has to end its processes."""

# The key is the launcher's copy of the user's key; the next start copies it again. Ray's server of
# state, and nodes without it, wait in vain for each other until their grace is over.
_END = f"""\
rm -f ~/ray_bootstrap_key.pem
[ -x {HOME}/venv/bin/topk-tune ] || {{ echo '{{"left": []}}'; exit; }}
{HOME}/venv/bin/ray stop --grace-period 3 > /dev/null 2>&1
exec {HOME}/venv/bin/python -m topk_tune.cluster end
"""


@dataclass(frozen=True)
class Ended:
    """The result for a machine: why it could not be reached, and what still runs there."""

    host: str
    problem: str | None = None
    left: Sequence[str] = ()


def end_cluster(path: Path, say: Callable[[str], None]) -> list[Ended]:
    """End a cluster: its jobs, then Ray on every machine; returns the result for each machine.

    Machines of a cloud are released, so they have no result. For a `local` provider, Ray's launcher
    would end the head only, and ignore errors.
    """
    content = read_launcher(path)
    _stop_jobs(path, say)
    if is_local(content):
        say("ending Ray on every machine")
        return _end_machines(content)
    _give_back(path)
    return []


def _give_back(path: Path) -> None:
    down = subprocess.run(
        [str(RAY), "down", "--yes", str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    if down.returncode:
        reason = (down.stdout.strip().splitlines() or ["no reason"])[-1]
        raise RuntimeError(f"`ray down {path}` failed: {reason}")


def _stop_jobs(path: Path, say: Callable[[str], None]) -> None:
    """Let running studies store their finished trials."""
    try:
        with job_server(path) as address:
            jobs = Jobs(address)
            running = [job for job in jobs.all() if not job.is_over]
            for job in running:
                say(f"stopping job {job.id}: {job.command}")
                jobs.stop(job.id)
            for job in running:
                jobs.ended(job.id, _LAST_WORDS)
    except (JobError, OSError) as error:
        say(f"jobs cannot be asked to stop: {error}")


def _end_machines(content: Launcher) -> list[Ended]:
    """End the head first, because its autoscaler would restart the others."""
    head, *others = every_shell(content)
    with ThreadPoolExecutor(max_workers=16) as pool:
        return [_end(head), *pool.map(_end, others)]


def _end(machine: Shell) -> Ended:
    try:
        told = json.loads(machine.run(_END, _PATIENCE).splitlines()[-1])
    except (ShellError, ValueError, IndexError) as error:
        return Ended(machine.host, str(error))
    return Ended(machine.host, left=told["left"])
