"""What a served model knows: after any end of its process, what the library knows."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import raises, says
from serving_cases import (
    N_FEATURES,
    NAMES,
    bits_of,
    make_ranker,
    open_model,
    round_of,
    rows,
    taught,
)

from topk_tune.data.logs.file import is_log
from topk_tune.data.logs.learning import run_log_file
from topk_tune.data.rows import sparse_rows
from topk_tune.serving import durable, served_model
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.lines import entry_of, line_of
from topk_tune.serving.open_rankings import OpenRankings
from topk_tune.serving.refusals import RefusedError
from topk_tune.serving.served_model import Limits, NewModel, ServedModel

OFTEN = Limits(snapshot_rounds=7)


def killed(model: ServedModel, into: Path) -> Path:
    """What a process leaves that is killed now, but not while it saves: the copy takes time."""
    if model._saving is not None:
        model._saving.result()
    return Path(shutil.copytree(model.files.folder, into))


def log_of(folder: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pyarrow.dataset.dataset(folder / "log").to_table().to_pydict()
    return found


# What is learned


def test_it_learns_what_the_library_learns(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", OFTEN)
    X, Y = rows(40)
    assert [round_of(model, x, y) for x, y in zip(X, Y, strict=True)] == list(range(1, 41))
    model.close()
    assert bits_of(model.ranker) == bits_of(taught(40))
    again = open_model(tmp_path / "m")
    assert bits_of(again.ranker) == bits_of(model.ranker) and again.replayed == 0
    again.close()


def test_whenever_it_is_killed_it_knows_what_was_acknowledged(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", OFTEN)
    X, Y = rows(16)
    left = [killed(model, tmp_path / "0")]
    for number, (x, y) in enumerate(zip(X, Y, strict=True), 1):
        round_of(model, x, y)
        left.append(killed(model, tmp_path / str(number)))
    model.close()
    ranker = make_ranker()
    for number, folder in enumerate(left):
        found = open_model(folder, OFTEN)
        assert bits_of(found.ranker) == bits_of(ranker)
        found.close()
        rounds = log_of(folder)["bits"] if number else []
        assert len(rounds) == number
        if number < len(X):
            ranker.update(Y[number][ranker.predict(X[number])[: ranker.k]])


@pytest.mark.parametrize("step", ["_save_booster", "write_part", "unlink"])
def test_killed_while_it_saves_it_knows_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    model = open_model(tmp_path / "m")
    X, Y = rows(12)
    for x, y in zip(X[:9], Y[:9], strict=True):
        round_of(model, x, y)

    def fail(*_: Any, missing_ok: bool = False) -> None:
        if not missing_ok:  # as that of files that were not finished
            raise OSError(errno.EIO, step)

    with monkeypatch.context() as broken:
        target: Any = {"_save_booster": ServedModel, "unlink": Path}.get(step, served_model)
        broken.setattr(target, step, fail)
        model.save()
        assert model._saving is not None
        model._saving.result()
    for x, y in zip(X[9:], Y[9:], strict=True):
        round_of(model, x, y)
    left = killed(model, tmp_path / "left")
    assert len(ModelFiles(left).journals()) == 2
    found = open_model(left)
    found.close()
    assert bits_of(found.ranker) == bits_of(taught(12))
    assert len(ModelFiles(left).journals()) == 1 and len(log_of(left)["id"]) == 12
    model.close()


def test_feedback_may_come_late_and_in_any_order(tmp_path: Path) -> None:
    model, ranker = open_model(tmp_path / "m", OFTEN), make_ranker()
    X, Y = rows(24)
    for start in range(0, 24, 8):
        shown = [(x, y, *model.show(x)) for x, y in zip(X[start:], Y[start:], strict=True)][:8]
        for x, y, id_, offer in reversed(shown):
            bits = y[offer.shown].tolist()
            model.write([model.take(id_, bits)])
            ranker.learn(x, offer.shown, bits, offer.pairs)
        model.sync()
        model.learn_written()
        model.save()
    left = killed(model, tmp_path / "left")
    model.close()
    found = open_model(left)
    assert bits_of(found.ranker) == bits_of(model.ranker) == bits_of(ranker)
    found.close()


# The journal


def test_a_torn_last_line_was_never_acknowledged(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m")
    X, Y = rows(3)
    for x, y in zip(X, Y, strict=True):
        round_of(model, x, y)
    path = model.files.journal(0)
    whole = path.read_bytes()
    model.close()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last, 7):
        folder = Path(shutil.copytree(tmp_path / "m", tmp_path / str(cut)))
        shutil.rmtree(folder / "log")
        (folder / "journal-000000000003.jsonl").unlink()
        (folder / "booster-000000000003.npz").unlink()
        (folder / "journal-000000000000.jsonl").write_bytes(whole[:-cut])
        make_ranker().save(folder / "booster-000000000000.npz")
        found = open_model(folder)
        assert bits_of(found.ranker) == bits_of(taught(2))
        round_of(found, X[2], Y[2])  # the id of the torn line is open, this is another
        assert bits_of(found.ranker) == bits_of(taught(3))
        found.close()


@pytest.mark.parametrize("line", [1, 2, 3, 6])
def test_a_damaged_line_is_refused_with_its_place(tmp_path: Path, line: int) -> None:
    model = open_model(tmp_path / "m")
    X, Y = rows(3)
    for x, y in zip(X, Y, strict=True):
        round_of(model, x, y)
    left = killed(model, tmp_path / "left")
    model.close()
    path = ModelFiles(left).journal(0)
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = bytearray(lines[line - 1])
    damaged[len(damaged) // 2] ^= 1
    lines[line - 1] = bytes(damaged)
    path.write_bytes(b"".join(lines))
    before = path.read_bytes()
    with raises(ValueError, f"{path}:{line}"):
        open_model(left)
    assert path.read_bytes() == before


def test_a_journal_that_does_not_follow_is_refused(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m")
    round_of(model, *(each[0] for each in rows(1)))
    left = killed(model, tmp_path / "left")
    model.close()
    path = ModelFiles(left).journal(0)
    header, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([line_of({**entry_of(header), "rounds": 4}), *rest]))
    with raises(ValueError, f"{path}:1", 4, 0):
        open_model(left)
    path.write_bytes(header + rest[1])
    with raises(ValueError, f"{path}:2", "was not shown"):
        open_model(left)


@settings(max_examples=25)
@given(st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False) | st.text()))
def test_lines_come_back_as_they_were(content: dict[str, Any]) -> None:
    line = line_of(content)
    assert entry_of(line) == content and line.count(b"\n") == 1


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_model(tmp_path / "m")
    X, Y = rows(2)
    id_, offer = model.show(X[0])
    bits = Y[0][offer.shown].tolist()
    write, before = os.write, model.files.journal(0).read_bytes()

    def half(file: int, data: Any) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "full")
        return write(file, data[: len(data) // 2])

    with monkeypatch.context() as full:
        full.setattr(os, "write", half)
        with raises(OSError, "full"):
            model.write([model.take(id_, bits)])
        with raises(OSError, "full"):
            model.show(X[1])
    assert model.files.journal(0).read_bytes() == before and model.failed is None
    model.write([model.take(id_, bits)])  # it is open again
    model.sync()
    assert model.learn_written() == [1]
    model.close()


def test_after_a_failed_sync_nothing_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(tmp_path / "m")

    def fail(file: int) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with raises(OSError, "broken"):
            round_of(model, *(each[0] for each in rows(1)))
    assert model.failed is not None
    model.close()
    assert model.files.boosters() == [0] and model.ranker.rounds == 0
    again = open_model(tmp_path / "m")
    assert again.ranker.rounds == 1  # it was written, though not acknowledged
    again.close()


@pytest.mark.parametrize("fails", ["before", "after"])
def test_a_journal_that_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Before the new one has its name, the last one goes on; after, nothing may be promised."""
    model = open_model(tmp_path / "m")
    X, Y = rows(3)
    round_of(model, X[0], Y[0])

    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        if fails == "before":
            broken.setattr(Path, "replace", fail)
        else:
            broken.setattr(durable, "sync_folder", fail)
        model.save()
    assert (model.failed is not None) == (fails == "after")
    if fails == "before":
        round_of(model, X[1], Y[1])
    left = killed(model, tmp_path / "left")
    model.close()
    found = open_model(left)
    assert bits_of(found.ranker) == bits_of(taught(2 if fails == "before" else 1))
    found.close()


