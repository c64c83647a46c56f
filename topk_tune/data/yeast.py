"""The Yeast data set, from the copy in river."""

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from topk_tune.data.dataset import Dataset

# river has the published split in one file, with the test part first.
_TEST_ROWS = 917
_FEATURES = 103


def load_yeast() -> Dataset:
    """Load Yeast in its published split: 1,500 training rows and 917 test rows."""
    with gzip.open(_file(), "rt", encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",")
    X, Y = rows[:, :_FEATURES].astype(np.float32), rows[:, _FEATURES:].astype(np.uint8)
    return Dataset(
        name="yeast",
        X_train=X[_TEST_ROWS:],
        Y_train=Y[_TEST_ROWS:],
        X_test=X[:_TEST_ROWS],
        Y_test=Y[:_TEST_ROWS],
        feature_names=tuple(names[:_FEATURES]),
        label_names=tuple(names[_FEATURES:]),
    )


def _file() -> Path:
    """The path of the file. Importing river would take ten times as long as reading it."""
    found = find_spec("river")
    assert found is not None and found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0], "datasets", "yeast.csv.gz")
