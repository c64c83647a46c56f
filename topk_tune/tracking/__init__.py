"""MLflow tracking: a study is a run, and its trials are child runs.

The study only appends lines to a file, the spool. A separate process sends them, retries while the
server is unavailable, and checks after every failure what has arrived, so that each record arrives
exactly once.
"""

from topk_tune.tracking.config import TrackingConfig, TrackingError, read_config
from topk_tune.tracking.tracker import Tracker, open_tracker

__all__ = ["Tracker", "TrackingConfig", "TrackingError", "open_tracker", "read_config"]
