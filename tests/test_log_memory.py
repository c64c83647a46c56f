"""Rounds with the same features: what they know of each other, and never of themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from booster import Log
from booster.features import rows_of
from booster.log_losses import predicted_wrong, row_sums
from booster.log_memory import _STRENGTHS, _recalled, remembering
from booster.log_model import predicted_relevance
from booster.logs import LogRows, log_rows
from booster.row_groups import row_groups

M, K, PASSES = 6, 3, 20


def drawn(
    n_rows: int, seed: int, noise: float = 0.0, passes: int = PASSES
) -> tuple[LogRows, Any, Any]:
    """Rounds that show random labels of rows which come some times; their rows, and the labels."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_rows, M)) < 0.3
    row = np.tile(np.arange(n_rows), passes)
    shown = rng.permuted(np.tile(np.arange(M), (row.size, 1)), axis=1)[:, :K]
    bits = np.take_along_axis(Y[row], shown, axis=1) ^ (rng.random(shown.shape) < noise)
    pairs = np.full((row.size, 3), K * (K - 1) / (M * (M - 1)))
    log = Log(row[:, np.newaxis], shown, bits.astype(int), pairs)
    return log_rows(log, 1, M), row, Y


def test_groups_are_of_equal_rows_dense_and_sparse() -> None:
    X = np.array([[0.0, 1.0], [2.0, 0.0], [-0.0, 1.0], [2.0, 0.0], [0.0, 0.0]], np.float32)
    assert row_groups(rows_of(X, 2)).tolist() == [0, 1, 0, 1, 2]
    assert row_groups(rows_of(csr_array(X), 2)).tolist() == [0, 1, 0, 1, 2]


@pytest.mark.parametrize("strength", [0.3, 10.0])
def test_what_is_recalled_beside_loops(strength: float) -> None:
    rows, groups, _ = drawn(4, 1, passes=5)
    predicted = np.random.default_rng(2).random((20, M))
    among = np.random.default_rng(3).random((20, K)) < 0.7
    found = _recalled(rows, groups, predicted, among, strength)
    for round_ in range(20):
        for label in range(M):
            others = [
                rows.bits[other, place]
                for other in range(20)
                for place in range(K)
                if groups[other] == groups[round_] and other != round_
                if among[other, place] and rows.shown[other, place] == label
            ]
            expected = strength * predicted[round_, label] + sum(others)
            assert found[round_, label] == pytest.approx(expected / (strength + len(others)))


def test_no_round_is_predicted_by_its_own_bits() -> None:
    rows, _, _ = drawn(10, 0)
    scores, rates = np.random.default_rng(1).normal(size=(rows.n_rows, M)), np.full(M, 0.3)
    before = predicted_relevance(rows, scores, rates)
    for round_ in (0, 33):
        bits = rows.bits.copy()
        bits[round_] ^= 1
        changed = LogRows(rows.features, rows.shown, bits, rows.pairs)
        after = predicted_relevance(changed, scores, rates)
        assert (after[round_] == before[round_]).all()
        same_row = np.arange(rows.n_rows) % 10 == round_ % 10
        same_row[round_] = False
        assert (after[same_row] != before[same_row]).any(axis=1).all()


def test_rounds_are_trusted_as_far_as_they_agree() -> None:
    """Labels that never change are known after a few rounds; coins stay coins."""
    level = np.full((400, M), 0.3)
    every = np.ones(400, np.bool_)
    rows, groups, Y = drawn(20, 4)
    known = remembering(rows, groups, level, every)
    assert np.abs(known - Y[groups]).mean() < 0.03
    assert (known == _recalled(rows, groups, level, rows.shown >= 0, _STRENGTHS[0])).all()
    coins, groups, _ = drawn(20, 5, noise=0.5)
    assert np.abs(remembering(coins, groups, np.full((400, M), 0.5), every) - 0.5).mean() < 0.06


def test_estimates_are_unbiased_and_less_noisy_with_repeated_rows() -> None:
    def error(rows: LogRows, ranked: Any, relevance: Any, Y: Any) -> float:
        wrong = [(y[:, np.newaxis] & ~y)[np.tril_indices(M, -1)].sum() for y in Y]
        robust = predicted_wrong(ranked, relevance) + row_sums(rows, ranked, relevance).corrections
        return float(robust.mean() - np.mean(wrong))

    found, plain = [], []
    for seed in range(30):
        rows, _, Y = drawn(20, seed)
        ranked = np.tile(-np.arange(M, dtype=float), (rows.n_rows, 1))
        relevance = predicted_relevance(rows, ranked, np.full(M, 0.3))
        found.append(error(rows, ranked, relevance, Y))
        plain.append(error(rows, ranked, np.full(relevance.shape, 0.3), Y))
    assert np.std(found) < np.std(plain) / 3
    assert abs(np.mean(found)) < 3 * np.std(found) / np.sqrt(30)
