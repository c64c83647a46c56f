"""Data sets of OpenML, with a stand-in for its server."""

from types import SimpleNamespace
from typing import Any, NoReturn
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from messages import raises

from topk_tune.data import DataError, load


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Ten rows, as scikit-learn returns them; a test may change them."""
    first = ["TRUE", "FALSE"] * 5
    table = SimpleNamespace(
        data=pd.DataFrame({"a": np.arange(10), "b": np.arange(10) / 2}),
        target=pd.DataFrame({"x": pd.Categorical(first), "y": pd.Categorical(["1"] + ["0"] * 9)}),
    )

    def fetch(**asked: Any) -> SimpleNamespace:
        assert asked["data_id"] == 40597
        return table

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return table


def test_labels_are_the_true_values(table: SimpleNamespace) -> None:
    data = load("openml:40597")
    assert data.name == "openml:40597"
    assert data.feature_names == ("a", "b")
    assert data.label_names == ("x", "y")
    np.testing.assert_array_equal(data.X_train[:, 1], np.arange(7, dtype=np.float32) / 2)
    assert data.Y_train.tolist() == [[1, 1], [0, 0], [1, 0], [0, 0], [1, 0], [0, 0], [1, 0]]
    assert (data.X_train.dtype, data.Y_train.dtype) == (np.float32, np.uint8)


def test_a_rule_sets_test_rows_aside(table: SimpleNamespace) -> None:
    assert load("openml:40597").X_test[:, 0].tolist() == [7, 8, 9]
    assert load("openml:40597", split="tail:0.1").X_test[:, 0].tolist() == [9]


def test_one_label_is_not_enough(table: SimpleNamespace) -> None:
    table.target = table.target["x"]
    with raises(DataError, "two labels", "openml:40597"):
        load("openml:40597")


def test_labels_have_two_values(table: SimpleNamespace) -> None:
    table.target["x"] = pd.Categorical(["red", "green"] * 5)
    with raises(DataError, "true or false", "x of openml:40597"):
        load("openml:40597")


def test_features_are_numbers(table: SimpleNamespace) -> None:
    table.data["b"] = pd.Categorical(["p", "q"] * 5)
    with raises(DataError, "numeric", "b of openml:40597"):
        load("openml:40597")


def test_features_are_known(table: SimpleNamespace) -> None:
    table.data.loc[3, "b"] = np.nan
    with raises(DataError, "missing", "b of openml:40597"):
        load("openml:40597")


def test_without_a_network_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> NoReturn:
        raise URLError("no route")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail)
    with raises(DataError, "openml:40597", "network"):
        load("openml:40597")


@pytest.mark.parametrize("name", ["openml:", "openml:yeast", "openml:-1", "openml"])
def test_a_number_is_needed(name: str) -> None:
    with raises(ValueError, "openml:NUMBER", name):
        load(name)
