"""Rows in memory: as data sets, and as data of studies."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from messages import raises, says
from scipy.sparse import coo_matrix, csr_array
from tuning import space, train_in_this_process

from booster import Log
from topk_tune import tune
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import DataError, Dataset, from_memory, load
from topk_tune.data.archive import write_archive
from topk_tune.engine.stopping import StopOptions
from topk_tune.storage import Location
from topk_tune.study.confirm import confirm
from topk_tune.study.study import Study

X = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
Y = (X[:, :3] > 0).astype(np.uint8)
WIDE = np.where(np.random.default_rng(1).random((40, 30)) < 0.1, 1.5, 0.0)
FRAMES = (pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(Y == 1, columns=["sad", "mad", "3"]))


@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        [X.tolist(), Y.astype(float)],
        FRAMES,
        (pd.DataFrame(X), pd.DataFrame(Y).astype("Int64")),
        (coo_matrix(X), coo_matrix(Y)),
    ],
)
def test_all_kinds_of_arrays_are_the_same_rows(given: Any) -> None:
    assert from_memory(given).fingerprint == from_memory((X, Y)).fingerprint


def test_columns_keep_their_names() -> None:
    made = from_memory(FRAMES)
    assert list(made.feature_names) == list("abcde")
    assert list(made.label_names) == ["sad", "mad", "3"]
    assert list(from_memory((X, Y)).label_names) == ["label_1", "label_2", "label_3"]


def test_sparse_rows_stay_sparse() -> None:
    made = from_memory((coo_matrix(WIDE), Y))
    assert made.form == "sparse"
    assert (made.X_train.toarray() == WIDE[:28].astype(np.float32)).all()
    assert from_memory((WIDE, Y)).form == "dense"


def test_arrays_of_the_user_are_left_alone() -> None:
    mine, labels = X.copy(), Y.copy()
    made = from_memory((mine, labels), split="random:0.5:1")
    assert (mine == X).all() and (labels == Y).all()
    assert not np.shares_memory(made.X_train, mine)
    assert len(made.Y_test) == 20


def test_a_data_set_is_checked() -> None:
    yeast = load("yeast")
    assert from_memory(yeast).fingerprint == yeast.fingerprint
    parts = {"X_train": X.astype(np.float64), "Y_train": Y == 1, "X_test": X[:5], "Y_test": Y[:5]}
    names = {"feature_names": list("abcde"), "label_names": list("xyz")}
    made = from_memory(Dataset(name="mine", **parts, **names))  # type: ignore[arg-type]
    assert (made.X_train.dtype, made.Y_train.dtype) == (np.float32, np.uint8)
    with raises(DataError, "mine", "0 or 1", 7):
        from_memory(Dataset(name="mine", **{**parts, "Y_test": Y[:5] + 6}, **names))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "options", "facts"),
    [
        ((X, Y[:9]), {}, [9, 40]),
        ((X, Y[:, 0]), {}, ["label", "(40,)"]),
        ((X, Y, Y), {}, ["(X, Y)", "tuple of 3"]),
        (5, {}, ["(X, Y)", 5]),
        ((np.where(X > 2, np.inf, X), Y), {}, ["feature", "finite", "inf"]),
        ((X, Y * 2), {}, ["0 or 1", 2]),
        ((pd.DataFrame({"a": ["x"] * 40}), Y), {}, ["'a'", "numbers"]),
        ((FRAMES[0], FRAMES[0]), {}, ["distinct", "'a'"]),
        ((X, Y), {"labels": "a"}, ["labels", "'a'"]),
        (load("synthetic:rows=40,m=4"), {"split": "tail:0.5"}, ["split", "Dataset"]),
    ],
)
def test_what_is_no_data_is_refused(given: Any, options: Any, facts: list[object]) -> None:
    with raises(ValueError, *facts):
        from_memory(given, **options)


def test_an_archive_has_the_names_of_columns(tmp_path: Path) -> None:
    for given in (FRAMES, (csr_array(WIDE), FRAMES[1])):
        made = from_memory(given)
        write_archive(made, tmp_path / "a.npz")
        found = load(str(tmp_path / "a.npz"))
        assert found.fingerprint == made.fingerprint
        assert tuple(found.label_names) == ("sad", "mad", "3")
        assert tuple(found.feature_names) == tuple(made.feature_names)


@pytest.mark.parametrize("names", [["a", "a", "b"], ["a", "b"], [1, 2, 3], ["a", "", "b"], [["a"]]])
def test_names_that_do_not_fit_are_no_names(tmp_path: Path, names: list[Any]) -> None:
    np.savez(tmp_path / "a.npz", X=X, Y=Y, label_names=np.array(names))
    assert tuple(load(str(tmp_path / "a.npz")).label_names) == ("label_1", "label_2", "label_3")


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials run in this process, one by one."""
    train_in_this_process(monkeypatch)


