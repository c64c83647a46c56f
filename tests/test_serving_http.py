"""The HTTP interface of served models: what is answered, and what is refused with which reason."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import raises, says
from serving_cases import (
    NAMES,
    Asker,
    bits_of,
    in_a_thread,
    open_model,
    rows,
    taught,
)

from topk_tune.serving.access import check_token_for, read_token
from topk_tune.serving.requests import features_of, largest_body
from topk_tune.serving.served_model import ServedModel
from topk_tune.serving.server import listen, run

TOKEN = "a-token-of-some-length"
X, Y = rows(40)
ROW = X[0].tolist()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedModel]:
    made = open_model(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def asker(model: ServedModel) -> Iterator[Asker]:
    with in_a_thread({"m": model}) as address:
        made = Asker(address)
        yield made
        made.close()


def test_a_stream_of_requests_teaches_what_the_library_learns(tmp_path: Path) -> None:
    model = open_model(tmp_path)
    with in_a_thread({"m": model}) as address:
        asker = Asker(address)
        assert [asker.round(x, y) for x, y in zip(X, Y, strict=True)] == list(range(1, 41))
        asker.close()
    model.close()
    assert bits_of(model.ranker) == bits_of(taught(40))


def test_an_answer_has_the_ranking_and_its_probabilities(model: ServedModel, asker: Asker) -> None:
    offer = model.ranker.offer(X[0])
    for features in ({"features": ROW}, {"indices": [*range(6)], "values": ROW}):
        status, answer = asker.post("/rank", features)
        assert status == 200 and len(answer.pop("id")) >= 16
        assert answer == {
            "ranking": offer.ranking.tolist(),
            "labels": [NAMES[label] for label in offer.shown],
            "k": 3,
            "pairs": offer.pairs.tolist(),
        }
    status, answer = asker.post("/rank", {"indices": [], "values": []})
    assert answer["ranking"] == model.ranker.offer(np.zeros(6)).ranking.tolist()


@pytest.mark.parametrize(
    ("body", "status", "facts"),
    [
        (b"{", 400, ["JSON"]),
        (b"\xff", 400, ["JSON"]),
        (b"[1]", 400, ["a list"]),
        (b'{"features": [1, 2, 3, 4, 5, NaN]}', 400, ["NaN"]),
        (b'{"features": [1, 2, 3, 4, 5, -Infinity]}', 400, ["-Infinity"]),
        (b'{"features": ' + b"[" * 20_000, 400, ["JSON"]),
        (b'{"features": [1, 2, 3, 4, 5, ' + b"9" * 5_000 + b"]}", 400, ["JSON"]),
        (b'{"features": [1, 2, 3, 4, 5, 1e400]}', 422, ["inf"]),
        (b'{"features": [1, 2, 3, 4, 5, 1e39]}', 422, ["1e+39"]),
        (b'{"features": [1, 2, 3, 4, 5, ' + b"9" * 400 + b"]}", 422, ["features"]),
        (b'{"features": [1, 2, 3]}', 422, [3, 6]),
        (b'{"features": [1, 2, 3, 4, 5, "6"]}', 422, ["features", "a text"]),
        (b'{"features": [1, 2, 3, 4, 5, true]}', 422, ["features", "true or false"]),
        (b'{"features": [[1, 2, 3, 4, 5, 6]]}', 422, ["features", "a list"]),
        (b'{"features": 1}', 422, ["features", "a number"]),
        (b'{"features": null}', 422, ["features", "null"]),
        (b"{}", 422, ["'features'", "nothing"]),
        (b'{"features": [1, 2, 3, 4, 5, 6], "x": 1}', 422, ["'x'"]),
        (b'{"indices": [1]}', 422, ["'values'"]),
        (b'{"indices": [1, 2], "values": [1]}', 422, [1, 2]),
        (b'{"indices": [2, 1], "values": [1, 1]}', 422, [2, 1]),
        (b'{"indices": [6], "values": [1]}', 422, [6]),
        (b'{"indices": [-1], "values": [1]}', 422, [-1]),
        (b'{"indices": [4294967296], "values": [1]}', 422, [4294967296]),
        (b'{"indices": [1.0], "values": [1]}', 422, ["whole numbers"]),
        (b'{"indices": [1], "values": [1e39]}', 422, ["1e+39"]),
        (b" " * (largest_body(6) + 1), 413, [largest_body(6)]),
    ],
)
def test_what_is_no_row_is_refused(
    asker: Asker, model: ServedModel, body: bytes, status: int, facts: list[Any]
) -> None:
    before = len(model.rankings)
    found, answer = asker.ask("POST", "/rank", body)
    assert found == status, answer
    says(json.loads(answer)["error"], *facts)
    assert len(model.rankings) == before


@pytest.mark.parametrize(
    ("change", "status", "facts"),
    [
        ({"bits": [1, 0]}, 422, [3, 2]),
        ({"bits": [1, 0, 0, 0]}, 422, [3, 4]),
        ({"bits": [1, 0, 2]}, 422, ["bits"]),
        ({"bits": [1, 0, 0.5]}, 422, ["bits"]),
        ({"bits": [1, 0, None]}, 422, ["bits"]),
        ({"bits": "101"}, 422, ["bits"]),
        ({"id": 7}, 422, ["id", "a number"]),
        ({"id": "never-was"}, 404, ["'never-was'"]),
        ({"more": 1}, 422, ["'more'"]),
    ],
)
def test_what_is_no_feedback_is_refused_and_nothing_learned(
    asker: Asker, model: ServedModel, change: dict[str, Any], status: int, facts: list[Any]
) -> None:
    rounds = model.ranker.rounds
    told = {"id": asker.rank(X[0])["id"], "bits": [1, 0, 0]}
    found, answer = asker.post("/feedback", {**told, **change})
    assert found == status, answer
    says(answer["error"], *facts)
    assert model.ranker.rounds == rounds
    assert asker.post("/feedback", told) == (200, {"learned": rounds + 1})  # it is still open


def test_an_id_is_used_once(asker: Asker, model: ServedModel) -> None:
    told = {"id": asker.rank(X[0])["id"], "bits": [True, False, False]}
    _, first = asker.post("/feedback", told)
    status, answer = asker.post("/feedback", told)
    assert status == 409 and answer["learned"] == first["learned"]
    assert model.ranker.rounds == first["learned"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/rank", {}, 405),
        ("POST", "/healthz", {}, 405),
        ("GET", "/other", {}, 404),
        ("POST", "/rank", {"Content-Type": "text/plain"}, 415),
        ("POST", "/rank", {"Host": "evil.example:80"}, 403),
        ("POST", "/other/rank", {}, 404),
        ("POST", "/rank/", {}, 404),
        ("GET", "/metrics", {"Host": "evil.example"}, 403),
    ],
)
def test_requests_of_another_kind_are_refused(
    asker: Asker, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    body = json.dumps({"features": ROW}).encode() if method == "POST" else None
    found, answer = asker.ask(method, path, body, **headers)
    assert found == status and json.loads(answer)["error"]


def test_prometheus_is_told_what_happens(asker: Asker, model: ServedModel) -> None:
    asker.round(X[0], Y[0])
    status, text = asker.ask("GET", "/metrics")
    found = dict(line.rsplit(" ", 1) for line in text.decode().splitlines() if line[0] != "#")
    assert status == 200
    assert float(found['topk_tune_rounds{model="m"}']) == model.ranker.rounds
    assert float(found['topk_tune_open_rankings{model="m"}']) == len(model.rankings)
    assert float(found['topk_tune_shown_labels_total{model="m"}']) == 3 * model.ranker.rounds
    assert float(found['topk_tune_requests_total{model="m",path="/feedback",status="200"}']) >= 1
    assert {"topk_tune_dropped_rankings_total", "topk_tune_request_seconds_bucket"} <= {
        name.partition("{")[0] for name in found
    }
    assert json.loads(asker.ask("GET", "/healthz")[1])["rounds"] == {"m": model.ranker.rounds}


def test_who_has_no_token_gets_nothing(tmp_path: Path) -> None:
    model = open_model(tmp_path)
    with in_a_thread({"m": model}, TOKEN) as address:
        for wrong in (None, "", TOKEN[:-1], f"{TOKEN}x", "é"):
            asker = Asker(address, wrong)
            for method, path in (("POST", "/rank"), ("POST", "/feedback"), ("GET", "/metrics")):
                status, answer = asker.ask(method, path, b"{}")
                assert status == 401 and "token" in json.loads(answer)["error"]
                assert TOKEN not in answer.decode()
            asker.close()
        asker = Asker(address, TOKEN)
        assert asker.round(X[0], Y[0]) == 1
        assert asker.ask("GET", "/healthz", Authorization="")[0] == 200
        assert asker.ask("GET", "/metrics", Host="models.example")[0] == 200
        asker.close()
    model.close()


def test_models_are_served_side_by_side(tmp_path: Path) -> None:
    models = {name: open_model(tmp_path / name) for name in ("a", "b.2")}
    with in_a_thread(models) as address:
        asker = Asker(address)
        for x, y in zip(X, Y, strict=True):
            asker.round(x, y, "/a")
        asker.round(X[0], Y[0], "/b.2")
        shown = asker.rank(X[0], "/b.2")
        status, _ = asker.post("/a/feedback", {"id": shown["id"], "bits": [0, 0, 0]})
        assert status == 404  # an id is of one model
        for path in ("/rank", "/bx2/rank"):
            status, answer = asker.post(path, {"features": ROW})
            assert status == 404
            says(answer["error"], path, "POST /a/rank", "POST /b.2/rank")
        _, told = asker.ask("GET", "/metrics")
        asker.close()
    for model in models.values():
        model.close()
    assert bits_of(models["a"].ranker) == bits_of(taught(40))
    assert models["b.2"].ranker.rounds == 1
    for name, rounds in (("a", 40), ("b.2", 1)):
        assert f'topk_tune_rounds{{model="{name}"}} {rounds}.0' in told.decode()
        answered = f'model="{name}",path="/feedback",status="200"'
        assert f"topk_tune_requests_total{{{answered}}} {rounds}.0" in told.decode()
        assert (tmp_path / name / "log").is_dir()


def test_a_single_model_has_its_name_too(asker: Asker, model: ServedModel) -> None:
    rounds = model.ranker.rounds
    assert asker.round(X[0], Y[0], "/m") == asker.round(X[0], Y[0]) - 1 == rounds + 1


def test_requests_that_come_together_share_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk is busy with the first, the others gather; none is answered before."""
    model = open_model(tmp_path)
    started, go_on, syncs = threading.Event(), threading.Event(), []
    sync = model.sync

    def slow() -> None:
        syncs.append(len(model._written))
        started.set()
        assert go_on.wait(30)
        sync()

    with in_a_thread({"m": model}) as address, ThreadPoolExecutor(6) as pool:
        askers = [Asker(address) for _ in range(6)]
        told = [{"id": each.rank(X[0])["id"], "bits": [1, 0, 0]} for each in askers]
        monkeypatch.setattr(model, "sync", slow)
        first = pool.submit(askers[0].post, "/feedback", told[0])
        assert started.wait(30)
        rest = zip(askers[1:], told[1:], strict=True)
        others = [pool.submit(each.post, "/feedback", content) for each, content in rest]
        while len(model.rankings):  # until all were taken
            time.sleep(0.01)
        assert not first.done() and not any(each.done() for each in others)
        go_on.set()
        answers = [each.result() for each in (first, *others)]
        for asker in askers:
            asker.close()
    assert syncs == [1, 5]
    assert sorted(answer["learned"] for _, answer in answers) == [1, 2, 3, 4, 5, 6]
    model.close()


