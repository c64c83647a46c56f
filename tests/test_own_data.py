"""A user's own file: from a run to a booster, from other folders, and after the file has moved."""

import gc
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from messages import raises, says
from tuning import train_in_this_process

import booster
from topk_tune import cli
from topk_tune.commands import driving
from topk_tune.commands import train as training
from topk_tune.data import load
from topk_tune.spaces import Choice, Fixed, Int, Space, parse_space
from topk_tune.storage import Location
from topk_tune.study.config_file import read_export
from topk_tune.study.feedback import feedback_of, with_feedback
from topk_tune.study.study import Study

SPACE = """\
default:
  algorithm: topada
  loops: 2
  n_learners: {type: int, low: 1, high: 6}
  rho: {type: float, low: 0.05, high: 0.3}
"""
RUN = "run --name s --space space.yaml --trials 2"
OWN = f"{RUN} --dataset data/mine.csv --labels topic_ --split random:0.25:3"


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a space and a file with labels; trials run in this process, one by one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPK_TUNE_STORAGE", str(tmp_path / "studies"))
    train_in_this_process(monkeypatch)
    monkeypatch.setattr(driving, "tracking", lambda wanted: None)
    Path("space.yaml").write_text(SPACE, encoding="utf-8")
    Path("data").mkdir()
    write(Path("data/mine.csv"), 3)
    return tmp_path


def write(path: Path, n_labels: int, seed: int = 0) -> None:
    X = np.random.default_rng(seed).normal(size=(60, 4)).round(3)
    names = [*(f"x{i}" for i in range(4)), *(f"topic_{i}" for i in range(n_labels))]
    rows = [[*row, *(int(value > 0) for value in row[:n_labels])] for row in X]
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]), "utf-8")


