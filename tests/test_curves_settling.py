"""How the rule that ends a settled search is judged on tables of curves."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import report, settling
from benchmarks.curves.settling import AHEAD, TRIALS, Diary

N = AHEAD[0]


def diary(best: dict[int, float], gain: float, spread: dict[int, float]) -> Diary:
    """A search whose best and spread change at some numbers of trials."""

    def steps(changes: dict[int, float]) -> list[float]:
        return [
            changes[max(at for at in changes if at <= count)] if count >= min(changes) else np.nan
            for count in range(TRIALS + 1)
        ]

    gains = np.full((TRIALS + 1, len(AHEAD)), gain)
    return Diary(np.array(steps(best)), np.array(steps(spread)), gains)


def test_a_stop_knows_what_came_after_it() -> None:
    made = diary({1: 0.5, 32: 0.4, 100: 0.1}, 0.02, {3: 0.01, 25: 0.03})
    stop = settling.stop_of(made, 0, unit=0.1)
    assert stop is not None
    assert stop == pytest.approx((25, 0.2, 1.0, 4.0))


def test_the_rule_waits_for_twice_as_many_trials_and_may_never_stop() -> None:
    early = settling.stop_of(diary({1: 0.5}, 0.02, {1: 0.03}), 0, unit=1.0)
    assert early is not None
    assert early.trials == 2 * N
    assert settling.stop_of(diary({1: 0.5}, 0.02, {1: 0.01}), 0, unit=1.0) is None
    late = diary({1: 0.5}, 0.02, {1: 0.01, TRIALS - N + 1: 0.03})
    assert settling.stop_of(late, 0, unit=1.0) is None


def test_forecasts_are_compared_where_both_are_known() -> None:
    made = diary({1: 0.5, TRIALS: 0.4}, 0.02, {1: 0.03})
    expected, came = settling._forecast(made, 0, unit=0.1)
    places = TRIALS - N - 2 * N + 1
    assert (expected, came) == pytest.approx((0.2, 1.0 / places))


def test_a_section_takes_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n## First\n\none\n", encoding="utf-8")
    report.write_section("page.md", "## Mine\n\ntwo")
    report.write_section("page.md", "## Mine\n\nthree")
    assert page.read_text() == "# Page\n\n## First\n\none\n\n## Mine\n\nthree\n"
    report.write_section("page.md", "## First\n\nfour")
    assert page.read_text() == "# Page\n\n## First\n\nfour\n\n## Mine\n\nthree\n"
    assert report.section("page.md", "## First") == "## First\n\nfour"
    assert report.section("page.md", "## Other") == ""
