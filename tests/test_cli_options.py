"""What all commands share: quiet, debug, logs; and what a study is given before it starts."""

from pathlib import Path

import pytest
import yaml
from messages import raises, says

from topk_tune import cli
from topk_tune.storage import Location
from topk_tune.study.study import Study

SPACE = """\
default:
  algorithm: topada
  loops: 3
  n_learners: {type: int, low: 2, high: 6}
  rho: {type: float, low: 0.05, high: 0.3}
  k: 3
"""
RUN = (
    "run --dataset synthetic:rows=200,m=5 --space space.yaml --backend local --workers 1 --no-track"
)


OPTUNA = "A new study created"
"""Logged by Optuna."""


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("space.yaml").write_text(SPACE, encoding="utf-8")


def call(line: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(line.split())
    return int(ended.value.code or 0)


def export(**config: object) -> None:
    content = {"config": {"algorithm": "topada", "loops": 2, "k": 3, **config}}
    Path("best.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")


@pytest.mark.slow
def test_quiet_prints_nothing_but_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"-q {RUN} --trials 1 --name s") == 0
    assert capsys.readouterr().out == ""
    assert call(f"-q {RUN} --trials 1 --name s") == 2
    says(capsys.readouterr().err, "study 's'", "topk-tune resume s")


@pytest.mark.parametrize("words", ["status -q", "status --quiet", "data list -q"])
def test_general_options_may_come_last(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(words.removesuffix(" -q").removesuffix(" --quiet")) == 0
    assert capsys.readouterr().out
    assert call(words) == 0
    assert capsys.readouterr().out == ""
    assert call("status") == 0
    assert capsys.readouterr().out  # the next command is not quiet


def test_debug_may_come_last() -> None:
    with raises(ValueError, "sampler", "'x'"):
        cli.main([*RUN.split(), "--sampler", "x", "--debug"])


def test_debug_shows_where_an_error_came_from() -> None:
    with raises(ValueError, "sampler", "'x'", "tpe"):
        cli.main(["--debug", *RUN.split(), "--sampler", "x"])


@pytest.mark.slow
def test_what_other_libraries_say_is_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"--log-file here.txt {RUN} --trials 1 --name s") == 0
    captured = capsys.readouterr()
    says(captured.out, "here.txt")
    assert OPTUNA not in captured.out + captured.err
    says(Path("here.txt").read_text(encoding="utf-8"), "trial 0", "attempt 1")


@pytest.mark.slow
def test_an_exported_configuration_is_tried_first_with_all_loops() -> None:
    export(n_learners=5, rho=0.125)
    assert call(f"{RUN} --trials 2 --name s --config best.yaml") == 0
    first, second = Study.open(Location.of(None), "s").records()
    assert first.config == {
        "algorithm": "topada",
        "loops": 3,
        "k": 3,
        "n_learners": 5,
        "rho": 0.125,
    }
    assert second.config != first.config


def test_a_configuration_outside_the_space_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    export(n_learners=50, rho=0.125)
    assert call(f"{RUN} --trials 2 --name s --config best.yaml") == 2
    says(capsys.readouterr().err, "space.yaml:4", "n_learners", 50)
    assert not Path("studies").exists()


def test_a_file_that_is_no_export_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("best.yaml").write_text("- 1\n- 2\n", encoding="utf-8")
    assert call("train --config best.yaml") == 2
    says(capsys.readouterr().err, "best.yaml", "topk-tune export")


def test_train_takes_an_exported_configuration_and_keeps_the_booster(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import booster

    export(n_learners=2, rho=0.25)
    assert call("train synthetic:rows=200,m=5 --config best.yaml --rho 0.125 --save b.npz") == 0
    says(capsys.readouterr().out, "rho 0.125")
    kept = booster.load("b.npz")
    assert kept.n_learners == 2
    assert kept.rounds == 2 * 140  # both loops over the training rows, and no test row


def test_a_dry_run_estimates_and_makes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{RUN} --trials 8 --name s --dry-run") == 0
    out = capsys.readouterr().out
    out = " ".join(out.split())
    assert out.count("algorithm topada") == 3
    says(out, "1 workers", "label frequency 0.", "start-up", "to")
    assert not Path("studies").exists()


@pytest.mark.slow
def test_a_dry_run_checks_the_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"-q {RUN} --trials 1 --name s") == 0
    assert call(f"{RUN} --trials 1 --name s --dry-run") == 2
    says(capsys.readouterr().err, "study 's'", "topk-tune resume s")
