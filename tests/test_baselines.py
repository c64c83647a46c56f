"""What others reach on the same rows."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import CASES, stream
from numpy.typing import NDArray

from topk_tune.data import load
from topk_tune.data.split import fold_rows
from topk_tune.training.baselines import LABEL_FREQUENCY, Baseline, baselines, ranking_loss
from topk_tune.training.trial import FoldedRows, SplitRows
from topk_tune.training.trial import test_rows as all_rows


def naive(scores: NDArray[Any], labels: NDArray[Any]) -> float:
    """Pair by pair, as the loss is defined."""
    losses = []
    for row, relevant in zip(scores, labels, strict=True):
        order = sorted(range(len(row)), key=lambda label: (-row[label], label))
        place = {label: i for i, label in enumerate(order)}
        pairs = [
            (a, b) for a in range(len(row)) for b in range(len(row)) if relevant[a] > relevant[b]
        ]
        losses.append(sum(place[a] > place[b] for a, b in pairs) / len(pairs) if pairs else 0.0)
    return float(np.mean(losses))


def by_name(found: list[Baseline]) -> dict[str, float]:
    return {baseline.name: baseline.loss for baseline in found}


def published(folder: Path, name: str) -> SplitRows:
    """The training and test rows of a published data set."""
    with np.load(folder / f"{'mediamill' if name == 'm_reduced' else name}.npz") as arrays:
        rows = SplitRows(*(arrays[key] for key in ("X_train", "Y_train", "X_test", "Y_test")))
    if name != "m_reduced":
        return rows
    kept = json.loads((folder / "m_reduced_rows.json").read_text())
    train, test = kept["train"], kept["test"]
    return SplitRows(rows.X[train], rows.Y[train], rows.X_measure[test], rows.Y_measure[test])


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_the_loss_is_that_of_every_pair_with_ties_by_label(decimals: int) -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((60, 7)).round(decimals)
    labels = (rng.random((60, 7)) < rng.random((60, 1))).astype(np.uint8)
    labels[0], labels[1] = 0, 1
    assert ranking_loss(scores, labels) == pytest.approx(naive(scores, labels), abs=1e-12)


def test_the_loss_of_many_rows_is_taken_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    scores, labels = rng.random((50, 5)), rng.integers(0, 2, (50, 5), dtype=np.uint8)
    whole = ranking_loss(scores, labels)
    monkeypatch.setattr("topk_tune.training.baselines._BLOCK", 7)
    assert ranking_loss(scores, labels) == pytest.approx(whole, abs=1e-12)


def test_a_booster_is_measured_in_the_same_way() -> None:
    X, Y = stream(200)
    booster = CASES[0].make()
    booster.run(X, Y)
    place = np.argsort(booster.rank(X), axis=1)
    assert ranking_loss(-place, Y) == pytest.approx(booster.evaluate(X, Y).loss, abs=1e-12)


def test_labels_are_ordered_by_how_often_they_are_relevant_in_the_training_rows() -> None:
    train = np.array([[0, 1, 1], [0, 1, 0], [0, 0, 0]], dtype=np.uint8)
    measure = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    X = np.zeros((5, 2), dtype=np.float32)
    (only,) = baselines(SplitRows(X[:3], train, X, measure))
    assert only == Baseline(LABEL_FREQUENCY, pytest.approx((1 + 0 + 0.5) / 5), False)


def test_learners_are_better_than_frequency_where_features_tell_the_labels() -> None:
    X, Y = stream(600)
    found = baselines(SplitRows(X[:400], Y[:400], X[400:], Y[400:]), more=True)
    assert [(each.name, each.needs_all_labels) for each in found] == [
        (LABEL_FREQUENCY, False),
        ("ExtraTrees", True),
        ("logistic regression", True),
    ]
    losses = by_name(found)
    assert losses["ExtraTrees"] < 0.5 * losses[LABEL_FREQUENCY]
    assert losses["logistic regression"] < 0.5 * losses[LABEL_FREQUENCY]


@pytest.mark.slow
def test_the_same_rows_give_the_same_bits() -> None:
    rows = all_rows(load("synthetic:rows=120,dim=4,m=5"))
    assert baselines(rows, more=True) == baselines(rows, more=True)


@pytest.mark.parametrize("varied", [0, 1, 3])
def test_labels_that_never_change_are_ranked_without_a_learner(varied: int) -> None:
    X, Y = stream(200)
    Y = Y[:, :5].copy()
    Y[:, varied:] = 0
    Y[:, 4] = 1
    labels = stream(200, seed=1)[1][:, :5]
    losses = by_name(baselines(SplitRows(X, Y, X, labels), more=True))
    assert all(np.isfinite(loss) for loss in losses.values())
    if varied == 0:
        assert len(set(losses.values())) == 1


def test_folds_are_averaged_as_the_seeds_use_them() -> None:
    data = load("synthetic:rows=120,dim=4,m=5")
    rows = FoldedRows(data.X_train, data.Y_train, fold_rows(len(data.X_train), "folds:3:0"))
    each = [by_name(baselines(rows.of(seed)))[LABEL_FREQUENCY] for seed in range(4, 8)]
    (mean,) = baselines(rows, seeds=range(4, 8))
    assert len(set(each)) == 3
    assert mean.loss == pytest.approx(np.mean(each), abs=1e-12)


def test_label_frequency_does_not_wait_for_scikit_learn() -> None:
    code = (
        "import sys; from topk_tune.training.baselines import baselines; "
        "from topk_tune.data import load; from topk_tune.training.trial import test_rows; "
        "baselines(test_rows(load('synthetic:rows=60,m=4'))); "
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("emotions", 0.434),
        ("scene", 0.492),
        ("yeast", 0.210),
        ("mediamill", 0.070),
        ("m_reduced", 0.071),
        ("enron", 0.117),
        ("bibtex", 0.326),
    ],
)
def test_label_frequency_on_published_test_rows(shared_data: Path, name: str, loss: float) -> None:
    (found,) = baselines(published(shared_data, name))
    assert found.loss == pytest.approx(loss, abs=0.001)


@pytest.mark.parametrize(
    ("name", "trees", "logistic"),
    [
        ("emotions", 0.149, 0.176),
        pytest.param("scene", 0.068, 0.079, marks=pytest.mark.slow),
        pytest.param("yeast", 0.167, 0.173, marks=pytest.mark.slow),
        pytest.param("m_reduced", 0.057, 0.055, marks=pytest.mark.slow),
        pytest.param("enron", 0.075, 0.072, marks=pytest.mark.slow),
    ],
)
def test_learners_on_published_test_rows(
    shared_data: Path, name: str, trees: float, logistic: float
) -> None:
    losses = by_name(baselines(published(shared_data, name), more=True))
    assert losses["ExtraTrees"] == pytest.approx(trees, abs=0.006)
    assert losses["logistic regression"] == pytest.approx(logistic, abs=0.003)
