"""The plots of a study."""

from dataclasses import replace
from pathlib import Path

import pytest
from tracking_cases import make_record, make_study

from topk_tune.records.trials import TrialRecord
from topk_tune.tracking.plots import ENOUGH, study_plots


@pytest.fixture(autouse=True)
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")


def records(count: int) -> list[TrialRecord]:
    made = [make_record(number) for number in range(count)]
    return [replace(r, params={**r.params, "rho": 0.02 + r.number / 100}) for r in made]


def drawn(folder: Path) -> set[str]:
    for path in folder.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
    return {path.stem for path in folder.glob("*.png")}


@pytest.mark.slow
def test_every_plot_is_drawn(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path)
    pruned, failed = make_record(18, "pruned"), replace(make_record(19, "failed"), runs=())
    study_plots(tmp_path, study.settings, [*records(ENOUGH), pruned, failed])
    assert drawn(tmp_path) == {"history", "importances", "parallel", "slice"}


@pytest.mark.slow
def test_two_objectives_have_a_pareto_front(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path, runtime_objective=True, pruner="none")
    study_plots(tmp_path, study.settings, records(ENOUGH))
    assert drawn(tmp_path) == {"history", "importances", "parallel", "slice", "pareto"}


@pytest.mark.slow
def test_few_trials_do_not_tell_what_is_important(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path)
    study_plots(tmp_path, study.settings, records(ENOUGH - 1))
    assert drawn(tmp_path) == {"history", "parallel", "slice"}


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_trials_have_no_plots(tmp_path: Path, count: int) -> None:
    study, _ = make_study(tmp_path)
    study_plots(tmp_path, study.settings, records(count))
    assert not drawn(tmp_path)
