"""`topk-tune serve` as a process that is killed, and what it is asked to serve."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import numpy as np
import pyarrow.dataset
import pytest
import yaml
from messages import raises, says
from serving_cases import (
    Asker,
    ServerProcess,
    bits_of,
    make_ranker,
    rows,
    taught,
)

import booster
from topk_tune import cli
from topk_tune.commands.serve import FOLDER, open_models
from topk_tune.serving.served_model import DEFAULT
from topk_tune.serving.sources import Source, check_config, check_servable

ROUNDS = 600
HEADER = "a,b,l0,l1,l2"


@pytest.mark.slow
def test_three_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """A stream goes on after each kill; the end has the bits of the library, and a whole log."""
    make_ranker().save(tmp_path / "songs.npz")
    arguments = [str(tmp_path / "songs.npz"), "--snapshot-rounds", "150"]
    X, Y = rows(ROUNDS)
    learned = 0
    for last in (140, 310, 500, ROUNDS):
        server = ServerProcess(*arguments)
        asker = Asker(server.address)
        (known,) = json.loads(asker.ask("GET", "/healthz")[1])["rounds"].values()
        assert known in (learned, learned + 1)  # one may be learned without having been answered
        learned = known
        if last < ROUNDS:
            learned = _until_killed(server, asker, learned, last)
        else:
            while learned < ROUNDS:
                learned = asker.round(X[learned], Y[learned])
        asker.close()
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--port", "0", *arguments])  # the folder is in use
    assert ended.value.code == 2
    said = server.end(signal.SIGTERM)
    assert server.process.returncode == 0
    assert said.endswith("stopped\n") and "Traceback" not in said
    folder = tmp_path / FOLDER / "songs"
    saved = booster.load(folder / f"booster-{ROUNDS:012}.npz")
    assert bits_of(saved) == bits_of(taught(ROUNDS))
    log = pyarrow.dataset.dataset(folder / "log").to_table()
    assert log.num_rows == ROUNDS == len(set(log["id"].to_pylist()))
    assert log["features"].to_pylist() == X.tolist()


def _until_killed(server: ServerProcess, asker: Asker, learned: int, last: int) -> int:
    """Ask until the server is killed, some time after round `last`; returns what was answered."""
    X, Y = rows(ROUNDS)
    killer = threading.Thread(target=server.end, args=(signal.SIGKILL,))
    try:
        while learned < ROUNDS:
            if learned == last:
                killer.start()
            learned = asker.round(X[learned], Y[learned])
    except (OSError, ValueError):  # of the connection, or of half an answer
        pass
    killer.join()
    return learned


# What is served


@pytest.mark.parametrize(
    ("text", "name", "parent"),
    [
        ("best.yaml", "best", "."),
        ("models/songs.npz", "songs", "models"),
        ("a=models/songs.npz", "a", "models"),
        ("odd/x=y.npz", "x=y", "odd"),
        ("models:/topk-songs@best", "topk-songs", "."),
        ("runs:/0a1b/model", "0a1b", "."),
        ("b=models:/topk-songs/3", "b", "."),
    ],
)
def test_a_model_has_a_name_and_a_folder(text: str, name: str, parent: str) -> None:
    if name == "x=y":
        with raises(ValueError, "'x=y'"):
            Source.of(text)
        return
    source = Source.of(text)
    assert (source.name, source.parent) == (name, Path(parent))


def test_a_saved_booster_is_served_where_it_was_left(tmp_path: Path) -> None:
    make_ranker().save(tmp_path / "one.npz")
    make_ranker(seed=9).save(tmp_path / "two.npz")
    arguments = [f"a={tmp_path / 'one.npz'}", str(tmp_path / "two.npz")]
    with open_models([Source.of(each) for each in arguments], tmp_path / "f", DEFAULT) as models:
        assert set(models) == {"a", "two"}
        assert models["a"].labels == ["0", "1", "2", "3", "4"]
        assert bits_of(models["two"].ranker) == bits_of(make_ranker(seed=9))
    assert {path.name for path in (tmp_path / "f").iterdir()} == {"a", "two"}
    make_ranker(seed=9).save(tmp_path / "one.npz")  # another model
    with (
        raises(ValueError, str(tmp_path / "f" / "a"), "--folder"),
        open_models([Source.of(arguments[0])], tmp_path / "f", DEFAULT),
    ):
        pass


def test_a_configuration_is_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config = {"algorithm": "topada", "loops": 2, "n_learners": 4, "rho": 0.1}
    data = {"dataset": str(_csv(tmp_path)), "labels": "3", "k": 2}
    Path("best.yaml").write_text(yaml.safe_dump({"config": {**config, "k": 2}, "data": data}))
    for trains in (True, False):
        with open_models([Source.of("best.yaml")], None, DEFAULT) as models:
            assert models["best"].ranker.rounds == 2 * 14 and models["best"].k == 2
            assert list(models["best"].labels) == ["l0", "l1", "l2"]
        assert ("loop 2/2" in "".join(capsys.readouterr())) == trains
    assert Path(FOLDER, "best", "model.json").exists()


def _csv(folder: Path) -> Path:
    X, Y = rows(20)
    table = np.hstack([X[:, :2], Y[:, :3]])
    path = folder / "rows.csv"
    np.savetxt(path, table, ["%.4f"] * 2 + ["%d"] * 3, delimiter=",", header=HEADER, comments="")
    return path


def test_only_boosters_with_top_k_feedback_are_served(tmp_path: Path) -> None:
    with raises(ValueError, "x.npz", "FullOpt"):
        check_servable(booster.FullOpt(n_features=2, n_labels=3), "x.npz")
    for config, facts in [
        ({"algorithm": "fullada"}, ["'fullada'"]),
        ({"algorithm": "topada", "learner": "river"}, ["'river'"]),
    ]:
        path = tmp_path / "best.yaml"
        path.write_text(yaml.safe_dump({"config": {**config, "loops": 1}}))
        with raises(ValueError, str(path), *facts):
            check_config(path)


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        (["missing.npz"], 1, ["missing.npz"]),
        (["a=x.npz", "a=y.npz"], 2, ["a"]),
        (["x.npz", "--host", "0.0.0.0"], 2, ["0.0.0.0", "--token-file"]),
        (["x.npz", "--token-file", "missing"], 1, ["missing"]),
        (["no.npz"], 2, ["no.npz"]),
    ],
)
def test_what_cannot_be_served_is_told(
    arguments: list[str],
    code: int,
    facts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPK_TUNE_SERVE_TOKEN", raising=False)
    Path("no.npz").write_text("something else")
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--port", "0", *arguments])
    assert ended.value.code == code
    says(capsys.readouterr().err, *facts)
    assert not Path(FOLDER).exists()
