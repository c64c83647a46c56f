"""Serve a ranker, log what is clicked, tune another on the log alone, and serve that one.

Clicks are simulated: a user clicks on what is relevant among the three labels shown. Neither the
server nor the study ever gets the other labels: they only measure what users were shown.
"""

import json
import signal
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path

import numpy as np

import booster
from booster.ranking_losses import weighted_losses
from topk_tune import tune
from topk_tune.data import load
from topk_tune.training.trial import train_booster

COMMAND = Path(sys.executable).with_name("topk-tune")


def ask(connection: HTTPConnection, path: str, **content: object) -> dict:
    """Send a request and return its answer."""
    connection.request("POST", path, json.dumps(content), {"Content-Type": "application/json"})
    return json.loads(connection.getresponse().read())


def shown_to_users(model: Path, X: np.ndarray, Y: np.ndarray) -> float:
    """Serve a model to users of these rows; returns the loss of what they were shown."""
    command = [COMMAND, "serve", model, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = next(line.split("//")[1] for line in server.stdout if "serving at" in line)
    connection = HTTPConnection(address.strip())
    rankings = []
    for x, y in zip(X, Y, strict=True):
        answer = ask(connection, "/rank", features=x.tolist())
        clicks = y[answer["ranking"][: answer["k"]]].tolist()
        ask(connection, "/feedback", id=answer["id"], bits=clicks)
        rankings.append(answer["ranking"])
    connection.close()
    server.send_signal(signal.SIGTERM)  # saves the booster and its log
    server.communicate()
    return float(weighted_losses(np.array(rankings), Y).mean())


data = load("synthetic:rows=1900,m=5")
FIRST = 1000
rest = data.X_train[FIRST:], data.Y_train[FIRST:]

with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    # It knows nothing yet and explores a lot: half of its rankings are random.
    first = booster.TopAda(
        n_features=data.n_features, n_labels=data.n_labels, n_learners=10, rho=0.5
    )
    first.save(folder / "first.npz")
    before = shown_to_users(folder / "first.npz", data.X_train[:FIRST], data.Y_train[:FIRST])

    # A study that sees only the log: it estimates the loss of a configuration from held-out rounds.
    log = str(folder / "serving" / "first" / "log")
    study = tune(log, "topada", trials=3, backend="local", workers=1, track=False, storage=place)
    better = train_booster(study.best().best_config, 0, load(log))
    better.save(folder / "second.npz")
    (served,) = (folder / "serving" / "first").glob("booster-*.npz")
    greedy = [each.evaluate(*rest).loss for each in (booster.load(served), better)]
    after = shown_to_users(folder / "second.npz", *rest)

print(f"weighted rank loss of what the first {FIRST} users were shown: {before:.4f}")
print(f"of what the others were shown, after tuning on the log of the first: {after:.4f}")
print(f"for the others without exploration: {greedy[0]:.4f} at the end of serving, ", end="")
print(f"{greedy[1]:.4f} after tuning")
assert after < before
