"""Tune online multilabel boosters on the machines you have.

`tune` searches for the best configuration of a booster on a data set; the command `topk-tune`
does the same from a terminal.
"""

from importlib.metadata import version

from topk_tune.api import tune

__version__ = version("topk-tune")

__all__ = ["__version__", "tune"]
