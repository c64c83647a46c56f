"""Tune online multilabel boosters on the machines you have.

`tune` searches for the best configuration of a booster on a data set; the command `topk-tune`
does the same from a terminal.
"""

from topk_tune.api import tune
from topk_tune.version import __version__

__all__ = ["__version__", "tune"]
