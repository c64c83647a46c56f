"""The files that travel with a job: what is packed, where it lies on the head, what is refused."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from clusters import SPACE
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says
from tuning import states

from topk_tune.cluster import parcel

CSV = "a,b,y1,y2\n1,2,0,1\n"
ARFF = "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,0\n"
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="y"/></labels>'


class Sender:
    """A folder of a computer, jobs that it sends, and the head that gets them."""

    def __init__(self, folder: Path) -> None:
        self.here = folder / "here"
        self.head = folder / "head"
        self.here.mkdir()
        self._sent = folder / "sent"

    def write(self, name: str, text: str) -> Path:
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def sent(self, *arguments: str) -> list[str]:
        """Pack a command and unpack it on the head; returns what it is there."""
        shutil.rmtree(self._sent, ignore_errors=True)
        self._sent.mkdir()
        packed = parcel.pack(arguments, self._sent)
        parcel.unpack(self._sent, self.head)
        return packed

    def on_head(self) -> set[str]:
        """The files on the head."""
        files = (path for path in self.head.rglob("*") if path.is_file())
        return {str(path.relative_to(self.head)) for path in files}


@pytest.fixture
def sender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sender:
    made = Sender(tmp_path)
    monkeypatch.chdir(made.here)
    return made


@pytest.mark.parametrize("option", ["--dataset", "--space", "--config"])
@pytest.mark.parametrize("spelled", ["{} {}", "{}={}"])
@pytest.mark.parametrize("where", ["", "below/", "../here/", "/"])
def test_a_file_that_is_named_is_there(
    sender: Sender, option: str, spelled: str, where: str
) -> None:
    file = sender.write("below/x.csv" if where == "below/" else "x.csv", CSV)
    named = str(file) if where == "/" else f"{where}x.csv"
    if option == "--space":
        named = named.replace(".csv", ".yaml")
        file.rename(file.with_suffix(".yaml"))
    words = spelled.format(option, named).split()
    *before, last = sender.sent("run", *words, "--trials", "3")[1:-2]
    if before:
        assert before == [option]
    else:
        assert last.startswith(f"{option}=")
        last = last.partition("=")[2]
    assert not os.path.isabs(last)
    assert Path(last).name == Path(named).name
    assert (sender.head / last).read_text() == CSV
    assert sender.on_head() == {last}


def test_a_configuration_and_a_space_need_no_suffix(sender: Sender) -> None:
    sender.write("best", "config: {}")
    sender.write("mine", SPACE)
    _, _, config, _, space = sender.sent("run", "--config", "best", "--space", "mine")
    assert (sender.head / config).read_text() == "config: {}"
    assert (sender.head / space).read_text() == SPACE


def test_several_configurations_travel(sender: Sender) -> None:
    names = [sender.write(f"{n}.yaml", f"config: {n}").name for n in (1, 2)]
    packed = sender.sent("run", "--config", names[0], "--config", names[1])
    assert [(sender.head / place).read_text() for place in packed[2::2]] == [
        "config: 1",
        "config: 2",
    ]


def test_the_labels_of_an_arff_file_travel_beside_it(sender: Sender) -> None:
    sender.write("r.arff", ARFF)
    sender.write("r.xml", XML)
    sender.write("notes.txt", "private")
    place = sender.sent("run", "--dataset", "r.arff")[2]
    assert sender.on_head() == {place, str(Path(place).with_suffix(".xml"))}


def test_a_folder_travels_with_what_belongs_to_a_data_set(sender: Sender) -> None:
    for name in ("r-train.arff", "r-test.arff"):
        sender.write(f"mine/{name}", ARFF)
    sender.write("mine/r.xml", XML)
    sender.write("mine/notes.txt", "private")
    place = sender.sent("run", "--dataset", "mine")[2]
    assert Path(place).name == "mine"
    assert sender.on_head() == {f"{place}/{n}" for n in ("r-train.arff", "r-test.arff", "r.xml")}


def test_the_folder_one_is_in_has_a_name(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    sender.write("mine/x.csv", CSV)
    monkeypatch.chdir(sender.here / "mine")
    place = sender.sent("run", "--dataset", "./")[2]
    assert sender.on_head() == {f"{place}/x.csv"}
    assert Path(place).name == "mine"


def test_a_link_is_sent_as_what_it_leads_to(sender: Sender) -> None:
    sender.write("x.csv", CSV)
    (sender.here / "link.csv").symlink_to("x.csv")
    place = sender.sent("run", "--dataset", "link.csv")[2]
    assert (sender.head / place).read_text() == CSV


def test_a_folder_without_a_data_set_is_refused_here(sender: Sender) -> None:
    (sender.here / "empty").mkdir()
    with raises(ValueError, "empty", "NAME-train"):
        sender.sent("run", "--dataset", "empty")


@pytest.mark.parametrize(
    "words",
    [
        ("--dataset", "yeast"),
        ("--dataset", "openml:40597"),
        ("--dataset=synthetic:rows=80,dim=4,m=4",),
        ("--space", "topada"),
        ("--dataset", "/data/of/the/head.csv"),
        ("--space", "/data/of/the/head.yaml"),
        ("--name", "x.csv"),
        ("--storage", "x.csv"),
    ],
)
def test_other_words_stay(sender: Sender, words: tuple[str, ...]) -> None:
    """Also if there is a folder here that is called as a data set of the paper is."""
    sender.write("x.csv", CSV)
    sender.write("yeast/x.csv", CSV)
    assert sender.sent("run", *words) == ["run", *words]
    assert sender.on_head() == set()


@pytest.mark.parametrize("option", ["--dataset", "--space", "--config"])
@pytest.mark.parametrize("named", ["gone.yaml", "below/gone", "../gone.yaml"])
def test_a_file_that_is_missing_is_said_before_anything_is_sent(
    sender: Sender, option: str, named: str
) -> None:
    sender.write("mlflow.yaml", "")
    for words in ([option, named], [f"{option}={named}"]):
        with raises(FileNotFoundError, option, str(named)):
            sender.sent("run", *words)
    assert sender.on_head() == set()


def test_files_that_are_too_large_are_refused_before_they_are_copied(
    sender: Sender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcel, "_LARGEST", 2_000_000)
    half = "x" * 1_100_000
    sender.write("a.csv", half)
    sender.write("b.yaml", half)
    sender.sent("run", "--dataset", "a.csv", "--space", "topada")
    before = sender.on_head()
    with raises(ValueError, "at most 2 MB", "head"):
        sender.sent("run", "--dataset", "a.csv", "--config", "b.yaml")
    assert sender.on_head() == before
    assert list((tmp_path / "sent").iterdir()) == []


def test_the_tracking_is_that_of_the_last_sender(sender: Sender) -> None:
    sender.write("mlflow.yaml", "experiment: one")
    sender.sent("resume", "demo")
    assert (sender.head / "mlflow.yaml").read_text() == "experiment: one"
    sender.write("mlflow.yaml", "experiment: two")
    sender.sent("resume", "demo")
    assert (sender.head / "mlflow.yaml").read_text() == "experiment: two"
    (sender.here / "mlflow.yaml").unlink()
    sender.sent("resume", "demo")
    assert sender.on_head() == {"mlflow.yaml"}


@pytest.mark.slow
@given(texts=st.lists(st.text(alphabet="ab\n", max_size=4), min_size=2, max_size=4))
def test_a_place_tells_the_content(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One place for the same content and name; another for other content, which stays as it was."""
    sender = Sender(tmp_path_factory.mktemp("sender"))
    file = sender.here / "x.csv"
    places: dict[str, str] = {}
    for text in [*texts, *texts]:
        file.write_text(text)
        place = sender.sent("run", "--dataset", str(file))[2]
        assert places.setdefault(text, place) == place
    assert len(set(places.values())) == len(places)
    assert {text: (sender.head / place).read_text() for text, place in places.items()} == {
        text: text for text in places
    }


