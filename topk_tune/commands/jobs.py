"""`topk-tune submit` and `job`: studies that run on a Ray cluster as jobs."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from topk_tune.cluster import Job, Jobs, job_server
from topk_tune.cluster.jobs import JobError
from topk_tune.commands import listing
from topk_tune.commands.terminal import console


def submit(command: list[str], address: str | None) -> None:
    """Start a job and say how to look after it."""
    job = Jobs(address).submit(command)
    where = f" --address {address}" if address else ""
    console.say(job)
    console.say(f"next: topk-tune job logs -f{where} {job}")
    console.say(f"      topk-tune job stop{where} {job}")


def list_jobs(address: str | None, cluster: Path | None, kind: str) -> None:
    """List the jobs of a cluster."""
    with jobs_of(address, cluster) as jobs:
        found = jobs.all()
    listing.show(kind, [asdict(job) for job in found], lambda: _table(found))


def show(job: str, address: str | None, cluster: Path | None) -> None:
    """Say how a job stands."""
    with jobs_of(address, cluster) as jobs:
        found = jobs.job(job)
    console.say(f"{found.id}: {found.state}, {found.command}")
    if found.message:
        console.say(found.message)


def print_logs(job: str, follow: bool, address: str | None, cluster: Path | None) -> None:
    """Print what a job has printed, and with `follow` what it prints until it ends."""
    with jobs_of(address, cluster) as jobs:
        for piece in jobs.follow(job) if follow else [jobs.logs(job)]:
            sys.stdout.write(piece)
            sys.stdout.flush()


def stop(job: str, address: str | None, cluster: Path | None) -> None:
    """Stop a job."""
    with jobs_of(address, cluster) as jobs:
        stopped = jobs.stop(job)
    console.say(f"stopping {job}" if stopped else f"{job} has already ended")


@contextmanager
def jobs_of(address: str | None, cluster: Path | None) -> Iterator[Jobs]:
    """The jobs of a cluster: by the address of its job server, or by its launcher file."""
    if cluster is None:
        yield Jobs(address)
        return
    if address is not None:
        raise ValueError("--cluster FILE says where the job server is: leave out --address")
    with job_server(cluster) as server:
        try:
            jobs = Jobs(server)
        except JobError as error:
            raise JobError(f"{error}; how the cluster stands: {_cluster_status(cluster)}") from None
        yield jobs


def _cluster_status(cluster: Path) -> str:
    return f"topk-tune cluster status {shlex.quote(str(cluster))}"


def _table(jobs: list[Job]) -> None:
    console.table(("job", "state", "command"), [(job.id, job.state, job.command) for job in jobs])
