"""`topk-tune cluster`, `submit` and `job`: studies on a Ray cluster."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topk_tune.cli import listing
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.cluster.checking import Finding
    from topk_tune.cluster.jobs import Job

cluster_app = typer.Typer(help="Check clusters.", no_args_is_help=True)
job_app = typer.Typer(help="Look after studies that were submitted.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option(
        help="Job server of the cluster (default: $RAY_API_SERVER_ADDRESS or "
        "http://127.0.0.1:8265, where `ray dashboard FILE` brings it)."
    ),
]
Id = Annotated[str, typer.Argument(help="Id of the job.")]


@cluster_app.command()
def check(
    file: Annotated[Path, typer.Argument(help="File of Ray's cluster launcher.")] = Path(
        "cluster.yaml"
    ),
    storage: options.Storage = None,
    drivers: Annotated[int, typer.Option(min=1, help="Drivers of one study at a time.")] = 1,
    kind: listing.Format = "table",
) -> None:
    """Check a cluster's file, and that its services answer, before machines are started.

    Example: topk-tune cluster check cluster.yaml
    """
    from topk_tune.cluster import check_cluster

    findings = check_cluster(file, storage, drivers)
    listing.show(kind, [asdict(finding) for finding in findings], lambda: _say(findings))
    problems = sum(finding.problem is not None for finding in findings)
    if problems:
        raise ValueError(f"{file} is not ready: {problems} of {len(findings)} checks failed")
    console.say(f"next: ray up {file}")


def _say(findings: "list[Finding]") -> None:
    for finding in findings:
        console.say(f"{'no' if finding.problem else 'ok'}  {finding.what}")
        if finding.problem:
            console.say(f"      {finding.problem}")


def submit(
    command: Annotated[list[str], typer.Argument(help="run, resume or confirm, and its options.")],
    address: Address = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--files",
            exists=True,
            file_okay=False,
            help="Folder that the job gets a copy of, such as one with a space and mlflow.yaml.",
        ),
    ] = None,
) -> None:
    """Run a study on a cluster: prints the id of the job, which goes on without this computer.

    Options of submit itself come before the command.

    Example: topk-tune submit run --name demo --dataset yeast --trials 200
    """
    from topk_tune.cluster import Jobs

    job = Jobs(address).submit(command, folder)
    where = f" --address {address}" if address else ""
    console.say(job)
    console.say(f"next: topk-tune job logs -f{where} {job}")
    console.say(f"      topk-tune job stop{where} {job}")


@job_app.command("list")
def list_jobs(address: Address = None, kind: listing.Format = "table") -> None:
    """List the jobs of the cluster.

    Example: topk-tune job list
    """
    from topk_tune.cluster import Jobs

    jobs = Jobs(address).all()
    listing.show(kind, [asdict(job) for job in jobs], lambda: _table(jobs))


def _table(jobs: "list[Job]") -> None:
    console.table(("job", "state", "command"), [(job.id, job.state, job.command) for job in jobs])


@job_app.command("status")
def job_status(job: Id, address: Address = None) -> None:
    """Show how a job stands.

    Example: topk-tune job status ID
    """
    from topk_tune.cluster import Jobs

    found = Jobs(address).job(job)
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
) -> None:
    """Print what a job has printed.

    Example: topk-tune job logs -f ID
    """
    from topk_tune.cluster import Jobs

    jobs = Jobs(address)
    for piece in jobs.follow(job) if follow else [jobs.logs(job)]:
        sys.stdout.write(piece)
        sys.stdout.flush()


@job_app.command()
def stop(job: Id, address: Address = None) -> None:
    """Stop a job: what is finished is written, and `submit resume NAME` goes on.

    Example: topk-tune job stop ID
    """
    from topk_tune.cluster import Jobs

    stopped = Jobs(address).stop(job)
    console.say("it was told to stop" if stopped else "it had ended already")
