"""`topk-tune submit` and `job`: studies that run on a Ray cluster as jobs."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from topk_tune.cli import listing, remote
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.cluster.jobs import Job

job_app = typer.Typer(help="Look after studies that run on a cluster.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option(
        help="Job server of the cluster (default: $RAY_API_SERVER_ADDRESS or "
        "http://127.0.0.1:8265, where a tunnel may bring it)."
    ),
]
Id = Annotated[str, typer.Argument(help="Id of the job.")]


def submit(
    command: Annotated[list[str], typer.Argument(help="run, resume or confirm, and its options.")],
    address: Address = None,
) -> None:
    """Run a study on a cluster whose job server can be reached: prints the id of the job.

    Options of submit itself come before the command. Files of this computer that the command
    names, and mlflow.yaml, travel along. `run --cluster FILE` needs no address.

    Example: topk-tune submit run --name demo --dataset yeast --trials 200
    """
    from topk_tune.cluster import Jobs

    job = Jobs(address).submit(command)
    where = f" --address {address}" if address else ""
    console.say(job)
    console.say(f"next: topk-tune job logs -f{where} {job}")
    console.say(f"      topk-tune job stop{where} {job}")


@job_app.command("list")
def list_jobs(
    address: Address = None, cluster: remote.Cluster = None, kind: listing.Format = "table"
) -> None:
    """List the jobs of the cluster.

    Example: topk-tune job list --cluster cluster.yaml
    """
    with remote.jobs_of(address, cluster) as jobs:
        found = jobs.all()
    listing.show(kind, [asdict(job) for job in found], lambda: _table(found))


def _table(jobs: "list[Job]") -> None:
    console.table(("job", "state", "command"), [(job.id, job.state, job.command) for job in jobs])


@job_app.command("status")
def job_status(job: Id, address: Address = None, cluster: remote.Cluster = None) -> None:
    """Show how a job stands.

    Example: topk-tune job status --cluster cluster.yaml ID
    """
    with remote.jobs_of(address, cluster) as jobs:
        found = jobs.job(job)
    console.say(f"{found.id}: {found.state}, {found.command}")
    if found.message:
        console.say(found.message)


@job_app.command()
def logs(
    job: Id,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the job ends; Ctrl-C leaves it be.")
    ] = False,
    address: Address = None,
    cluster: remote.Cluster = None,
) -> None:
    """Print what a job has printed.

    Example: topk-tune job logs -f --cluster cluster.yaml ID
    """
    with remote.jobs_of(address, cluster) as jobs:
        for piece in jobs.follow(job) if follow else [jobs.logs(job)]:
            sys.stdout.write(piece)
            sys.stdout.flush()


@job_app.command()
def stop(job: Id, address: Address = None, cluster: remote.Cluster = None) -> None:
    """Stop a job: what is finished is written, and `resume` goes on.

    Example: topk-tune job stop --cluster cluster.yaml ID
    """
    with remote.jobs_of(address, cluster) as jobs:
        stopped = jobs.stop(job)
    console.say("it was told to stop" if stopped else "it had ended already")
