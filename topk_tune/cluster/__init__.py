"""Clusters: their launcher files checked, and studies submitted to them as jobs."""

from topk_tune.cluster.checking import Finding, check_cluster
from topk_tune.cluster.jobs import Job, Jobs

__all__ = ["Finding", "Job", "Jobs", "check_cluster"]
