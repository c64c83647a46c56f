"""A stream of 10,000 rounds to a server that is killed three times, and the bits after.

The booster that was served must be the one that the library makes of the same rows.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import booster
from benchmarks.serving import SERVE, Server, trained
from booster.feedback import TopFeedback
from topk_tune.serving.files import ModelFiles

ROUNDS = 10_000
SNAPSHOT_ROUNDS = "1500"


class Stream:
    """The rounds of a data set, one request after another.

    Parameters
    ----------
    data
        The data set.
    first
        The rounds that the booster had learned before.
    """

    def __init__(self, data: Any, first: int) -> None:
        self.data = data
        self.first = first

    def row(self, number: int) -> tuple[Any, Any]:
        """The features and labels of a round."""
        place = number % len(self.data.X_test)
        return self.data.X_test[place], self.data.Y_test[place]

    def known(self, port: int) -> int:
        """How many rounds a server has learned."""
        answer = _ask(HTTPConnection("127.0.0.1", port), "GET", "/healthz", None)
        return int(answer["rounds"]["yeast"]) - self.first

    def send(self, server: Server, learned: int, last: int, delay: float | None) -> int:
        """Send rounds up to the last; then, if there is a delay, go on until the server is killed.

        Returns how many were acknowledged.
        """
        connection = HTTPConnection("127.0.0.1", server.port)
        killer = threading.Timer(delay or 0.0, server.process.kill)
        while learned < last or delay is not None:
            if learned == last:
                killer.start()
            try:
                learned = self._round(connection, learned)
            except (OSError, ValueError):  # of a connection that ended, or of half an answer
                break
        connection.close()
        return learned

    def _round(self, connection: HTTPConnection, number: int) -> int:
        x, y = self.row(number)
        shown = _ask(connection, "POST", "/rank", {"features": x.tolist()})
        bits = y[shown["ranking"][: shown["k"]]].tolist()
        told = _ask(connection, "POST", "/feedback", {"id": shown["id"], "bits": bits})
        return int(told["learned"]) - self.first


def _ask(connection: HTTPConnection, method: str, path: str, content: Any) -> Any:
    body = None if content is None else json.dumps(content)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    return json.loads(connection.getresponse().read())


def main() -> None:
    """Serve, kill and compare."""
    with tempfile.TemporaryDirectory() as place:
        path, data = trained(Path(place))
        ranker = booster.load(path)
        assert isinstance(ranker, TopFeedback)
        stream, rng = Stream(data, ranker.rounds), random.Random(0)
        ends = [*sorted(rng.sample(range(500, ROUNDS - 500), 3)), ROUNDS]
        learned = 0
        for last in ends:
            options = ("--port", "0", "--snapshot-rounds", SNAPSHOT_ROUNDS, str(path))
            server = Server(SERVE, "serve", *options)
            known = stream.known(server.port)
            print(f"{learned:,} rounds acknowledged, {known:,} known", flush=True)
            # A round may be on the disk whose answer the kill came before.
            assert known in (learned, learned + 1)
            delay = rng.random() / 20 if last < ROUNDS else None
            learned = stream.send(server, known, last, delay)
            server.end()
        for number in range(ROUNDS):
            x, y = stream.row(number)
            ranker.update(y[ranker.predict(x)[: ranker.k]])
        ranker.save(Path(place) / "library.npz")
        files = ModelFiles(Path(place) / "serving" / "yeast")
        served = files.booster(stream.first + ROUNDS).read_bytes()
        same = served == (Path(place) / "library.npz").read_bytes()
        print(f"{ROUNDS:,} rounds, kills after {ends[:-1]}: the bits of the library: {same}")


if __name__ == "__main__":
    main()
