"""The command, from its arguments to what it prints."""

import copy
import logging
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from messages import lines_say, says, unfolded

import booster
import search_spaces
import topk_tune
from booster.plugins import Plugin
from topk_tune import cli
from topk_tune.data.catalog import names


class FakeBooster:
    """Stands in for an algorithm: notes its parameters, and loses a little less each loop."""

    made: "FakeBooster"
    full = True

    def __init__(self, **parameters: Any) -> None:
        if not 0 < parameters.get("rho", 0.5) < 1:
            raise ValueError(f"rho must lie in (0, 1), but got {parameters['rho']}")
        self.parameters = parameters
        self.runs: list[int] = []
        self.counts = {"split_attempts": 0, "nodes": 0, "bytes": 0}
        FakeBooster.made = self

    @property
    def rounds(self) -> int:
        return sum(self.runs)

    def run(self, X: np.ndarray, Y: np.ndarray, loops: int = 1) -> SimpleNamespace:
        assert len(X) == len(Y)
        if not self.runs:
            logging.getLogger("booster").info("compiling [kernels]")
        self.runs.append(len(X))
        loss = np.array([0.5 / len(self.runs)])
        return SimpleNamespace(loss=loss, ties=loss, shown_loss=loss + 0.1, seconds=0.5)

    def predict(self, x: np.ndarray) -> list[int]:
        raise NotImplementedError

    def update(self, feedback: np.ndarray) -> None:
        raise NotImplementedError

    def settled(self) -> "FakeBooster":
        return copy.deepcopy(self)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeBooster]:
    for name in booster.ALGORITHMS.own:
        monkeypatch.setitem(booster.ALGORITHMS.own, name, Plugin(name, FakeBooster))
    return FakeBooster


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return ended.value.code


def test_without_arguments_it_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert call() == 0
    assert "topk-tune train " in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("version") == 0
    assert capsys.readouterr().out == f"topk-tune {topk_tune.__version__}\n"


def test_train_prints_loops_test_loss_and_speed(
    fake: type[FakeBooster], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("train", "--loops", "2") == 0
    lines_say(
        unfolded(capsys.readouterr().out),
        ["topopt", "yeast", "1,500", "917", "103", "14"],
        ["loops 2", "k 3", "uniform", "n_covariates 20", "gamma 0.1", "n_learners 30", "rho 0.03"],
        ["compiling [kernels]"],
        ["1/2", "greedy loss 0.5000", "0.2500", "shown loss 0.3500"],
        ["2/2", "greedy loss 0.2500", "0.1667", "shown loss 0.2667"],
        ["test", "weighted rank loss 0.2667", "0.1667"],
        ["3,000 training rounds", "1.0 s", "3,000 rounds per second"],
    )
    assert fake.made.runs == [1500, 1500]  # the test rows are learned by copies


def test_options_replace_the_parameters_of_the_paper(fake: type[FakeBooster]) -> None:
    options = "--algorithm topada --seed 7 --n-learners 5 --rho 0.2 --k 4 --exploration other"
    assert call("train", "yeast", *options.split()) == 0
    assert fake.made.parameters == {
        "n_features": 103,
        "n_labels": 14,
        "n_learners": 5,
        "rho": 0.2,
        "k": 4,
        "exploration": "other",
        "n_covariates": 20,
        "seed": 7,
    }
    assert len(fake.made.runs) == 10


def test_tuned_parameters_replace_those_of_the_paper(fake: type[FakeBooster]) -> None:
    assert call("train", "yeast", "--tuned", "--algorithm", "topada", "--k", "4") == 0
    found = {**search_spaces.tuned_parameters("topada", "yeast"), "k": 4}
    assert len(fake.made.runs) == found.pop("loops")
    assert found.items() <= fake.made.parameters.items()


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ("--tuned --config best.yaml", ["--tuned", "--config"]),
        ("--rho 1.5", ["rho", "(0, 1)", 1.5]),
        ("--loops 0", ["loops", 1, 0]),
        ("--algorithm fullada --rho 0.1", ["fullada", "rho", "loops", "n_covariates"]),
        ("yaest", ["'yaest'", *names(), "openml:NUMBER", "'yeast'"]),
    ],
)
def test_a_wrong_value_gets_one_line(
    arguments: str, facts: list[object], fake: type[FakeBooster], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("train", *arguments.split()) == 2
    lines_say(capsys.readouterr().err, ["Error:", *facts])


def test_an_unknown_algorithm_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("train", "--algorithm", "none") == 2
    says(capsys.readouterr().err, "'none'", *booster.ALGORITHMS.own)


def test_the_logger_is_left_as_it_was(fake: type[FakeBooster]) -> None:
    logger = logging.getLogger("booster")
    before = (logger.level, list(logger.handlers))
    call("train", "--loops", "1")
    assert (logger.level, list(logger.handlers)) == before


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", booster.ALGORITHMS.own)
def test_train_really(algorithm: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A random ranking loses 0.5 of the weighted rank loss; three weak trees do better."""
    options = ("--algorithm", algorithm, "--n-learners", "3", "--loops", "1")
    assert call("train", *options) == 0
    (test_line,) = [li for li in capsys.readouterr().out.splitlines() if li.startswith("test:")]
    shown, *_ = map(float, re.findall(r"0\.\d+", test_line))
    assert 0.1 < shown < 0.4
