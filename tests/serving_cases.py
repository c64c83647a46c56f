"""Served models for tests: in this process, in a thread with HTTP, and as a process."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import uvicorn
from numpy.typing import NDArray

from booster import TopAda
from booster.feedback import TopFeedback
from topk_tune.serving.access import Access
from topk_tune.serving.app import RankingApp
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.served_model import DEFAULT, Limits, NewModel, ServedModel
from topk_tune.serving.server import address_of, listen

N_FEATURES, N_LABELS = 6, 5
NAMES = ["red", "green", "blue", "white", "black"]


def make_ranker(seed: int = 3, **parameters: Any) -> TopFeedback:
    """A small booster that explores a lot."""
    given = {"n_learners": 8, "rho": 0.3, **parameters}
    return TopAda(n_features=N_FEATURES, n_labels=N_LABELS, seed=seed, **given)


def rows(number: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Rows of features and their labels; fewer are the first of more."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(N_FEATURES, N_LABELS))
    X = rng.normal(size=(number, N_FEATURES)).astype(np.float32)
    return X, (X @ weights > 0.3).astype(np.int64)


def bits_of(ranker: TopFeedback) -> bytes:
    """Everything that a booster has learned, as its file."""
    buffer = io.BytesIO()
    ranker.save(buffer)
    return buffer.getvalue()


def taught(number: int, ranker: TopFeedback | None = None) -> TopFeedback:
    """The library's own booster after some of the rows: it predicts, then is updated."""
    ranker = make_ranker() if ranker is None else ranker
    X, Y = rows(number)
    for x, y in zip(X, Y, strict=True):
        ranker.update(y[ranker.predict(x)[: ranker.k]])
    return ranker


def open_model(folder: Path, limits: Limits = DEFAULT, **parameters: Any) -> ServedModel:
    """The model of a folder, which is new if the folder is."""
    made = NewModel(make_ranker(**parameters), NAMES)
    return ServedModel(ModelFiles(folder), "the same file", lambda: made, limits)


def round_of(model: ServedModel, x: Any, y: NDArray[np.int64]) -> int:
    """Show a ranking and learn its feedback, as a request after another does."""
    id_, offer = model.show(x)
    model.write([model.take(id_, y[offer.shown].tolist())])
    model.sync()
    (learned,) = model.learn_written()
    if model.is_due:
        model.save()
    return learned


class Asker:
    """Asks a server over one connection."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=300)
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """The status and the content of an answer."""
        self._connection.request(method, path, body, {**self._headers, **headers})
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def post(self, path: str, content: Any) -> tuple[int, dict[str, Any]]:
        """The status and the JSON of an answer."""
        status, answer = self.ask("POST", path, json.dumps(content).encode())
        return status, json.loads(answer)

    def rank(self, x: NDArray[Any], prefix: str = "") -> dict[str, Any]:
        """A ranking."""
        status, answer = self.post(f"{prefix}/rank", {"features": x.tolist()})
        assert status == 200, answer
        return answer

    def round(self, x: NDArray[Any], y: NDArray[np.int64], prefix: str = "") -> int:
        """Ask for a ranking, and tell its feedback; returns the number of the round."""
        shown = self.rank(x, prefix)
        told = {"id": shown["id"], "bits": y[shown["ranking"][: shown["k"]]].tolist()}
        status, answer = self.post(f"{prefix}/feedback", told)
        assert status == 200, answer
        return int(answer["learned"])

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


@contextmanager
def in_a_thread(models: Mapping[str, ServedModel], token: str | None = None) -> Iterator[str]:
    """Serve models by HTTP; yields the address."""
    app = RankingApp(models, Access(token))
    server = uvicorn.Server(uvicorn.Config(app.asgi, lifespan="off", log_config=None, ws="none"))
    with listen("127.0.0.1", 0) as opened:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        try:
            yield address_of(opened)
        finally:
            server.should_exit = True
            thread.join()


class ServerProcess:
    """`topk-tune serve` as a process of its own; `address` is where it listens."""

    def __init__(self, *arguments: str) -> None:
        program = "from topk_tune.cli import main; main()"
        command = [sys.executable, "-c", program, "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("serving at "):
                self.address = line.split()[-1]
                return
        raise AssertionError(self.said)

    def end(self, signal_number: int) -> str:
        """Send a signal and wait; returns what was said since the start."""
        self.process.send_signal(signal_number)
        assert self.process.stdout is not None
        said = self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()
        return said
