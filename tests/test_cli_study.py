"""The commands about studies, from their arguments to what they print and leave behind."""

import errno
import json
import os
import resource
from pathlib import Path

import pytest
import yaml
from messages import says
from tuning import DATA, FakeBackend, study, train_in_this_process, tune

from topk_tune import cli
from topk_tune.commands import driving
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import FINISHED
from topk_tune.storage import Location
from topk_tune.study.study import Study
from topk_tune.training.metrics import WAYS

SPACE = """\
default:
  algorithm: topada
  loops: 3
  n_learners: {type: int, low: 1, high: 6}
  rho: {type: float, low: 0.05, high: 0.3}
"""
RUN = f"run --name s --dataset {DATA} --space space.yaml"


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a space; trials run in this process, one by one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)
    train_in_this_process(monkeypatch)
    monkeypatch.setattr(driving, "tracking", lambda wanted: None)
    Path("space.yaml").write_text(SPACE, encoding="utf-8")
    return tmp_path


def call(arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    assert isinstance(ended.value.code, int)
    return ended.value.code


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "space.yaml")


def test_from_a_run_to_an_export(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{RUN} --trials 4 --seeds 2 --pruner none") == 0
    out = capsys.readouterr().out
    says(out, "shown loss", "held-out", "random:0.25:0")
    assert sum(line.startswith("trial ") for line in out.splitlines()) == 4
    says(out, "stopped:", "4 trials", "topk-tune confirm s")

    assert call("resume s --trials +2") == 0
    says(capsys.readouterr().out, "stopped:", "6 trials")

    assert call("status") == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:1] == ["s"]
    assert call("status s") == 0
    out = capsys.readouterr().out
    says(out, "6 complete", "weighted rank loss", "label frequency 0.")

    assert call("confirm s --top 2 --seeds 3") == 0
    out = capsys.readouterr().out
    says(out, "ranked again", "held-out", "test rows", "3 fresh seeds")
    says(out, *WAYS.values())

    assert call("export s -o best.yaml") == 0
    best = yaml.safe_load(Path("best.yaml").read_text(encoding="utf-8"))
    assert best["config"]["algorithm"] == "topada"
    assert best["provenance"]["confirmed"] is True
    capsys.readouterr()
    assert call("export s --format json") == 0
    assert json.loads(capsys.readouterr().out) == best
    assert call("export s --format csv") == 0
    assert len(capsys.readouterr().out.splitlines()) == 7


@pytest.mark.slow
def test_what_to_beware_of_is_among_the_last_lines(capsys: pytest.CaptureFixture[str]) -> None:
    poor = SPACE.replace("low: 0.05, high: 0.3", "low: 0.7, high: 0.71")
    poor = poor.replace("low: 1, high: 6", "low: 2, high: 3")
    Path("space.yaml").write_text(poor, encoding="utf-8")
    assert call("run --name s --dataset yeast --space space.yaml --trials 2 --baselines") == 0
    out = capsys.readouterr().out
    says(out, "label frequency 0.", "ExtraTrees 0.", "logistic regression")
    last = out[out.index("stopped: ") :]
    notes = [line for line in last.splitlines() if line.startswith("note: ")]
    for fact in ("label frequency", "n_learners = "):
        assert sum(fact in note for note in notes) == 1, last