def tuned(data: Any, folder: Path, **options: Any) -> Study:
    return tune(
        data,
        space=space(),
        trials=2,
        name="s",
        storage=str(folder),
        progress=False,
        track=False,
        **options,
    )


def everything_shown() -> Log:
    """A log whose policy shows all labels of its rows, which are enough to compare boosters."""
    data = load("synthetic:rows=900")
    n, m = data.Y_train.shape
    shown, certain = np.tile(np.arange(m), (n, 1)), np.ones((n, m * (m - 1) // 2))
    return Log(data.X_train, shown, data.Y_train, certain)


@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        FRAMES,
        (coo_matrix(WIDE), Y),
        load("synthetic:rows=60"),
        pytest.param(everything_shown(), marks=pytest.mark.slow),
    ],
)
def test_a_study_of_rows_in_memory_goes_on_without_them(
    given: Any, tmp_path: Path, in_process: None
) -> None:
    made = tuned(given, tmp_path / "here")
    rows = from_memory(given)
    assert made.settings.fingerprint == rows.fingerprint
    shutil.move(tmp_path / "here", tmp_path / "there")  # the copy moves with the study
    study = Study.open(Location.of(str(tmp_path / "there")), "s")
    assert tuple(study.data().label_names) == tuple(rows.label_names)
    study.store.drive()
    assert study.run(StopOptions(trials=3), ResourceOptions()) == "all 3 trials are done"
    assert confirm(study, 1, 2, ResourceOptions())[0].runs
    study.store.close()


def test_a_copy_is_checked_by_its_fingerprint(tmp_path: Path, in_process: None) -> None:
    made = tuned((X, Y), tmp_path)
    write_archive(from_memory((X, 1 - Y)), Path(made.settings.dataset))
    with raises(ValueError, "'s'", made.settings.fingerprint[:12]):
        made.data()


def test_a_study_that_exists_keeps_its_copy(tmp_path: Path, in_process: None) -> None:
    made = tuned((X, Y), tmp_path)
    for data in ((X, Y), (X, 1 - Y)):
        with raises(ValueError, "'s'", "topk-tune resume s"):
            tuned(data, tmp_path)
    assert [path.name for path in (tmp_path / "s").glob("*.npz")] == [
        Path(made.settings.dataset).name
    ]


def test_a_path_may_be_a_path(tmp_path: Path, in_process: None) -> None:
    write_archive(from_memory((X, Y)), tmp_path / "a.npz")
    made = tuned(tmp_path / "a.npz", tmp_path, k=2)
    assert (made.settings.dataset, made.settings.k) == (str(tmp_path / "a.npz"), 2)


@pytest.mark.parametrize(
    ("option", "value", "facts"),
    [
        ("seeds", 0, ["seeds", 1, 0]),
        ("seeds", "x", ["seeds", "integer", "'x'"]),
        ("exploration_cost", 2.0, ["exploration_cost", 1, 2.0]),
        ("k", 4, ["k", 2, 3, 4]),
    ],
)
def test_wrong_options_get_a_plain_sentence(
    option: str, value: Any, facts: list[object], tmp_path: Path
) -> None:
    with pytest.raises(ValueError) as error:
        tuned((X, Y), tmp_path, **{option: value})
    says(error.value, *facts)
    assert "pydantic" not in str(error.value) and "\n" not in str(error.value)
