"""Options are declared once: the command line and `tune()` have what the groups have."""

import inspect
import shlex
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import Mock

import pytest
import typer
from tuning import DATA, settings, space
from typer.testing import CliRunner

from topk_tune import cli, tune
from topk_tune.backends.resources import BACKENDS, ResourceOptions
from topk_tune.cli.app import app
from topk_tune.cli.option_groups import Changes, Without, with_groups
from topk_tune.engine.stopping import DEFAULT_TRIALS, Limit, Progress, StopOptions
from topk_tune.plugins.options import option, options_of, pack, seconds
from topk_tune.provenance.commands import study_command
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Space
from topk_tune.storage import Location
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.study.study import Study

GROUPS = (SearchOptions, StopOptions, ResourceOptions)


def parameters(name: str) -> dict[str, Any]:
    """The parameters of a command by name."""
    command: Any = typer.main.get_command(app)
    return {each.name: each for each in command.commands[name].params}


@dataclass(frozen=True)
class Colours:
    """A group for these tests."""

    paint: str = option("red", "Colour of the wall.")
    hours: float | None = option(None, "Time to dry.", type=str | None, parse=seconds, above=0)
    shiny: bool = option(False, "Whether it shines.", flag="--gloss")


def run(command: Any, *words: str) -> Any:
    """What a command of one parameter `given` gets."""
    got: list[Any] = []

    def wrapped(**values: Any) -> None:
        command(**values)
        got.append(values["given"])

    wrapped.__signature__ = inspect.signature(command)  # type: ignore[attr-defined]
    wrapped.__annotations__ = command.__annotations__
    application = typer.Typer()
    application.command()(with_groups(wrapped))
    result = CliRunner().invoke(application, words)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return got[0]


def test_a_group_is_a_parameter_of_a_command() -> None:
    def paint(given: Colours) -> None:
        pass

    assert run(paint) == Colours()
    assert run(paint, "--paint", "blue", "--hours", "2h", "--gloss") == Colours("blue", 7200, True)
    with pytest.raises(ValueError, match=r"--hours must be a time.* but got 'soon'"):
        run(paint, "--hours", "soon")


def test_a_command_takes_part_of_a_group() -> None:
    def paint(given: Annotated[Colours, Without("paint")]) -> None:
        pass

    assert run(paint, "--gloss") == Colours(shiny=True)
    with pytest.raises(AssertionError, match="No such option: --paint"):
        run(paint, "--paint", "blue")


def test_changes_are_what_was_given() -> None:
    def paint(given: Annotated[Changes, Colours]) -> None:
        pass

    assert run(paint) == {}
    assert run(paint, "--hours", "1m") == {"hours": 60}


def test_run_has_every_option_with_its_help_and_default() -> None:
    shown = parameters("run")
    for group in GROUPS:
        known = {each.name: each for each in fields(group)}
        for name, one in options_of(group).items():
            assert shown[name].help == one.help
            assert shown[name].opts == [one.flag or f"--{name.replace('_', '-')}"]
            if one.type is None:
                assert shown[name].default == known[name].default


@pytest.mark.parametrize("command", ["run", "resume", "confirm", "reproduce"])
def test_commands_share_the_options_of_resources(command: str) -> None:
    shown = parameters(command)
    for name in ("backend", "workers", "address"):
        assert shown[name].help == options_of(ResourceOptions)[name].help


def test_tune_takes_every_option_and_has_the_same_defaults() -> None:
    known = {each.name: each.default for group in GROUPS for each in fields(group)}
    signature = inspect.signature(tune)
    own = {"storage", "progress", "track", "baselines", "options"}
    named = {n: p.default for n, p in signature.parameters.items() if n not in own}
    assert named.pop("trials") == DEFAULT_TRIALS
    assert named == {name: known[name] for name in named}


def test_an_unknown_option_of_tune_is_told_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"unknown option 'sampelr'; .*Did you mean 'sampler'"):
        tune(sampelr="random")


def test_no_name_is_in_two_groups() -> None:
    names = [name for group in GROUPS for name in options_of(group)]
    assert len(names) == len(set(names))


def test_defaults_of_a_search_are_those_of_stored_settings() -> None:
    for each in fields(SearchOptions):
        stored = StudySettings.model_fields.get(each.name)
        if stored is not None and each.default is not None and not stored.is_required():
            assert each.default == stored.default, each.name


def test_the_command_of_a_study_has_every_setting() -> None:
    def search(given: SearchOptions, trials: int = 0) -> None:
        pass

    other = {
        "dataset": "a b.csv",
        "labels": "3",
        "split": "tail:0.3",
        "k": 2,
        "sampler": "random",
        "pruner": "none",
        "protocol": "paper",
        "holdout": "tail:0.5",
        "seeds": 3,
        "seed": 7,
        "objective": "greedy_loss",
        "exploration_cost": 0.125,
        "runtime_objective": True,
        "deterministic": False,  # which the time as an objective rules out
    }
    beside = {"name", "fingerprint", "direction", "space", "first", "origins", "extra"}
    assert set(other) == set(StudySettings.model_fields) - beside
    for changes in (other, {"deterministic": True}):
        made = settings(**changes)
        _, _, *words = shlex.split(study_command(made, 5))
        given = run(search, *words)
        assert {n: getattr(given, n) for n in changes} == {n: getattr(made, n) for n in changes}


