"""`topk-tune run --cluster FILE`: the study runs on a cluster, and this terminal follows it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topk_tune.cli.driving import INTERRUPTED
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.cluster import Jobs, JobServer

Cluster = Annotated[
    Path | None,
    typer.Option(help="Run on the cluster of this launcher file, as a job, and follow it."),
]
Files = Annotated[
    Path | None,
    typer.Option(
        exists=True, file_okay=False, help="With --cluster: folder that the job gets a copy of."
    ),
]

_LOCAL = ("cluster", "files")
"""Options that are for this computer alone."""


def divert(context: typer.Context, cluster: Path | None, files: Path | None) -> None:
    """Run the command on a cluster, if one is given, and end as it ends."""
    if cluster is None:
        if files is not None:
            raise ValueError("--files is what a cluster gets a copy of: it needs --cluster FILE")
        return
    given = _given(context)
    if "--address" in given or "--backend" in given:
        raise ValueError("--cluster FILE says where to run: leave out --address and --backend")
    from topk_tune.cluster import Jobs, job_server

    with job_server(cluster) as server:
        jobs = Jobs(server.address)
        job = jobs.submit(given, files)
        console.say(f"job {job}; Ctrl-C leaves it alone")
        try:
            code = _follow(jobs, job)
        except KeyboardInterrupt:
            _take_leave(cluster, server, job)
            code = INTERRUPTED
    raise SystemExit(code)


def _given(context: typer.Context) -> list[str]:
    """The command as it was given, without the options that are for this computer alone."""
    words = [str(context.info_name)]
    for option in context.command.params:
        source = context.get_parameter_source(str(option.name))
        if option.name in _LOCAL or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[str(option.name)]
        if isinstance(value, bool):
            words.append(option.opts[0] if value else option.secondary_opts[0])
        else:
            for each in value if isinstance(value, list | tuple) else [value]:
                words += [option.opts[0], str(each)]
    return words


def _follow(jobs: "Jobs", job: str) -> int:
    """Print what a job prints until it ends; returns its exit code."""
    for piece in jobs.follow(job):
        sys.stdout.write(piece)
        sys.stdout.flush()
    ended = jobs.ended(job)
    if ended.state == "stopped":
        return INTERRUPTED
    if ended.state == "failed" and ended.exit_code is None:  # it never came to run
        console.error(ended.message)
        return 1
    return ended.exit_code or 0


def _take_leave(cluster: Path, server: "JobServer", job: str) -> None:
    where = "" if server.tunnelled else f" --address {server.address}"
    console.say("\nthe study goes on without this terminal")
    if server.tunnelled:
        console.say(f"next: ray dashboard {cluster}    (in another terminal)")
    console.say(f"next: topk-tune job logs -f{where} {job}")
    console.say(f"      topk-tune job stop{where} {job}")
