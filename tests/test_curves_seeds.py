"""Searches with several seeds on tables of learning curves, and the oracle beside them."""

import numpy as np
import pytest

from benchmarks.curves.search import Known
from benchmarks.curves.seeds import ManySeeds, Shown
from benchmarks.curves.table import CurveTable
from benchmarks.oracle import BUDGET, best_of
from benchmarks.seeds_compare import MARKS, mean_and_error, row_of
from topk_tune.spaces import Float, Space

SPACE = Space({"rho": Float(0.0, 1.0)})


def curves(losses: list[list[list[float]]]) -> CurveTable:
    """A table of (configuration, seed, loop), with a second for each loop."""
    loss = np.array(losses)
    seconds = np.broadcast_to(np.arange(1, loss.shape[2] + 1), loss.shape)
    values = np.stack([loss, seconds], axis=3).astype(np.float32)
    configs = [{"rho": place / len(losses)} for place in range(len(losses))]
    return CurveTable(SPACE, configs, ["shown_loss", "seconds"], values)


def test_the_oracle_by_hand() -> None:
    best = best_of(
        curves([[[0.4, 0.2], [0.3, 0.3]], [[0.2, 0.24], [0.24, 0.24]], [[0.9, 0.9]] * 2])
    )
    assert best.near == 1  # 0.22 on average, the next has 0.25
    assert list(best.by_mean.above) == pytest.approx([0.0, 0.0])
    assert best.by_mean.time() == pytest.approx(0.5)  # after one of two loops
    assert list(best.by_other.above) == pytest.approx([0.0, 25.0])
    assert best.by_other.time() == pytest.approx((0.5 + BUDGET) / 2)


def test_drawn_seeds_are_worth_what_the_two_of_the_table_are() -> None:
    rng = np.random.default_rng(0)
    known = Known.of(curves(np.exp(rng.normal(0, 0.1, (12, 2, 2))).tolist()))
    many, config = ManySeeds(known), known.table.configs[3]
    expected = np.sqrt(np.prod(known.table.of("shown_loss")[3], axis=0))
    assert many.expected(config).loss == pytest.approx(expected)
    drawn = np.log([many.curve(config, seed).loss for seed in range(400)])
    assert drawn.mean(axis=0) == pytest.approx(np.log(expected), abs=0.02)
    own = np.log(known.table.of("shown_loss"))
    better = own[np.argsort(own.min(axis=2).mean(axis=1))[:4]]
    spread = np.sqrt(np.var(better, axis=1, ddof=1).mean(axis=0))
    assert drawn.std(axis=0) == pytest.approx(spread, rel=0.15)
    assert list(many.curve(config, 7).loss) == list(many.curve(config, 7).loss)


def test_what_a_search_shows_and_what_it_is_worth_by_hand() -> None:
    ends = np.array([2.0, 5.0, 30.0, 1000.0])
    shown = Shown(ends, np.array([0.3, 0.18, 0.2, 0.1]), np.array([0.4, 0.3, 0.25, 0.2]), ends)
    row = row_of(shown, best=0.2, unit=0.5)
    assert MARKS[0] * 0.5 == 5.0
    assert list(row.above) == pytest.approx([50, 50, 50, 25])
    assert row.flattered == pytest.approx(20)
    assert row.seeds == 30.0


def test_the_error_is_that_over_search_seeds() -> None:
    assert mean_and_error([[1.0, 3.0], [5.0, 5.0]]) == "3.5 ± 0.5"
    assert mean_and_error([[1.0], [5.0]]) == "3.0"
