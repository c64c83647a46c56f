"""M-reduced: the part of Mediamill that the paper uses to run every algorithm."""

import json
from importlib.resources import files

from topk_tune.data.dataset import Dataset
from topk_tune.data.index import Progress
from topk_tune.data.mulan import load_mulan


def load_m_reduced(progress: Progress | None = None) -> Dataset:
    """Load 1,500 training and 500 test rows of Mediamill, in the listed order."""
    rows = json.loads(files("topk_tune.data").joinpath("m_reduced_rows.json").read_text())
    whole = load_mulan("mediamill", progress)
    return Dataset(
        name="m_reduced",
        X_train=whole.X_train[rows["train"]],
        Y_train=whole.Y_train[rows["train"]],
        X_test=whole.X_test[rows["test"]],
        Y_test=whole.Y_test[rows["test"]],
        feature_names=whole.feature_names,
        label_names=whole.label_names,
    )
