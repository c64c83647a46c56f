"""Samplers and pruners that are named by where they are: in a package, or on OptunaHub."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import optuna
import pytest
from optuna.samplers import RandomSampler
from packages import SONGRANK
from tuning import FakeBackend, FakeResources, report, settings, space, states, study, tune

from topk_tune.engine import by_path
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.export.config import exported
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Choice, Fixed, Float
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study

HALF = "songrank.sampler:HalfOfTheBest"
HUB = "hub:samplers/auto_sampler:AutoSampler"
GRID = space(n_learners=Choice([1, 2]), rho=Float(0.1, 0.3, step=0.1))


@pytest.fixture(autouse=True)
def songrank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SONGRANK)


def searching(**changes: Any) -> Proposer:
    return Proposer(settings(**changes), space())


def asked(search: Proposer, numbers: range) -> list[dict[str, Any]]:
    """Configurations that a search asks for, each told before the next."""
    configs = []
    for number in numbers:
        found = search.ask(str(number))
        assert found is not None
        trial, config = found
        loss = config["rho"] + 0.01 * config["n_learners"]
        runs = (SeedRun(0, (report(1, loss),)),)
        search.tell(trial, TrialRecord(number, "complete", config, runs))
        configs.append(config)
    return configs


def test_a_sampler_of_a_package_has_the_seed_of_its_turn() -> None:
    once, again = (asked(searching(sampler=HALF), range(12)) for _ in range(2))
    other = asked(searching(sampler=HALF, seed=1), range(12))
    assert once == again != other
    # It is made anew for each turn: with one seed for all, every coin would fall the same way.
    assert len({config["rho"] for config in once}) > 2
    for config in once:
        space().contains(config)


def test_a_study_by_a_sampler_that_says_when_all_is_tried(tmp_path: Path) -> None:
    made = study(tmp_path, GRID, sampler="optuna.samplers:BruteForceSampler")
    reason = tune(made.store, StopOptions(trials=50), FakeBackend(2))
    assert reason == "every point of the grid was tried"
    # Some may be tried twice: trials are asked for ahead, while the last ones still run.
    tried = {repr(dict(record.config)) for record in made.records()}
    assert tried == set(map(repr, GRID.grid()))


def test_a_pruner_of_a_package(tmp_path: Path) -> None:
    eager = space(tie_threshold=Fixed(0.5), rho=Float(0.05, 0.9))
    made = study(tmp_path, eager, pruner="optuna.pruners:SuccessiveHalvingPruner")
    made.run(StopOptions(trials=14), FakeResources(made=FakeBackend(2, train=None)))
    assert set(states(tmp_path)) == {"complete", "pruned"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sampler": "no_such:Sampler"}, "sampler 'no_such:Sampler' cannot be imported"),
        ({"sampler": "optuna.samplers:Nope"}, "cannot be imported .*no attribute 'Nope'"),
        ({"sampler": "optuna.samplers:GridSampler"}, "cannot be made: .*search_space"),
        ({"sampler": "optuna.pruners:NopPruner"}, "must be a BaseSampler of Optuna, but got a Nop"),
        ({"sampler": "math:pi"}, "sampler math:pi cannot be made"),
        ({"pruner": "optuna.samplers:RandomSampler"}, "must be a BasePruner of Optuna"),
        ({"sampler": "hub:samplers/auto_sampler"}, "must be hub:PACKAGE:CLASS"),
        (
            {"pruner": "optuna.pruners:MedianPruner", "deterministic": True},
            "deterministic needs one of median, wilcoxon, none",
        ),
        (
            {"pruner": "optuna.pruners:MedianPruner", "runtime_objective": True},
            "the pruner must be none, but got optuna.pruners:MedianPruner",
        ),
    ],
)
def test_what_cannot_be_used(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        searching(**changes)


class AutoSampler(RandomSampler):
    """In the place of the one on OptunaHub."""


def hub(monkeypatch: pytest.MonkeyPatch, load_module: Any) -> None:
    """Put something in the place of the package `optunahub`."""
    by_path._from_hub.cache_clear()
    module = ModuleType("optunahub")
    module.load_module = load_module  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "optunahub", module)


def test_a_sampler_of_optunahub_is_downloaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = []

    def load_module(package: str) -> SimpleNamespace:
        wanted.append(package)
        return SimpleNamespace(AutoSampler=AutoSampler)

    hub(monkeypatch, load_module)
    found = asked(searching(sampler=HUB), range(3))
    # The seed is passed on: it draws as Optuna's own that it extends.
    assert found == asked(searching(sampler="random"), range(3))
    assert wanted == ["samplers/auto_sampler"]


def test_optunahub_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_module(package: str) -> None:
        raise ConnectionError("no route to host")

    hub(monkeypatch, load_module)
    with pytest.raises(RuntimeError, match=r"cannot be loaded .*no route to host"):
        searching(sampler=HUB)


def test_without_optunahub_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    by_path._from_hub.cache_clear()
    monkeypatch.setitem(sys.modules, "optunahub", None)
    with pytest.raises(ValueError, match="run `pip install optunahub`"):
        searching(sampler=HUB)


@pytest.mark.parametrize("name", ["gone", "no_such_package:Sampler"])
def test_a_study_whose_sampler_is_missing_is_read_but_not_run(tmp_path: Path, name: str) -> None:
    made = study(tmp_path)
    tune(made.store, StopOptions(trials=2))
    made.store.replace_settings(made.settings.model_copy(update={"sampler": name}))
    made.store.close()
    there = Study.open(Location.of(str(tmp_path)), "s")
    assert there.settings.sampler == name
    assert len(there.dataframe()) == 2
    assert exported(there, "yaml")
    before, resources = there.store.notes(), FakeResources(made=FakeBackend())
    with pytest.raises(ValueError, match=f"sampler '{name}'"):
        Plan.resumed(there, StopOptions(trials=5), resources)
    with pytest.raises(ValueError, match=f"sampler '{name}'"):
        there.run(StopOptions(trials=5), resources)
    assert there.store.notes() == before


def test_optuna_warns_of_nothing_that_we_chose(recwarn: pytest.WarningsRecorder) -> None:
    searching(sampler="optuna.samplers:QMCSampler", pruner="optuna.pruners:WilcoxonPruner")
    assert [w for w in recwarn if w.category is optuna.exceptions.ExperimentalWarning] == []
