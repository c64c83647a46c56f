"""A study that sees only a log: from a run to a confirmed and trained booster, and refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import raises, says
from scipy.sparse import csr_array
from tuning import FakeBackend

import booster
from topk_tune import cli
from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.data import DataError, from_memory, hold_out, load
from topk_tune.data.logs.feedback import Feedback
from topk_tune.data.logs.file import LogFile
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.memory import write_copy
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.writing import LogWriter
from topk_tune.records.settings import StudySettings
from topk_tune.storage import Location
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study

SPACE = """\
default:
  algorithm: topada
  loops: 2
  n_learners: {type: int, low: 2, high: 12}
  rho: {type: float, low: 0.05, high: 0.3}
"""
N_LABELS = 5


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a space and a log; trials run in this process, one by one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPK_TUNE_STORAGE", str(tmp_path / "studies"))
    backend = FakeBackend(1, train=None)
    monkeypatch.setattr(ResourceOptions, "make", lambda self, space, rows: backend)
    monkeypatch.setattr(driving, "tracking", lambda wanted: None)
    Path("space.yaml").write_text(SPACE, encoding="utf-8")
    write("log.parquet")
    return tmp_path


def write(name: str, rows: int = 400, rate: float = 0.8, passes: int = 2) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4)).astype(np.float32)
    Y = (np.repeat(X, 2, axis=1)[:, :N_LABELS] > 0.3).astype(np.uint8)
    rankings = np.tile(np.arange(N_LABELS), (rows, 1))
    with LogWriter(name, Header(4, list("abcde"))) as log:
        for each in logged(X, Y, rankings, Policy(3, rate), passes):
            log.write(*each)


def call(arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    return int(ended.value.code or 0)


RUN = "run --name s --space space.yaml --trials 3 --dataset log.parquet"


@pytest.mark.slow
def test_a_log_is_tuned_on_confirmed_and_trained_from(capsys: Any) -> None:
    assert call(RUN) == 0
    out = capsys.readouterr().out
    says(out, "logged loss", "95%", "estimated rank loss", "label frequency")
    study = Study.open(Location.of(None), "s")
    assert study.settings.objective == "logged_loss"
    assert study.settings.k == 3
    for record in study.records():
        assert set(record.metrics) == {"logged_loss", "logged_low", "logged_high"}
        assert record.metrics["logged_low"] < record.value < record.metrics["logged_high"]
    assert call("confirm s --top 2 --seeds 2") == 0
    says(capsys.readouterr().out, "frozen", "logged loss", "test rows")
    assert call("status s --format json") == 0
    says(capsys.readouterr().out, "logged_loss")
    assert call("export s --output best.yaml") == 0
    assert call("train --config best.yaml --save booster.npz") == 0
    says(capsys.readouterr().out, "estimated", "95%")
    trained = booster.load("booster.npz")
    data = load("log.parquet")
    loops, rest = divmod(trained.rounds, len(data.Y_train))
    assert loops in (1, 2) and not rest
    again = type(trained)(**trained.parameters)
    again.run_log(data.Y_train.log(data.X_train), loops)
    assert (again.scores(data.X_test) == trained.scores(data.X_test)).all()


def in_memory() -> booster.Log:
    """The same rounds in arrays, in the order of the file."""
    (each,) = LogFile.open("log.parquet").batches()
    return booster.Log(each.features, each.rows.shown, each.rows.bits, each.rows.pairs)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("split", ["tail:0.3", "random:0.37:4"])
def test_a_copy_of_a_log_is_the_same_data(form: str, split: str) -> None:
    log = in_memory()
    given = replace(log, features=csr_array(log.features)) if form == "sparse" else log
    data = from_memory(from_memory(given, split=split))
    again = load("copy.parquet", split=write_copy(data, Path("copy.parquet")))
    assert again.form == form and again.fingerprint == data.fingerprint


def test_a_log_in_memory_is_the_same_data_as_its_file() -> None:
    made, read = from_memory(in_memory()), load("log.parquet")
    assert made.fingerprint == read.fingerprint
    assert list(made.label_names) == [f"label_{n}" for n in range(1, 6)]
    named = from_memory(in_memory(), labels="a, b, c, d, e, never shown")
    assert named.label_names[4:] == ("e", "never shown") and named.Y_train.shape[1] == 6
    assert from_memory(in_memory(), labels=7).n_labels == 7


@pytest.mark.parametrize(
    ("change", "options", "facts"),
    [
        ({}, {"labels": "4"}, ("labels 0 .. 3", 4)),
        ({}, {"labels": "a,b,c,d,a"}, ("different names", "a, b, c, d, a")),
        ({"features": np.zeros(800)}, {}, ("2 dimensions", 1)),
        ({"pairs": np.full((800, 3), 1.5)}, {}, ("row 0", 1.5)),
    ],
)
def test_a_log_in_memory_must_keep_the_rules(change: Any, options: Any, facts: Any) -> None:
    with raises(ValueError, *facts):
        from_memory(replace(in_memory(), **change), **options)


def test_a_row_cannot_be_on_both_sides() -> None:
    data = load("log.parquet")
    both = replace(data, X_test=data.X_train, Y_test=data.Y_train)
    with raises(ValueError, "same features", len(data.Y_train)):
        from_memory(both)


def test_learning_from_a_log_lowers_the_loss_on_its_other_rows() -> None:
    data = load("log.parquet")
    made = booster.TopOpt(n_features=4, n_labels=N_LABELS, n_learners=20)
    before = made.evaluate_log(data.Y_test.log(data.X_test)).best
    made.run_log(data.Y_train.log(data.X_train), loops=5)
    after = made.evaluate_log(data.Y_test.log(data.X_test)).best
    assert after.interval.high < before.interval.low


def test_rows_with_the_same_features_are_held_out_together() -> None:
    data = load("log.parquet")
    assert data.is_log
    assert len(data.Y_train) + len(data.Y_test) == 800

    def keys(X: Any) -> set[bytes]:
        return {row.tobytes() for row in X}

    assert not keys(data.X_train) & keys(data.X_test)
    held = hold_out(data, "random:0.25:0")
    assert not keys(held.X_train) & keys(held.X_validation)
    assert len(keys(held.X_validation)) == pytest.approx(0.25 * len(keys(data.X_train)), abs=1)
    settings = StudySettings.model_construct(protocol="validation", holdout="folds:3:0")
    for seed in range(3):
        rows = tuning_rows(data, settings).of(seed)
        assert not keys(rows.X) & keys(rows.X_measure)


def test_another_log_is_another_data_set() -> None:
    one = load("log.parquet").fingerprint
    write("log.parquet")
    assert load("log.parquet").fingerprint == one
    write("log.parquet", rate=0.7)
    assert load("log.parquet").fingerprint != one


def test_feedback_counts_what_was_seen() -> None:
    told = Feedback(
        np.array([[0, 2], [2, 1], [0, -1]], np.int32)[:2],
        np.array([[1, 0], [1, 0]], np.uint8),
        np.array([[0.5], [0.25]]),
        4,
    )
    assert told.shape == (2, 4)
    assert told.sum(axis=1).tolist() == [1, 1]
    assert told.sum(axis=0).tolist() == [1, 0, 1, 0]
    assert told.any(axis=0).tolist() == [True, False, True, False]
    # Label 2 was not relevant in a pair of weight 2, and relevant in one of weight 4.
    np.testing.assert_allclose(told.rates(), [1, 0, 4 / 6, 0])
    assert told[1:].shown.tolist() == [[2, 1]]


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ("--objective shown_loss", ("logged_loss", "shown_loss", "not shown")),
        ("--protocol paper", ("paper", "test rows")),
        ("--exploration-cost 0.1", ("exploration_cost", "0.1")),
        ("--labels 3", ("labels",)),
    ],
)
def test_options_that_do_not_go_with_a_log(options: str, facts: Any, capsys: Any) -> None:
    assert call(f"{RUN} {options}") != 0
    says(capsys.readouterr().err, *facts)
    assert not Path("studies/s").exists()


def test_a_logged_loss_needs_a_log(capsys: Any) -> None:
    arguments = RUN.replace("log.parquet", "yeast")
    assert call(f"{arguments} --objective logged_loss") != 0
    says(capsys.readouterr().err, "logged_loss", "yeast", "all labels")


def test_algorithms_that_need_all_labels(capsys: Any) -> None:
    Path("space.yaml").write_text(SPACE.replace("topada", "fullada").replace("rho", "step_scale"))
    assert call(RUN) != 0
    says(capsys.readouterr().err, "fullada", "topopt")


def test_too_few_rows_are_refused_with_how_many_would_do(capsys: Any) -> None:
    write("log.parquet", rows=80, rate=0.1, passes=1)
    assert call(RUN) != 0
    says(capsys.readouterr().err, "too few rows", "would do", "25%")
    assert not Path("studies/s").exists()


def test_a_deterministic_log_is_refused(capsys: Any) -> None:
    write("log.parquet", rate=0.0)
    assert call(RUN) != 0
    says(capsys.readouterr().err, "never explores")


def test_a_broken_log_is_no_data_set() -> None:
    Path("broken.jsonl").write_text(
        '{"topk_tune_log": {"format": 1, "n_features": 1, "labels": ["a", "b"]}}\n'
        '{"features": [0.5], "shown": [0, 1], "bits": [1, 0], "pairs": [1.5]}\n'
    )
    with raises(DataError, "broken.jsonl", 2, "1.5"):
        load("broken.jsonl")
