"""What a newcomer types, as they type it: every rule here was once a dead end.

Nothing of the package is imported, so that the file also runs against older versions:
`PYTHONPATH=OLDER pytest --noconftest tests/test_front_door.py`.
"""

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml
from messages import says
from mlflow import MlflowClient
from mlflow.entities import Run

pytestmark = pytest.mark.slow

SEARCHED = ["n_learners", "rho", "n_covariates", "weight_cap", "step_scale", "tie_threshold"]
SPACE = """\
default:
  algorithm: topada
  loops: 2
  max_nodes: 117
  n_learners: {type: int, low: 1, high: 6}
  rho: {type: float, low: 0.05, high: 0.3}
  n_covariates: {type: int, low: 1, high: 4}
  weight_cap: {type: float, low: 10, high: 100}
  step_scale: {type: float, low: 0.1, high: 1}
  tie_threshold: {type: float, low: 0.001, high: 0.3}
"""
SEARCH = "--space space.yaml --trials 2 --backend local --workers 1"


@dataclass(frozen=True)
class Answer:
    code: int
    text: str
    """What was written to a pipe, both streams."""


def call(folder: Path, command: str, **environment: str) -> Answer:
    """Call `topk-tune` in a folder, on 80 columns."""
    main = "from topk_tune.cli import main; main()"
    return python(folder, main, *command.split(), **environment)


def python(folder: Path, code: str, *arguments: str, **environment: str) -> Answer:
    ours = ("MLFLOW_", "TOPK_TUNE_", "RAY_")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**inherited, "COLUMNS": "80", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Answer(done.returncode, done.stdout)


def write(
    file: Path, labels: int, separator: str = ",", prefix: str = "label_", spoken: bool = False
) -> None:
    """Write a table of numbers and labels; a spoken one has an index, and labels in words."""
    X = np.random.default_rng(0).normal(size=(60, 4)).round(3)
    rows: list[list[object]] = [
        [*(f"x{i}" for i in range(4)), *(f"{prefix}{i}" for i in range(labels))]
    ]
    for row in X:
        relevant = row[:labels] > 0
        rows.append([*row, *(relevant if spoken else relevant.astype(int))])
    if spoken:
        rows = [["", *rows[0]], *([i, *row] for i, row in enumerate(rows[1:]))]
    lines = [separator.join(map(str, row)) for row in rows]
    file.write_text("\n".join(lines), encoding="utf-8")


def fill(folder: Path) -> Path:
    (folder / "space.yaml").write_text(SPACE, encoding="utf-8")
    write(folder / "mine.csv", 4)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return fill(tmp_path)


@dataclass(frozen=True)
class Made:
    folder: Path
    run: Answer
    confirm: Answer


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A study of a user's own file, tracked and confirmed."""
    folder = fill(tmp_path_factory.mktemp("made"))
    run = call(folder, f"run --name s --dataset mine.csv {SEARCH}")
    assert run.code == 0, run.text
    confirm = call(folder, "confirm s --top 1 --seeds 3 --backend local --workers 1")
    assert confirm.code == 0, confirm.text
    return Made(folder, run, confirm)