def test_data_sets_of_other_names_are_kept_apart(sender: Sender) -> None:
    """A folder with the parts of both would be one of no data set."""
    for name in "ab":
        sender.write(f"{name}/mine/{name}.csv", CSV)
    places = {name: sender.sent("run", "--dataset", f"{name}/mine")[2] for name in "ab"}
    assert sender.on_head() == {f"{place}/{name}.csv" for name, place in places.items()}
    assert len(set(places.values())) == 2


@pytest.mark.slow
def test_a_second_job_finds_the_data_set_of_the_first(sender: Sender, tmp_path: Path) -> None:
    """Both as the head runs them, from folders of their own."""
    random = np.random.default_rng(0)
    rows = np.hstack([random.random((80, 3)), random.random((80, 3)) < 0.4])
    np.savetxt(sender.here / "x.csv", rows, "%.3f", ",", header="a,b,c,x,y,z", comments="")
    sender.write("space.yaml", SPACE)

    def job(*arguments: str) -> str:
        folder = tmp_path / f"job-{arguments[0]}"
        folder.mkdir()
        packed = parcel.pack([*arguments, "--no-track", "--backend", "local"], folder)
        done = subprocess.run(
            [sys.executable, "-m", "topk_tune.cluster", "command", *packed],
            cwd=folder,
            env={**os.environ, "TOPK_TUNE_CLUSTER_HOME": str(sender.head)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    data = ("--dataset", "x.csv", "--labels", "x,y,z", "--space", "space.yaml")
    one = ("--trials", "2", "--workers", "1", "--pruner", "none")
    job("run", "--name", "s", *data, *one)
    (sender.here / "x.csv").unlink()
    says(job("resume", "s", "--trials", "3"), "stopped:", "3 trials")
    assert states(sender.head / "studies") == ["complete"] * 3
