"""The Yeast data set, from the copy that river carries."""

import numpy as np

from topk_tune.data.dataset import Dataset

# river keeps the rows of the published split in one file, the test part first.
_TEST_ROWS = 917


def load_yeast() -> Dataset:
    """Load Yeast in its published split: 1,500 training rows and 917 test rows."""
    # Importing river takes a third of a second, which only those who load Yeast should wait for.
    from river.datasets import Yeast

    features, labels = zip(*Yeast(), strict=True)
    X = np.array([list(row.values()) for row in features], dtype=np.float32)
    Y = np.array([list(row.values()) for row in labels], dtype=np.uint8)
    return Dataset(
        name="yeast",
        X_train=X[_TEST_ROWS:],
        Y_train=Y[_TEST_ROWS:],
        X_test=X[:_TEST_ROWS],
        Y_test=Y[:_TEST_ROWS],
        feature_names=tuple(features[0]),
        label_names=tuple(labels[0]),
    )
