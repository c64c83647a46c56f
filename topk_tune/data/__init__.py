"""Multilabel data sets, split into a training and a test part."""

from topk_tune.data.catalog import load, names
from topk_tune.data.dataset import Dataset

__all__ = ["Dataset", "load", "names"]