def call(arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    code = int(ended.value.code or 0)
    del ended
    if code:
        gc.collect()  # as a process that ends gives back its lock
    return code


def opened() -> Study:
    return Study.open(Location.of(), "s")


def elsewhere(monkeypatch: pytest.MonkeyPatch, name: str = "elsewhere") -> None:
    Path(name).mkdir()
    monkeypatch.chdir(name)


# The data of an export


def test_an_export_is_all_that_training_needs(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{OWN} --k 2") == 0
    assert call("export s -o best.yaml") == 0
    assert read_export(Path("best.yaml")).data == {
        "dataset": str(workplace / "data" / "mine.csv"),
        "labels": "topic_",
        "split": "random:0.25:3",
        "k": 2,
        "fingerprint": opened().settings.fingerprint,
    }
    elsewhere(monkeypatch)
    capsys.readouterr()
    assert call("train --config ../best.yaml --save b.npz") == 0
    assert "note:" not in capsys.readouterr().out
    kept = booster.load("b.npz")
    assert (kept.n_labels, kept.k, kept.rounds % 45) == (3, 2, 0)


@pytest.fixture
def exported(workplace: Path) -> Path:
    """An export of a study on the file, for two labels and a random split."""
    place = workplace / "data" / "mine.csv"
    rows = load(str(place), labels="topic_", split="random:0.25:3")
    data = {"dataset": str(place), "labels": "topic_", "split": "random:0.25:3"}
    config = {"algorithm": "topada", "loops": 1, "n_learners": 1, "k": 2}
    path = workplace / "best.yaml"
    content = {"config": config, "data": {**data, "fingerprint": rows.fingerprint}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def trained(arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[booster.Booster, str]:
    capsys.readouterr()
    assert call(f"train {arguments} --save b.npz") == 0
    return booster.load("b.npz"), capsys.readouterr().out


def test_options_have_priority_over_an_export(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, out = trained("--config best.yaml", capsys)
    assert (made.n_labels, made.k, made.rounds) == (3, 2, 45)
    assert "note:" not in out
    made, out = trained("--config best.yaml --labels 2 --split tail:0.5 --k 2", capsys)
    assert (made.n_labels, made.rounds) == (2, 30)
    says(out, "note:", "fingerprint")
    made, out = trained("--config best.yaml --k 3", capsys)
    assert (made.k, made.n_labels) == (3, 3)
    write(Path("other.csv"), 3, seed=1)
    made, out = trained("other.csv --config best.yaml", capsys)
    assert made.rounds == 45  # split alike
    says(out, "note:", "fingerprint")
    made, _ = trained("synthetic:rows=40,m=4 --config best.yaml", capsys)  # defines its labels
    assert made.n_labels == 4


def test_data_of_an_export_that_has_moved(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data").rename("moved")
    assert call("train --config best.yaml") == 1
    says(capsys.readouterr().err, "best.yaml", "mine.csv", "topk-tune train PATH")
    _, out = trained("moved/mine.csv --config best.yaml", capsys)
    assert "note:" not in out


def test_exports_of_earlier_versions_are_read(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = """\
config: {algorithm: topada, loops: 1, n_learners: 1}
provenance: {study: s, dataset: 'synthetic:rows=40,m=4', fingerprint: 0123456789abcdef}
"""
    Path("old.yaml").write_text(old, encoding="utf-8")
    made, out = trained("--config old.yaml", capsys)
    assert made.n_labels == 4
    says(out, "note:", "0123456789ab")
    Path("bare.yaml").write_text(old.partition("provenance")[0], encoding="utf-8")
    assert read_export(Path("bare.yaml")).data == {}


@pytest.mark.parametrize("data", ["3", "{labels: [a]}", "{dataset: 3}"])
def test_data_that_is_no_data_is_refused(data: str) -> None:
    text = f"config: {{algorithm: topada, loops: 1}}\ndata: {data}\n"
    Path("bad.yaml").write_text(text, encoding="utf-8")
    with raises(ValueError, "bad.yaml", "`data`"):
        read_export(Path("bad.yaml"))


def test_own_data_needs_a_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("train data/mine.csv --labels topic_") == 2
    says(capsys.readouterr().err, "--config", "topk-tune export")


# The number of labels with feedback


def test_two_labels_have_a_smaller_k(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("two.csv"), 2)
    assert call(f"{RUN} --dataset two.csv --labels topic_") == 0
    assert opened().settings.k == 2
    assert {record.config["k"] for record in opened().records()} == {2}


def test_k_is_stored_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{OWN} --k 2") == 0
    assert opened().settings.k == 2
    assert call("resume s --trials +1 --space topada") == 0
    assert {record.config["k"] for record in opened().records()} == {2}
    Path("three.yaml").write_text(f"{SPACE}  k: 3\n", encoding="utf-8")
    assert call("resume s --trials +1 --space three.yaml") == 2
    says(capsys.readouterr().err, "three.yaml:6", "k", 2, 3)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ("--k 4", ["k", 2, 3, "got 4"]),
        ("--k 1", ["k", 2, 3, "got 1"]),
        ("--labels topic_1", ["2 labels", "mine.csv"]),
    ],
)
def test_a_wrong_k_is_refused(
    options: str, facts: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{RUN} --dataset data/mine.csv --labels topic_ {options}") == 2
    says(capsys.readouterr().err, *facts)
    assert not Path("studies").exists()


def fitted(n_labels: int, wanted: int | None = None, /, shipped: bool = False, **own: Any) -> Space:
    made = Space({"algorithm": Fixed("topada"), "loops": Fixed(1), **own})
    return with_feedback(made, wanted, n_labels, shipped=shipped)


def test_which_k_a_space_gets() -> None:
    assert feedback_of(fitted(14)) == feedback_of(fitted(14, k=Fixed(3))) == 3
    assert "k" not in fitted(14).parameters  # spaces of studies made before are the same
    assert feedback_of(fitted(2)) == feedback_of(fitted(2, shipped=True, k=Fixed(3))) == 2
    assert feedback_of(fitted(2, k=Fixed(3))) == 3  # of the user, who is told
    assert feedback_of(fitted(14, 5)) == feedback_of(fitted(14, 5, k=Int(2, 9))) == 5
    assert feedback_of(fitted(14, k=Int(2, 9))) is None
    mixed = fitted(2, algorithm=Choice(["topada", "fullada"]))
    assert mixed.parameters["k"] == Fixed(2, when={"algorithm": ["topada"]})
    full = fitted(2, algorithm=Fixed("fullada"))
    assert (feedback_of(full), "k" in full.parameters) == (None, False)
    with raises(ValueError, "k", "fullada", "all labels", 2):
        fitted(14, 2, algorithm=Fixed("fullada"))


@pytest.mark.parametrize(
    ("n_labels", "k", "single"), [(4, None, True), (3, None, False), (9, 2, False)]
)
def test_shipped_spaces_leave_out_schemes_that_do_not_suit(
    n_labels: int, k: int | None, single: bool
) -> None:
    schemes = Choice(["uniform", "single-swap"])
    made = fitted(n_labels, k, shipped=True, k=Fixed(3), exploration=schemes)
    made.check(4, n_labels)
    assert made.parameters["exploration"] == (schemes if single else Fixed("uniform"))
    assert fitted(n_labels, k, exploration=schemes).parameters["exploration"] == schemes


# Where data is


def test_a_study_finds_its_data_from_any_folder(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(OWN) == 0
    elsewhere(monkeypatch)
    assert call("resume s --trials +1") == 0
    assert len(opened().records()) == 3


def test_data_that_has_moved(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(OWN) == 0
    Path("data").rename("moved")
    capsys.readouterr()
    assert call("resume s --trials +1") == 1
    says(capsys.readouterr().err, "'s'", str(workplace / "data" / "mine.csv"), "--dataset PATH")
    write(Path("moved/other.csv"), 3, seed=1)
    assert call("resume s --trials +1 --dataset moved/other.csv") == 2
    says(capsys.readouterr().err, "'s'", "fingerprint", opened().settings.fingerprint[:12])
    assert opened().settings.dataset == str(workplace / "data" / "mine.csv")
    assert call("report s --dataset moved/other.csv") == 2
    assert call("report s --dataset moved/mine.csv") == 0
    assert call("confirm s --top 1 --seeds 2 --dataset moved/mine.csv") == 0
    assert opened().settings.dataset == str(workplace / "moved" / "mine.csv")
    assert call("resume s --trials +1") == 0
    assert call(f"{OWN} --resume --trials 4".replace("data/", "moved/")) == 0


def test_a_relative_path_of_an_earlier_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(OWN) == 0
    made = opened()
    old = made.settings.model_copy(update={"dataset": "data/mine.csv"})
    made.store.replace_settings(old)
    assert call("resume s --trials +1") == 0
    assert call(f"{OWN} --resume --trials 4") == 0
    assert opened().settings.dataset == "data/mine.csv"
    elsewhere(monkeypatch)
    assert call("resume s --trials +1") == 1
    assert call("resume s --trials +1 --dataset ../data/mine.csv") == 0
    assert os.path.isabs(opened().settings.dataset)


def test_a_study_without_k_is_reopened(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(OWN) == 0
    made = opened()
    old = made.settings.model_dump(mode="json", exclude={"k"})
    made.store.replace_settings(type(made.settings).model_validate(old))
    journal = Path("studies/s/journal.log")
    journal.write_text(journal.read_text("utf-8").replace(r"\"k\": null, ", ""), "utf-8")
    assert "k" not in opened().settings.model_fields_set
    assert call(f"{OWN} --resume --trials 3") == 0


BLOCKS = """\
default: {algorithm: topada, loops: 1}
datasets:
  mine.csv: {loops: 2}
  data/mine.csv: {loops: 3}
  ../own/mine.csv: {loops: 4}
  scene: {loops: 5}
"""


@pytest.mark.parametrize(
    ("dataset", "loops"),
    [
        ("/a/mine.csv", 2),
        ("/a/data/mine.csv", 3),
        ("/own/mine.csv", 4),
        ("/a/scene", 1),  # a folder of that name may have other data
        ("scene", 5),
        ("/a/yours.csv", 1),
    ],
)
def test_the_block_of_a_file_is_found_by_the_end_of_its_path(dataset: str, loops: int) -> None:
    assert parse_space(BLOCKS, "mine.yaml", dataset).parameters["loops"] == Fixed(loops)


# Checks before work


@pytest.mark.parametrize(
    ("place", "facts"), [("no/x.npz", ["no", "exist"]), ("data", ["data", "folder"])]
)
def test_where_to_save_is_checked_before_training(
    exported: Path,
    place: str,
    facts: list[object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(training, "load", lambda *_, **__: pytest.fail("it has begun to work"))
    assert call(f"train --config best.yaml --save {place}") == 2
    says(capsys.readouterr().err, "--save", *facts)


@pytest.mark.parametrize("command", ["export s -o no/x.yaml", "report s -o space.yaml/x.html"])
def test_where_to_write_is_checked_first(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(command) == 2  # before it is said that there is no such study
    says(capsys.readouterr().err, "--output", "folder")


def test_a_space_that_no_data_suits_is_refused_before_data_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("space.yaml").write_text(f"{SPACE}  gama: 1\n", encoding="utf-8")
    assert call(f"{RUN} --dataset nowhere.csv") == 2
    says(capsys.readouterr().err, "space.yaml:6", "gama")
