"""Starts, monitors and ends clusters, and runs studies on them as jobs."""

from topk_tune.cluster.checking import check_cluster
from topk_tune.cluster.finding import Finding
from topk_tune.cluster.jobs import Job, Jobs
from topk_tune.cluster.server import job_server

__all__ = ["Finding", "Job", "Jobs", "check_cluster", "job_server"]
