"""MLflow: a study is a run, and its trials are runs below it.

The study only appends lines to a file, the spool. A process of its own sends them, waits out a
server that is away, and finds out after every trouble what has arrived: each record arrives once.
"""

from topk_tune.tracking.config import TrackingConfig, TrackingError, read_config
from topk_tune.tracking.tracker import Tracker, open_tracker

__all__ = ["Tracker", "TrackingConfig", "TrackingError", "open_tracker", "read_config"]
