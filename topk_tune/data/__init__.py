"""Multilabel data sets, split into a training and a test part."""

from topk_tune.data.catalog import load, names
from topk_tune.data.dataset import Dataset
from topk_tune.data.errors import DataError
from topk_tune.data.split import Validation, hold_out
from topk_tune.data.streams import synthetic

__all__ = ["DataError", "Dataset", "Validation", "hold_out", "load", "names", "synthetic"]
