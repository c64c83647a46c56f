"""`topk-tune submit` and `job`: studies that run on a Ray cluster as jobs."""

from typing import Annotated

import typer

from topk_tune.cli import listing, remote

job_app = typer.Typer(help="Manage studies that run on a cluster.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option(
        help="Job server of the cluster (default: $RAY_API_SERVER_ADDRESS or "
        "http://127.0.0.1:8265, for example through a tunnel)."
    ),
]
Id = Annotated[str, typer.Argument(help="Id of the job.")]


def submit(
    command: Annotated[list[str], typer.Argument(help="run, resume or confirm, and its options.")],
    address: Address = None,
) -> None:
    """Submit a study to the job server of a cluster, and print the id of the job.

    Options of submit itself come before the command. Local files that the command
    uses, and mlflow.yaml, are sent with it. `run --cluster FILE` needs no address.

    Example: topk-tune submit run --name demo --dataset yeast --trials 200
    """
    from topk_tune.commands import jobs

    jobs.submit(command, address)


@job_app.command("list")
def list_jobs(
    address: Address = None, cluster: remote.Cluster = None, kind: listing.Format = "table"
) -> None:
    """List the jobs of the cluster.

    Example: topk-tune job list --cluster cluster.yaml
    """
    from topk_tune.commands import jobs

    jobs.list_jobs(address, cluster, kind)


@job_app.command("status")
def job_status(job: Id, address: Address = None, cluster: remote.Cluster = None) -> None:
    """Show the status of a job.

    Example: topk-tune job status --cluster cluster.yaml ID
    """
    from topk_tune.commands import jobs

    jobs.show(job, address, cluster)


@job_app.command()
def logs(
    job: Id,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Follow until the job ends; Ctrl-C detaches.")
    ] = False,
    address: Address = None,
    cluster: remote.Cluster = None,
) -> None:
    """Print the output of a job.

    Example: topk-tune job logs -f --cluster cluster.yaml ID
    """
    from topk_tune.commands import jobs

    jobs.print_logs(job, follow, address, cluster)


@job_app.command()
def stop(job: Id, address: Address = None, cluster: remote.Cluster = None) -> None:
    """Stop a job: finished trials are stored, and `resume` continues.

    Example: topk-tune job stop --cluster cluster.yaml ID
    """
    from topk_tune.commands import jobs

    jobs.stop(job, address, cluster)
