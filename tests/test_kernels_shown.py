"""The expected loss of what is shown: against all outcomes, and against rankings that are shown."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernel_cases import mean_losses
from naive.ranking import explored, rank

from booster import Booster, TopAda, TopOpt
from booster.tables import SCHEMES, UNIFORM

SHAPES = [
    (scheme, m, k)
    for scheme in SCHEMES
    for m in range(2, 8)
    for k in range(2, m + 1)
    if scheme == UNIFORM or 3 <= k < m
]
RATE = Fraction(3, 10)


@cache
def wrong_order(scheme: str, m: int, k: int) -> dict[tuple[int, int], Fraction]:
    """P[what was at place i ends up below what was at place j], over all outcomes."""
    outcomes = explored(range(m), scheme, k)
    places = np.argsort(outcomes, axis=1)
    return {
        (i, j): Fraction(int((places[:, i] > places[:, j]).sum()), len(outcomes))
        for i, j in itertools.permutations(range(m), 2)
    }


def expected(scheme: str, k: int, ranking: list[int], y: tuple[int, ...]) -> Fraction:
    """The weighted rank loss of what is shown; 0 without a pair."""
    m, chances = len(ranking), wrong_order(scheme, len(ranking), k)
    pairs = [(i, j) for i in range(m) for j in range(m) if y[ranking[i]] > y[ranking[j]]]
    total = sum((1 - RATE) * (i > j) + RATE * chances[i, j] for i, j in pairs)
    return Fraction(total) / len(pairs) if pairs else Fraction(0)


def booster(scheme: str, m: int, k: int) -> Booster:
    return TopOpt(n_features=1, n_labels=m, n_learners=1, k=k, rho=float(RATE), exploration=scheme)


@pytest.mark.parametrize(("scheme", "m", "k"), SHAPES)
def test_it_is_that_of_all_outcomes(scheme: str, m: int, k: int) -> None:
    """Of every label set, with scores and priors that tie, and with none that do."""
    rng = np.random.default_rng(10 * m + k)
    rules = booster(scheme, m, k)._rules
    for scores, prior in (
        (rng.normal(size=m), np.zeros(m)),
        (rng.integers(0, 2, m).astype(float), rng.integers(0, 2, m) / 2),
        (np.zeros(m), np.zeros(m)),
    ):
        ranking = rank(scores.tolist(), prior.tolist())
        for y in itertools.product([0, 1], repeat=m):
            given = (scores[np.newaxis], prior, np.array([y], np.uint8))
            *_, shown = mean_losses(rules, float(RATE), *given)
            assert shown == pytest.approx(float(expected(scheme, k, ranking, y)), abs=1e-12)


@pytest.mark.parametrize(("scheme", "m", "k"), [s for s in SHAPES if s[1] < 6])
def test_a_run_records_it_for_every_row(scheme: str, m: int, k: int) -> None:
    """A booster that learns nothing: with no pair in its feedback it ranks by label."""
    for y in itertools.product([0, 1], repeat=m):
        if 0 < sum(y[:k]) < k:
            continue
        plain = TopOpt(
            n_features=1,
            n_labels=m,
            n_learners=1,
            k=k,
            rho=float(RATE),
            exploration=scheme,
            prior=False,
        )
        shown = plain.run([[0.0]], [y]).shown_loss[0]
        assert shown == pytest.approx(float(expected(scheme, k, list(range(m)), y)), abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("algorithm", [TopOpt, TopAda])
def test_it_is_the_mean_of_rankings_shown(
    algorithm: type[Booster], scheme: str, shared_data: Path
) -> None:
    data = np.load(shared_data / "yeast.npz")
    X, Y = data["X_train"][:400], data["Y_train"][:400]
    trained = algorithm(
        n_features=X.shape[1],
        n_labels=Y.shape[1],
        n_learners=5,
        rho=0.3,
        exploration=scheme,
    )
    trained.run(X, Y)
    # All weight on one expert: `evaluate` reads the best, a stream draws.
    trained._votes.log_nu[:-1] = -1e9
    held, seen = data["X_test"][:100], data["Y_test"][:100]
    sampled = []
    for x, y in zip(held, seen, strict=True):
        for t in range(60):
            trained._round = t
            relevant = y[trained.predict(x)].astype(bool)
            pairs = relevant.sum() * (~relevant).sum()
            sampled.append(np.cumsum(~relevant)[relevant].sum() / pairs if pairs else 0.0)
    means = np.mean(np.reshape(sampled, (100, 60)), axis=1)
    error = np.std(np.reshape(sampled, (100, 60)), axis=1, ddof=1) / 60**0.5
    exact = trained.evaluate(held, seen).shown
    assert abs(means.mean() - exact) < 4 * np.sqrt((error**2).sum()) / 100
    assert abs(trained.evaluate(held, seen, rate=0.0).shown - exact) > 0.02