def test_status_says_so_if_there_is_nothing_to_compare_with(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = study(workplace / "studies")
    tune(made.store, StopOptions(trials=1))
    assert call("status s") == 0
    says(capsys.readouterr().out, "baselines", "topk-tune report s")


def test_another_objective_is_named_wherever_a_value_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(f"{RUN} --trials 2 --objective average_precision") == 0
    out = capsys.readouterr().out
    says(out, "the objective is the average precision", "trial 0 complete: average precision ")
    assert call("export s") == 0
    provenance = yaml.safe_load(capsys.readouterr().out)["provenance"]
    assert provenance["objective"] == "average_precision"
    assert provenance["tuning_average_precision"] > 0.3
    assert call("export s --format csv") == 0
    assert "average_precision" in capsys.readouterr().out.splitlines()[0].split(",")


def test_a_cost_of_exploration(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{RUN} --trials 2 --exploration-cost 0") == 0
    out = capsys.readouterr().out
    says(out, "greedy loss", "at most 0")
    assert "above the bound" in out  # nothing that explores is free


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ("--objective los", ["objective", "'los'", "shown_loss", "greedy_loss"]),
        ("--objective coverage --protocol paper", ["coverage", "protocol paper"]),
        ("--objective ties --exploration-cost 0.1", ["objective", "greedy_loss", "ties"]),
    ],
)
def test_objectives_that_cannot_be(
    options: str, facts: list[str], workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{RUN} --trials 1 {options}") != 0
    says(capsys.readouterr().err, *facts)
    assert left(workplace) == []


def test_the_papers_protocol_is_named_wherever_a_loss_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "(protocol paper)"
    assert call(f"{RUN} --trials 1 --protocol paper") == 0
    out = capsys.readouterr().out
    assert out.count(words) == 2  # before the trials, and with the best
    assert call("status s") == 0
    says(capsys.readouterr().out, "TEST rows", words)
    assert call("export s") == 0
    assert yaml.safe_load(capsys.readouterr().out)["provenance"]["protocol"] == "paper"


def test_what_is_reused_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("space.yaml").write_text("default: {algorithm: topada, loops: 2}\n", encoding="utf-8")
    assert call(f"{RUN} --trials 3 --sampler random") == 0
    assert capsys.readouterr().out.count("(reused)") >= 2


def test_resume_takes_the_limits_of_the_last_run(capsys: pytest.CaptureFixture[str]) -> None:
    call(f"{RUN} --trials 2")
    capsys.readouterr()
    assert call("resume s") == 0
    says(capsys.readouterr().out, "stopped:", "2 trials")


def finished() -> int:
    records = Study.open(Location.of(None), "s").records()
    return sum(record.state in FINISHED for record in records)


@pytest.mark.parametrize("limit", ["--patience 1", "--target 1"])
def test_more_trials_are_run_although_another_limit_was_reached(
    limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{RUN} --trials 30 {limit}") == 0
    ended = finished()
    assert ended < 30
    assert call("resume s --trials +2") == 0
    assert finished() == ended + 2
    capsys.readouterr()
    assert call(f"resume s --trials +2 {limit}") == 0  # given again, it holds
    says(capsys.readouterr().out, "stopped:")
    assert finished() < ended + 4


def test_a_space_is_widened_by_resume(workplace: Path) -> None:
    call(f"{RUN} --trials 2")
    Path("wide.yaml").write_text(SPACE.replace("high: 6", "high: 60"), encoding="utf-8")
    assert call("resume s --space wide.yaml --trials +2") == 0
    study = Study.open(Location.of(None), "s")
    assert study.space.largest("n_learners") == 60
    assert len(study.records()) == 4


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ("run --dataset yaest", ["data set", "'yaest'", "'yeast'"]),
        ("run --dataset synthetic:rows=x", ["synthetic", "rows", "'x'"]),
        ("run --algorithm topoda", ["algorithm", "'topoda'", "fullopt", "'topada'"]),
        ("run --sampler tpa", ["sampler", "'tpa'", "cmaes", "'tpe'"]),
        ("run --pruner mediann", ["pruner", "'mediann'", "hyperband", "'median'"]),
        ("run --protocol test", ["protocol", "'test'", "validation", "paper"]),
        ("run --space tabel5", ["search space", "'tabel5'", "table5"]),
        ("run --space missing.yaml", ["missing.yaml", os.strerror(errno.ENOENT)]),
        ("run --name a/b", ["study's name", "1 to 100", "'a/b'"]),
        ("run --trials 0", ["trials", "greater than 0", 0]),
        ("run --timeout soon", ["--timeout", "'soon'"]),
        ("run --seeds 0", ["seeds", "equal to 1"]),
        ("run --pruner wilcoxon", ["pruner wilcoxon", "seeds", 1]),
        ("run --runtime --pruner asha", ["pruner", "none", "asha"]),
        ("run --deterministic --pruner asha", ["deterministic", "median", "asha"]),
        ("run --holdout tail:2", ["tail:2"]),
        ("run --storage nosuch://x:secret@y/z", ["storage", "postgresql", "nosuch://..."]),
        ("resume nosuch", ["study", "'nosuch'"]),
        ("status nosuch", ["study", "'nosuch'"]),
        ("confirm nosuch", ["study", "'nosuch'"]),
        ("export nosuch", ["study", "'nosuch'"]),
        ("run --nosuch 1", ["--nosuch"]),
        ("run --resume", ["--resume", "--name"]),
    ],
)
def test_bad_input_gets_one_clear_message_and_leaves_nothing(
    workplace: Path, arguments: str, facts: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    says(captured.err, *facts)
    assert "Traceback" not in captured.err
    assert "secret" not in captured.err
    assert left(workplace) == []


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("rho: {type: float, low: 0.3, high: 0.05}", ["space.yaml:5", "low", "0.3", "0.05"]),
        ("rho: {type: float, low: 0.05, high: 1.5}", ["space.yaml:5", "rho", "1.5"]),
        ("rho: {type: flaot, low: 0.05, high: 0.3}", ["space.yaml:5", "flaot", "float"]),
        ("rha: {type: float, low: 0.05, high: 0.3}", ["space.yaml:5", "rha", "rho"]),
    ],
)
def test_a_wrong_space_is_reported_by_its_line(
    workplace: Path, line: str, facts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = SPACE.splitlines()
    Path("space.yaml").write_text("\n".join([*lines[:4], f"  {line}"]), encoding="utf-8")
    assert call(RUN) == 2
    says(capsys.readouterr().err, *facts)
    assert left(workplace) == []


def test_a_study_that_exists_is_not_made_again(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(f"{RUN} --trials 2")
    before = Path("studies/s/journal.log").read_bytes()
    Path("space.yaml").write_text(SPACE.replace("high: 6", "high: 9"), encoding="utf-8")
    assert call(f"{RUN} --trials 2") == 2
    says(capsys.readouterr().err, "study 's'", "topk-tune resume s")
    assert Path("studies/s/journal.log").read_bytes() == before


def test_the_same_run_makes_a_study_and_goes_on_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    again = f"{RUN} --trials 3 --resume"
    assert call(f"{again} --dry-run") == 0
    assert call(again) == 0
    says(capsys.readouterr().out, "stopped:", "3 trials")
    assert call(f"{RUN} --trials 5 --resume") == 0
    out = capsys.readouterr().out
    assert [line.split()[1] for line in out.splitlines() if line.startswith("trial ")] == ["3", "4"]
    assert call(f"{RUN} --trials 5 --resume") == 0
    assert "trial 5 " not in capsys.readouterr().out


def test_a_study_begins_like_another_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    call(f"{RUN} --trials 5 --pruner none")
    other = RUN.replace("--name s", "--name t")
    assert call(f"{other} --trials 2 --like s") == 0
    says(capsys.readouterr().out, "starting with", "2 configurations", "study s")
    location = Location.of()
    known = [record.config for record in Study.open(location, "s").records()]
    begun = Study.open(location, "t")
    assert [record.config for record in begun.records()] == list(begun.settings.first)
    assert all(config in known for config in begun.settings.first)
    assert call(f"{other} --trials 3 --like s --resume") == 0
    assert call("run --like nothing --name u") == 2
    says(capsys.readouterr().err, "nothing", "emotions", "s, t")


@pytest.mark.parametrize("more", ["", " --dry-run"])
def test_a_run_goes_on_with_no_study_of_other_settings(
    more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call(f"{RUN} --trials 2")
    before = Path("studies/s/journal.log").read_bytes()
    Path("space.yaml").write_text(SPACE.replace("high: 6", "high: 9"), encoding="utf-8")
    assert call(f"{RUN} --trials 4 --seed 7 --resume{more}") == 2
    says(capsys.readouterr().err, "study 's'", "space", "seed")
    assert Path("studies/s/journal.log").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ("--space narrow.yaml", ["narrow.yaml:5", "type"]),
        ("--space wide.yaml --trials many", ["--trials", "+50", "'many'"]),
    ],
)
def test_a_resume_that_is_refused_changes_nothing(
    options: str, facts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call(f"{RUN} --trials 2")
    before = Path("studies/s/journal.log").read_bytes()
    Path("wide.yaml").write_text(SPACE.replace("high: 6", "high: 60"), encoding="utf-8")
    changed = SPACE.replace("{type: float, low: 0.05, high: 0.3}", "{type: choice, options: [0.1]}")
    Path("narrow.yaml").write_text(changed, encoding="utf-8")
    assert call(f"resume s {options}") == 2
    says(capsys.readouterr().err, *facts)
    assert Path("studies/s/journal.log").read_bytes() == before


def test_ctrl_c_before_the_first_trial(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: FakeBackend, rows: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FakeBackend, "start", interrupt)
    assert call(RUN) == 130
    assert "topk-tune resume s" in capsys.readouterr().out


def test_a_full_disk(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        code = call(RUN)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 1
    says(capsys.readouterr().err, os.strerror(errno.EFBIG))
    assert not Path("studies/s").exists()


def test_a_folder_that_cannot_be_written(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = workplace / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write everywhere")
    assert call(f"{RUN} --storage closed/studies") == 1
    says(capsys.readouterr().err, os.strerror(errno.EACCES), "closed/studies")


def test_a_file_where_the_folder_should_be(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken").touch()
    assert call(f"{RUN} --storage taken") == 1
    says(capsys.readouterr().err, "taken")


def test_a_database_that_is_not_there(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{RUN} --storage sqlite:///{workplace}/nosuch/studies.db") == 1
    says(capsys.readouterr().err, "sqlite:///")
    assert left(workplace) == []