def test_a_round_that_was_interrupted_is_learned_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(tmp_path / "m")
    X, Y = rows(2)
    round_of(model, X[0], Y[0])

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(type(model.ranker), "learn", interrupt)
        with pytest.raises(KeyboardInterrupt):
            round_of(model, X[1], Y[1])
    model.close()
    found = open_model(tmp_path / "m")
    assert bits_of(found.ranker) == bits_of(taught(2))
    found.close()


# Rankings that wait


def test_open_and_used_ids_survive(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", OFTEN)
    X, Y = rows(20)
    waiting, offer = model.show(X[0])
    used, used_offer = model.show(X[1])
    model.write([model.take(used, Y[1][used_offer.shown].tolist())])
    model.sync()
    model.learn_written()
    for x, y in zip(X[2:], Y[2:], strict=True):  # it is saved twice meanwhile
        round_of(model, x, y)
    left = killed(model, tmp_path / "left")
    model.close()
    for folder in (left, tmp_path / "m"):
        found = open_model(folder)
        with pytest.raises(RefusedError) as refused:
            found.take(used, [0, 0, 0])
        assert refused.value.status == 409 and refused.value.facts == {"learned": 1}
        found.write([found.take(waiting, Y[0][offer.shown].tolist())])
        with pytest.raises(RefusedError) as refused:
            found.take(waiting, [0, 0, 0])
        assert refused.value.status == 409
        found.sync()
        assert found.learn_written() == [20]
        found.close()


def test_too_many_open_rankings_drop_the_oldest(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", Limits(most_open=2))
    X, _ = rows(3)
    ids = [model.show(x)[0] for x in X]
    assert (len(model.rankings), model.rankings.dropped) == (2, 1)
    left = killed(model, tmp_path / "left")
    model.close()
    found = open_model(left, Limits(most_open=2))
    assert (len(found.rankings), found.rankings.dropped) == (2, 0)
    with pytest.raises(RefusedError) as refused:
        found.take(ids[0], [0, 0, 0])
    assert refused.value.status == 404
    says(refused.value, repr(ids[0]))
    found.close()


def test_open_rankings_are_bounded_in_bytes() -> None:
    table = OpenRankings(most=10, most_bytes=25)
    for number in range(4):
        table.add(str(number), b"x" * 10)
    assert (len(table), table.dropped, table.lines) == (2, 2, b"x" * 20)
    table.add("large", b"x" * 99)
    assert (len(table), table.dropped) == (1, 4)


def test_many_rankings_without_feedback_do_not_fill_the_disk(tmp_path: Path) -> None:
    limits = Limits(journal_bytes=5_000, most_open=5)
    model = open_model(tmp_path / "m", limits)
    X, Y = rows(200)
    for x in X:
        model.show(x)
        if model.is_due:
            model.save()
            assert model._saving is not None
            model._saving.result()  # as long as it saves, the journal grows
    assert model.files.journal(0).stat().st_size < 8_000
    round_of(model, X[0], Y[0])
    left = killed(model, tmp_path / "left")
    model.close()
    found = open_model(left, limits)
    assert found.ranker.rounds == 1 and len(found.rankings) <= 5
    found.close()


# The folder


def test_a_folder_is_of_one_model_and_one_process(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m")
    with raises(ValueError, str(tmp_path / "m"), "another process", "--folder"):
        open_model(tmp_path / "m")
    model.close()
    other = NewModel(make_ranker(seed=4), NAMES)
    with raises(ValueError, str(tmp_path / "m"), "--folder"):
        ServedModel(ModelFiles(tmp_path / "m"), "another file", lambda: other)
    open_model(tmp_path / "m").close()


# The log


def test_the_log_has_a_row_for_each_round(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", OFTEN)
    X, Y = rows(20)
    offers = [model.ranker.offer(X[0])]
    for number, (x, y) in enumerate(zip(X, Y, strict=True), 1):
        round_of(model, x if number % 2 else sparse_rows(x[None]), y)
        offers += [model.ranker.offer(X[number])] if number < 20 else []
    model.close()
    schema = pyarrow.dataset.dataset(tmp_path / "m" / "log").schema
    kinds = {field.name: str(field.type) for field in schema}
    assert kinds == {
        "id": "string",
        "time": "timestamp[us, tz=UTC]",
        "features": "list<element: float>",
        "shown": "list<element: int32>",
        "bits": "list<element: int8>",
        "pairs": "list<element: double>",
    }
    about = b'{"format": 1, "n_features": 6, "labels": ["red", "green", "blue", "white", "black"]}'
    assert schema.metadata[b"topk_tune_log"] == about
    log = log_of(tmp_path / "m")
    assert (np.array(log["features"], np.float32) == X).all()
    assert log["shown"] == [offer.shown.tolist() for offer in offers]
    assert log["pairs"] == [offer.pairs.tolist() for offer in offers]
    assert log["bits"] == [y[o.shown].tolist() for y, o in zip(Y, offers, strict=True)]
    assert len(set(log["id"])) == 20 and log["time"] == sorted(log["time"])


@pytest.mark.parametrize("observer", ["gaussian", "sparse"])
def test_who_learns_from_the_log_learns_the_same(tmp_path: Path, observer: str) -> None:
    model = open_model(tmp_path / "m", OFTEN, observer=observer)
    X, Y = rows(20)
    X[:, 3] = 0.0
    for x, y in zip(X, Y, strict=True):
        round_of(model, x, y)
    model.close()
    other = make_ranker(observer=observer)
    log = tmp_path / "m" / "log"
    parts = sorted(log.iterdir())
    assert is_log(log) and len(parts) > 1  # how many depends on how long saving takes
    run_log_file(other, log)
    assert bits_of(other) == bits_of(model.ranker)
    renamed = parquet.read_table(parts[1]).replace_schema_metadata({"topk_tune_log": "{}"})
    parquet.write_table(renamed, parts[1])
    with raises(ValueError, str(parts[1])):
        run_log_file(other, log)


def test_the_log_of_sparse_observers_is_sparse(tmp_path: Path) -> None:
    model = open_model(tmp_path / "m", observer="sparse")
    x = np.zeros(N_FEATURES, np.float32)
    x[[1, 4]] = 0.5, -2.0
    for row in (x, sparse_rows(x[None])):
        round_of(model, row, np.ones(5, np.int64))
    model.close()
    log = log_of(tmp_path / "m")
    assert "features" not in log
    assert log["indices"] == [[1, 4]] * 2 and log["values"] == [[0.5, -2.0]] * 2
