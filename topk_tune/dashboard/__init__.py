"""The live page of studies: a server of this machine only, which sends what is new."""

from topk_tune.dashboard.server import DashboardServer

__all__ = ["DashboardServer"]