def test_values_go_to_the_group_that_has_them() -> None:
    search, stop, resources = pack({"seeds": 3, "patience": 2, "retries": 0}, *GROUPS)
    assert search == SearchOptions(seeds=3)
    assert stop == StopOptions(patience=2)
    assert resources == ResourceOptions(retries=0)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"workers": 0}, "workers must be at least 1, but got 0"),
        ({"cpus": 0}, "cpus must be greater than 0, but got 0"),
        ({"memory": -1}, "memory must be greater than 0, but got -1"),
        ({"retries": -1}, "retries must be at least 0, but got -1"),
        ({"trial_timeout": 0}, "trial_timeout must be greater than 0, but got 0"),
        ({"backend": "loacl"}, "unknown backend 'loacl'; choose from auto, ray, local.*'local'"),
        ({"backend": "local", "address": "here:1"}, "backend local has no cluster"),
        ({"backend": "local", "node_labels": {"a": "b"}}, "backend local has no cluster"),
    ],
)
def test_resources_that_cannot_be(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ResourceOptions(**wrong)


@pytest.mark.parametrize(
    ("given", "variable", "chosen"),
    [
        ({}, None, "local"),
        ({}, "127.0.0.1:6379", "ray"),
        ({"address": "auto"}, None, "ray"),
        ({"node_labels": {"a": "b"}}, None, "ray"),
        ({"backend": "ray"}, None, "ray"),
        ({"backend": "local"}, "127.0.0.1:6379", "local"),
    ],
)
def test_ray_is_for_clusters_unless_a_backend_is_named(
    given: dict[str, Any], variable: str | None, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    if variable:
        monkeypatch.setenv("RAY_ADDRESS", variable)
    assert ResourceOptions(**given).chosen == chosen


def test_a_program_that_is_connected_to_ray_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for connected in (True, False):
        monkeypatch.setitem(sys.modules, "ray", Mock(**{"is_initialized.return_value": connected}))
        assert ResourceOptions().chosen == ("ray" if connected else "local")


def test_backends_are_listed_wherever_they_are_named() -> None:
    shown = parameters("run")["backend"]
    for name, plugin in BACKENDS.items():
        assert f"{name} ({plugin.help})" in shown.help
        assert callable(BACKENDS.load(name))


def test_a_new_limit_is_one_field() -> None:
    @dataclass(frozen=True)
    class More(StopOptions):
        odd: int | None = option(
            None,
            "Stop at an odd number of trials.",
            more=Limit(lambda limit, so_far: _odd(limit, so_far)),
        )

    def stop(given: More) -> None:
        pass

    rule = run(stop, "--odd", "1")
    assert rule.reason([], 0) is None
    assert rule.reason([None], 0) == "1 is odd"
    assert More(**rule.kept()) == rule


def _odd(limit: int, so_far: Progress) -> str | None:
    return f"{len(so_far.finished)} is odd" if len(so_far.finished) % 2 == limit else None


def test_without_a_limit_a_study_stops_after_some_trials() -> None:
    assert StopOptions().or_default() == StopOptions(trials=DEFAULT_TRIALS)
    for limited in (StopOptions(timeout=1), StopOptions(target=0.0), StopOptions(patience=1)):
        assert limited.or_default() == limited


def test_resumed_limits_are_the_last_ones_but_for_the_changes() -> None:
    kept = {"trials": 5, "target": 0.1, "patience": None, "of_a_later_version": 1}
    assert StopOptions.resumed(kept, {"trials": 9}) == StopOptions(trials=9, target=0.1)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Space]:
    """The spaces that are checked."""
    checked: list[Space] = []
    check = Space.check

    def counted(self: Space, n_features: int, n_labels: int) -> None:
        checked.append(self)
        check(self, n_features, n_labels)

    monkeypatch.setattr(Space, "check", counted)
    return checked


def test_a_space_is_checked_once_on_the_way_to_a_study(tmp_path: Path, checks: list[Space]) -> None:
    search = SearchOptions(dataset=DATA, space=space(), name="s")
    plan = make_plan(search, StopOptions(trials=1), ResourceOptions())
    Study.create(Location.of(str(tmp_path)), plan)
    assert checks == [plan.space]


def test_a_run_checks_its_space_once_and_by_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checks: list[Space]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("space.yaml").write_text("default:\n  algorithm: topada\n  loops: 2\n  n_learners: 2\n")
    words = ["--dataset", DATA, "--space", "space.yaml", "--trials", "1", "--dry-run"]
    with pytest.raises(SystemExit):
        cli.main(["run", *words])
    assert [each.place("loops") for each in checks] == ["space.yaml:3"]
