"""What every version since 0.2.0 has left is read as that version read it, and goes on."""

import json
import shutil
from pathlib import Path

import pytest
from golden_cases import FIRST, GOLDEN, restored
from golden_facts import BOOSTERS, NAME, STORAGES, facts_of
from serving_cases import open_model, round_of, rows
from tuning import FakeBackend, FakeResources

import booster
import topk_tune
from topk_tune.engine.stopping import StopOptions
from topk_tune.study.confirm import confirm
from topk_tune.study.study import Study

VERSIONS = sorted(path for path in GOLDEN.iterdir() if path.is_dir() and path != FIRST)

each_version = pytest.mark.parametrize("golden", VERSIONS, ids=lambda path: path.name)


def test_this_version_has_golden_files() -> None:
    """A release has them; on the way to the next one, those of the last release count."""
    released = topk_tune.__version__.partition(".dev")[0]
    assert released in [path.name for path in VERSIONS] or ".dev" in topk_tune.__version__


@each_version
def test_a_version_is_read_as_it_read_itself(golden: Path, tmp_path: Path) -> None:
    told = json.loads((golden / "facts.json").read_text(encoding="utf-8"))
    read = facts_of(golden, tmp_path)
    assert read == {**read, **told}
    assert "Unreadable" not in read["spool"]


@each_version
@pytest.mark.parametrize("kind", STORAGES)
def test_a_study_goes_on(
    golden: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the folder of a database study is made
    study = Study.open(restored(golden, kind, tmp_path), NAME)
    known = study.records()
    study.store.drive()
    one = FakeResources(made=FakeBackend(1, None))
    study.run(StopOptions(trials=len(known) + 2), one)
    records = study.records()
    assert records[: len(known)] == known
    assert len(records) == len(known) + 2
    assert all(record.state in ("complete", "pruned") for record in records[len(known) :])
    assert confirm(study, 1, 3, FakeResources(made=FakeBackend(1, None)))
    study.store.close()


@each_version
@pytest.mark.parametrize("name", BOOSTERS)
def test_a_booster_goes_on(golden: Path, name: str) -> None:
    old = booster.load(golden / name)
    X, Y = rows(60)
    before, rounds = old.evaluate(X, Y).loss, old.rounds
    old.run(X, Y, loops=5)
    assert old.rounds == rounds + 300
    assert old.evaluate(X, Y).loss < before


@each_version
def test_a_served_model_goes_on(golden: Path, tmp_path: Path) -> None:
    shutil.copytree(golden / "served", tmp_path / "served")
    model = open_model(tmp_path / "served")
    rounds = model.ranker.rounds
    X, Y = rows(2)
    assert round_of(model, X[0], Y[0]) == rounds + 1
    model.close()
