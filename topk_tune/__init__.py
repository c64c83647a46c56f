"""Train online multilabel boosters on benchmark data sets."""

from importlib.metadata import version

__version__ = version("topk-tune")