def test_a_journal_that_cannot_be_written_stops_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(tmp_path)

    def fail() -> None:
        raise OSError("broken disk")

    with in_a_thread({"m": model}) as address:
        asker = Asker(address)
        shown = asker.rank(X[0])
        monkeypatch.setattr(model._journal, "sync", fail)
        status, answer = asker.post("/feedback", {"id": shown["id"], "bits": [1, 0, 0]})
        assert status == 503 and "broken disk" in answer["error"]
        assert asker.post("/rank", {"features": ROW})[0] == 503
        assert asker.ask("GET", "/healthz")[0] == 503
        asker.close()
    assert model.ranker.rounds == 0
    model.close()


@pytest.mark.slow
def test_a_server_ends_when_its_disk_has_failed(tmp_path: Path) -> None:
    model = open_model(tmp_path)
    model.failed = OSError("broken disk")
    with listen("127.0.0.1", 0) as opened, raises(OSError, "m", "broken disk"):
        run({"m": model}, opened, None)
    model.close()


def test_hanging_up_ends_it_between_rounds(tmp_path: Path) -> None:
    model = open_model(tmp_path)
    before = signal.getsignal(signal.SIGHUP)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGHUP)).start()
    with listen("127.0.0.1", 0) as opened:
        run({"m": model}, opened, None)
    assert signal.getsignal(signal.SIGHUP) is before
    model.close()