@pytest.fixture(scope="module")
def untracked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study of a file whose label columns have names of their own."""
    folder = fill(tmp_path_factory.mktemp("untracked"))
    write(folder / "topics.csv", 3, prefix="topic_")
    run = call(folder, f"run --name s --dataset topics.csv --labels topic_ {SEARCH} --no-track")
    assert run.code == 0, run.text
    return folder


def test_an_export_has_all_that_training_needs(untracked: Path) -> None:
    assert call(untracked, "export s -o best.yaml").code == 0
    trained = call(untracked, "train --config best.yaml --save ranker.npz")
    assert trained.code == 0, trained.text
    again = call(untracked, "train topics.csv --labels topic_ --config best.yaml --loops 1")
    assert again.code == 0, again.text
    labels = "import booster; print(booster.load('ranker.npz').n_labels)"
    assert python(untracked, labels).text.split()[-1] == "3"


@pytest.mark.parametrize("kind", ["md", "latex"])
def test_tables_have_all_searched_parameters(untracked: Path, kind: str) -> None:
    lines = call(untracked, f"export s --format {kind}").text.replace("\\", "").splitlines()
    table = "\n".join(line for line in lines if not line.startswith(("%", "<!--")))
    says(table, "n_covariates", "weight_cap", "step_scale")


def test_a_study_goes_on_from_another_folder_and_where_its_file_lies_now(
    untracked: Path, tmp_path: Path
) -> None:
    how = f"--storage {untracked / 'studies'} --backend local --workers 1 --no-track --trials +1"
    write(tmp_path / "not-it.csv", 4, prefix="topic_")
    refused = call(tmp_path, f"resume s {how} --dataset not-it.csv")
    says(refused.text, "not-it.csv", "fingerprint")
    resumed = call(tmp_path, f"resume s {how}")
    assert resumed.code == 0, resumed.text
    (untracked / "topics.csv").rename(tmp_path / "moved.csv")
    resumed = call(tmp_path, f"resume s {how} --dataset moved.csv")
    assert resumed.code == 0, resumed.text


def test_arrays_can_be_tuned_and_a_mistyped_option_is_named(place: Path) -> None:
    tuned = python(
        place,
        "import sys, numpy as np; from topk_tune import tune\n"
        "X = np.random.default_rng(0).normal(size=(60, 4))\n"
        "options = {'trials': 1, 'backend': 'local', 'workers': 1, 'track': False}\n"
        "study = tune((X, X[:, :3] > 0), space='space.yaml', **options)\n"
        "print('states', [record.state for record in study.records()])\n"
        "try: tune('mine.csv', trial=1)\n"
        "except Exception as error: print(type(error).__name__, error)\n",
    )
    says(tuned.text, "states ['complete']", "trial", "trials")
    assert "pydantic" not in tuned.text


def test_two_labels_are_enough_and_k_is_an_option(place: Path) -> None:
    write(place / "two.csv", 2)
    of_two = call(place, f"run --name two --dataset two.csv {SEARCH} --no-track --dry-run")
    assert of_two.code == 0, of_two.text
    for_one = call(place, f"run --name one --k 2 --dataset mine.csv {SEARCH} --no-track")
    assert for_one.code == 0, for_one.text
    exported = yaml.safe_load(call(place, "export one").text)
    assert exported["data"]["k"] == 2


def test_data_check_fits_a_screen_and_refuses_what_cannot_be_ranked(place: Path) -> None:
    rows = [
        [i % 7, *(int(j < 900 and (7 * i + j) % 50 == 0) for j in range(983))] for i in range(40)
    ]
    lines = [["x", *(f"label_{j}" for j in range(983))], *rows]
    text = "\n".join(",".join(map(str, line)) for line in lines)
    (place / "wide.csv").write_text(text, encoding="utf-8")
    checked = call(place, "data check wide.csv")
    assert checked.code == 0
    assert len(checked.text.splitlines()) <= 24
    assert max(map(len, checked.text.splitlines())) <= 80
    never = 983 - len({j for row in rows[:28] for j in range(983) if row[1 + j]})
    says(checked.text, never, "duplicates", "baseline")
    write(place / "one.csv", 1)
    refused = call(place, "data check one.csv")
    assert refused.code != 0
    says(refused.text, "one.csv", 2, "label_0")


def test_eighty_columns_hold_every_searched_parameter_and_no_fixed_one_twice(made: Made) -> None:
    for answer in (made.run, made.confirm, call(made.folder, "status s")):
        says(answer.text, *SEARCHED)
        assert answer.text.count("max_nodes") <= 1
        assert [line for line in answer.text.splitlines() if len(line) > 80 and " " in line] == []


def test_every_wait_in_a_pipe_has_a_name(made: Made) -> None:
    before_the_first_trial = made.run.text.split("trial 0")[0]
    says(before_the_first_trial, "workers")
    says(made.confirm.text, "1 of 3")


def test_a_busy_port_is_one_sentence_with_a_free_one(place: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        refused = call(place, f"ui --port {port}")
    assert refused.code != 0
    says(refused.text, port, "--port")
    assert len(refused.text.splitlines()) <= 3


@pytest.fixture(scope="module")
def in_mlflow(made: Made) -> tuple[MlflowClient, Run, list[Run]]:
    """What MLflow has of the study: the runs of it and of its trials."""
    assert call(made.folder, "sync s").code == 0
    client = MlflowClient(f"sqlite:///{made.folder / 'mlflow.db'}")
    (experiment,) = client.search_experiments(filter_string="name LIKE 'topk-tune/%'")
    runs = client.search_runs([experiment.experiment_id])
    (parent,) = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    return client, parent, [run for run in runs if run is not parent]


def test_the_kept_model_is_of_the_middle_seed_and_can_be_served(
    made: Made, in_mlflow: tuple[MlflowClient, Run, list[Run]]
) -> None:
    says(made.confirm.text, "topk-tune serve")
    client, _, children = in_mlflow
    (confirmed,) = [run for run in children if "confirmed" in run.data.tags]
    by_seed = client.get_metric_history(confirmed.info.run_id, "confirmed_shown_loss_by_seed")
    losses = [metric.value for metric in sorted(by_seed, key=lambda metric: metric.step)]
    seeds = confirmed.data.tags["confirmed_seeds"].split(",")
    closest = np.argmin(np.abs(losses - np.median(losses)))
    assert confirmed.data.tags["model_seed"] == seeds[closest]


def test_mlflow_opens_with_losses_and_says_which_trial_is_best(
    in_mlflow: tuple[MlflowClient, Run, list[Run]],
) -> None:
    client, parent, _ = in_mlflow
    experiment = client.get_experiment(parent.info.experiment_id)
    (view,) = [v for k, v in experiment.tags.items() if k.startswith("mlflow.sharedViewState.")]
    says(view, "shown_loss", *SEARCHED)
    assert parent.data.tags["best_trial"] in ("0", "1")
    says(parent.data.tags["mlflow.note.content"].replace("\\", ""), *SEARCHED)
    assert "confirmed_shown_loss" in parent.data.metrics


def test_all_mistakes_are_said_before_any_work(place: Path) -> None:
    refused = call(place, "train mine.csv --algorithm topada --loops 100000 --save none/x.npz")
    assert refused.code != 0
    says(refused.text, "none")
    mistakes = SPACE.replace("high: 6", "high: 0").replace("weight_cap", "weigth_cap")
    (place / "space.yaml").write_text(mistakes.replace("loops: 2", "loops: none"), encoding="utf-8")
    said = call(place, f"run --dataset mine.csv {SEARCH}")
    assert said.code != 0
    says(said.text, "n_learners", "weigth_cap", "loops")


def test_quiet_runs_other_separators_and_labels_in_words(place: Path) -> None:
    write(place / "spoken.csv", 3, ";", spoken=True)
    quiet = call(place, f"run -q --name s --dataset spoken.csv {SEARCH} --no-track")
    assert (quiet.code, quiet.text) == (0, "")
    write(place / "tabs.tsv", 3, "\t")
    assert call(place, "data check tabs.tsv").code == 0


@pytest.mark.parametrize(("option", "expected"), [("--sampler", "tpe"), ("--dataset", "yeast")])
def test_names_complete(place: Path, option: str, expected: str) -> None:
    words = {"_TOPK_TUNE_COMPLETE": "complete_bash", "COMP_WORDS": f"topk-tune run {option} "}
    main = "import sys; sys.argv[0] = 'topk-tune'; from topk_tune.cli import main; main()"
    assert expected in python(place, main, **words, COMP_CWORD="3").text.split()
