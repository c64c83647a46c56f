"""Clusters: their launcher files checked, and studies submitted to them as jobs."""

from topk_tune.cluster.checking import Finding, check_cluster
from topk_tune.cluster.jobs import Job, Jobs
from topk_tune.cluster.server import JobServer, job_server

__all__ = ["Finding", "Job", "JobServer", "Jobs", "check_cluster", "job_server"]