# Who may listen where


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "models.example"])
def test_beyond_loopback_there_must_be_a_token(host: str) -> None:
    with raises(ValueError, host, "--token-file", "$TOPK_TUNE_SERVE_TOKEN"):
        check_token_for(host, None)
    check_token_for(host, TOKEN)
    check_token_for("127.0.0.1", None)


def test_a_token_comes_from_a_file_or_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert read_token(file, {"TOPK_TUNE_SERVE_TOKEN": "x" * 20}) == TOKEN
    assert read_token(None, {"TOPK_TUNE_SERVE_TOKEN": TOKEN}) == TOKEN
    assert read_token(None, {}) is None
    for wrong in ("", "short", "with a line\nbreak in it"):
        file.write_text(wrong)
        with raises(ValueError, str(file), 16):
            read_token(file, {})


def test_zeros_of_a_sparse_row_are_left_out() -> None:
    row: Any = features_of({"indices": [1, 3, 4], "values": [2, 0, 1e-60]}, 6)
    assert (row.indices.tolist(), row.data.tolist()) == ([1], [2.0])


def test_a_busy_port_is_named() -> None:
    with listen("127.0.0.1", 0) as opened:
        assert opened.proto == socket.IPPROTO_TCP  # answers wait for nothing, see `listen`
        port = opened.getsockname()[1]
        with raises(OSError, port, "--port"):
            listen("127.0.0.1", port)
    with raises(OSError, "--host", "192.0.2.1"):
        listen("192.0.2.1", 0)
