"""The command, from its arguments to what it prints."""

import copy
import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

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
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "topopt on yeast: 1,500 training rows, 917 test rows, 103 features, 14 labels",
        "loops 2, k 3, exploration uniform, n_covariates 20, gamma 0.1, n_learners 30, rho 0.03,"
        " seed 0",
        "compiling [kernels]",
        "loop 1/2: greedy loss 0.5000 in training, 0.2500 on the test rows; shown loss 0.3500 "
        "on the test rows",
        "loop 2/2: greedy loss 0.2500 in training, 0.1667 on the test rows; shown loss 0.2667 "
        "on the test rows",
        "test: weighted rank loss 0.2667 of what is shown, 0.1667 before exploration "
        "(predict each row, then learn it)",
        "3,000 training rounds in 1.0 s: 3,000 rounds per second",
    ]
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
    assert call("train", "emotions", "--tuned", "--algorithm", "topada", "--k", "4") == 0
    found = {**search_spaces.tuned_parameters("topada", "emotions"), "k": 4}
    assert len(fake.made.runs) == found.pop("loops")
    assert found.items() <= fake.made.parameters.items()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            "--tuned --config best.yaml",
            "--tuned and --config both say what to train; give one of them",
        ),
        ("--rho 1.5", "rho must lie in (0, 1), but got 1.5"),
        ("--loops 0", "loops must be at least 1, but got 0"),
        (
            "--algorithm fullada --rho 0.1",
            "fullada has no parameter rho; it takes: loops, n_covariates, n_learners",
        ),
        (
            "yaest",
            f"unknown data set 'yaest'; choose from {', '.join(names())}, openml:NUMBER, or "
            "the path of a file or folder. Did you mean 'yeast'?",
        ),
    ],
)
def test_a_wrong_value_gets_one_sentence(
    arguments: str, sentence: str, fake: type[FakeBooster], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("train", *arguments.split()) == 2
    assert capsys.readouterr().err == f"Error: {sentence}\n"


def test_an_unknown_algorithm_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("train", "--algorithm", "none") == 2
    assert "fullada" in capsys.readouterr().err


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
    assert 0.1 < float(test_line.split()[4]) < 0.4
