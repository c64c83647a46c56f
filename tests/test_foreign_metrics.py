"""Metrics of other packages: found by their entry point, computed, searched by, or refused."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import says
from tuning import FakeBackend, FakeResources, settings, space, states, study, tune

from booster import Evaluation
from booster.plugins import MissingPackageError, Plugin
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.export.config import best_config
from topk_tune.records.wording import objective_line
from topk_tune.report import write_report
from topk_tune.storage import Location
from topk_tune.study.study import Study
from topk_tune.tracking.figures import trial_points
from topk_tune.training.metrics import METRICS, Measured, Metric, computed


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes something known as the metric `hits` of another package."""

    def bring(target: Any, package: str = "") -> None:
        plugin = Plugin("hits", target, package=package)
        monkeypatch.setitem(METRICS.__dict__, "others", {"hits": plugin})

    yield bring


def hits(compute: Callable[[Measured], float], name: str = "hits") -> Metric:
    return Metric(name, "maximize", "rankings", "how often the first is right", compute)


def first(measured: Measured) -> float:
    assert measured.Z is not None
    return float(measured.Z[:, 0].mean())


def ranked() -> Measured:
    evaluation = Evaluation(loss=0.2, ties=0.1, rank=2.0, hinge=3.0, shown=0.3)
    return Measured(0.2, 0.1, 0.3, 1, evaluation, np.eye(4, dtype=np.uint8))


def test_one_is_computed_beside_ours(brought: Callable[..., None]) -> None:
    brought(hits(first))
    assert computed(ranked())["hits"] == 0.25
    assert computed(ranked(), "frozen/")["frozen/hits"] == 0.25
    assert "hits" not in computed(Measured(0.2, 0.1, 0.3))


def broken(measured: Measured) -> float:
    raise KeyError("plays")


@pytest.mark.parametrize(
    ("compute", "sentence"),
    [
        (broken, r"metric 'hits' raised KeyError: 'plays'"),
        (lambda measured: math.nan, "metric 'hits' must be finite, but got nan"),
        (lambda measured: None, "metric 'hits' raised TypeError"),
    ],
)
def test_one_that_cannot_be_computed_fails_its_trials_by_name(
    tmp_path: Path,
    brought: Callable[..., None],
    compute: Callable[[Measured], float],
    sentence: str,
) -> None:
    brought(hits(compute))
    made = study(tmp_path)
    made.run(StopOptions(trials=2), FakeResources(made=FakeBackend(train=None)))
    errors = [record.error for record in made.records()]
    assert states(tmp_path) == ["failed"] * 2
    assert all(error is not None and sentence in error for error in errors)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("no_such_package.metric:HITS", "metric 'hits' cannot be imported .*install songrank"),
        ("math:sqrt", "metric 'hits': math:sqrt must be a Metric of that name"),
        (hits(first, "other"), "must be a Metric of that name"),
    ],
)
def test_one_that_cannot_be_used_is_refused_before_a_study_is_made(
    brought: Callable[..., None], target: Any, sentence: str
) -> None:
    brought(target, "songrank")
    with pytest.raises(ValueError, match=sentence):
        Proposer(settings(), space())


def test_a_worker_without_the_package_says_which(
    tmp_path: Path, brought: Callable[..., None]
) -> None:
    brought(hits(first), "songrank")  # no distribution of this name is installed
    made = study(tmp_path, objective="hits")
    made.run(StopOptions(trials=2), FakeResources(made=FakeBackend(train=None)))
    errors = [record.error or "" for record in made.records()]
    for error in errors:
        says(error, "lacks songrank", "metric 'hits'")


def test_a_trial_without_the_objective_fails(tmp_path: Path, brought: Callable[..., None]) -> None:
    brought(hits(first))
    made = study(tmp_path, objective="hits")
    tune(made.store, StopOptions(trials=2), FakeBackend())  # whose reports have no hits
    errors = [record.error for record in made.records()]
    assert errors == ["metric 'hits' needs rankings, which topada does not have"] * 2


def test_a_study_is_read_where_its_metric_is_not_installed(
    tmp_path: Path, brought: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(hits(first))
    made = study(tmp_path, objective="hits")
    made.run(StopOptions(trials=4), FakeResources(made=FakeBackend(train=None)))
    best = made.best()
    made.store.close()
    monkeypatch.setitem(METRICS.__dict__, "others", {})
    there = Study.open(Location.of(str(tmp_path)), "s")
    assert best is not None
    assert there.best() == best
    assert best.value == max(record.metrics["hits"] for record in there.records())
    assert "not installed here" in objective_line(there.settings)
    with pytest.raises(ValueError, match="unknown objective 'hits'"):
        there.run(StopOptions(trials=5), FakeResources(made=FakeBackend(train=None)))


def test_a_direction_must_be_the_metric_s() -> None:
    with pytest.raises(ValueError, match="direction of shown_loss must be minimize, but got max"):
        Proposer(settings(direction="maximize"), space())


def test_a_path_is_no_metric() -> None:
    """Workers compute what their environment has: they would never hear of it."""
    with pytest.raises(ValueError, match=r"unknown objective 'songrank\.metric:HITS'"):
        settings(objective="songrank.metric:HITS")


def test_a_package_that_is_gone_is_named(brought: Callable[..., None]) -> None:
    brought("no_such_package.metric:HITS")
    with pytest.raises(MissingPackageError, match="no_such_package"):
        computed(ranked())


def test_one_goes_to_mlflow_and_into_exports(tmp_path: Path, brought: Callable[..., None]) -> None:
    brought(hits(first))
    made = study(tmp_path, objective="hits")
    made.run(StopOptions(trials=3), FakeResources(made=FakeBackend(train=None)))
    record = made.records()[0]
    points = {(name, value) for name, value, *_ in trial_points(made.settings, record, 0)}
    assert ("hits", record.metrics["hits"]) in points
    assert best_config(made)["provenance"]["objective"] == "hits"
    assert "hits" in write_report(made, tmp_path / "report.html").read_text(encoding="utf-8")
