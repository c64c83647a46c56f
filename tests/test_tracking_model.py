"""The booster as an MLflow model: loaded, and served over HTTP."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import numpy as np
import pytest
from tracking_cases import free_port

import booster
from topk_tune.data import load
from topk_tune.tracking.examples import example_of
from topk_tune.tracking.pyfunc import RankingModel, save_pyfunc

ROWS = load("yeast").X_test[:20]
OPENER = build_opener(ProxyHandler({}))


@pytest.fixture(scope="module")
def model() -> booster.Booster:
    data = load("yeast")
    made = booster.TopAda(n_features=103, n_labels=14, n_learners=3)
    made.run(data.X_train[:500], data.Y_train[:500])
    return made


@pytest.fixture(scope="module")
def saved(model: booster.Booster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    model.save(folder / "a.npz")
    example = ROWS[:2].tolist()
    save_pyfunc(folder / "model", folder / "a.npz", load("yeast").label_names, example)
    return folder / "model"


@pytest.fixture(scope="module")
def served(saved: Path) -> Iterator[str]:
    """The address of `mlflow models serve`."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = "-m mlflow models serve --env-manager local --workers 1 --host 127.0.0.1"
    options = ["--port", str(port), "--model-uri", str(saved)]
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    # `mlflow models serve` starts its server by name.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    process = subprocess.Popen(
        [sys.executable, *command.split(), *options],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while process.poll() is None and not answers(f"{address}/ping"):
            time.sleep(0.2)
        assert process.poll() is None, "the server ended"
        yield address
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answers(address: str) -> bool:
    try:
        with OPENER.open(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def post(address: str, body: bytes) -> tuple[int, str]:
    headers = {"Content-Type": "application/json"}
    try:
        with OPENER.open(Request(f"{address}/invocations", body, headers), timeout=30) as reply:
            return reply.status, reply.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def ranking(model: booster.Booster) -> list[list[str]]:
    names = load("yeast").label_names
    order = model.rank(ROWS)
    return [[names[label] for label in row] for row in order]


def test_a_saved_model_ranks_as_the_booster_does(saved: Path, model: booster.Booster) -> None:
    import mlflow.pyfunc

    loaded = mlflow.pyfunc.load_model(str(saved))
    assert loaded.predict(ROWS).tolist() == ranking(model)
    signature = loaded.metadata.signature
    assert signature.inputs.inputs[0].shape == (-1, 103)
    assert signature.outputs.inputs[0].shape == (-1, 14)
    assert loaded.metadata.load_input_example(str(saved)).shape == (2, 103)


def test_a_saved_model_ranks_sparse_rows_and_has_some_as_its_example(tmp_path: Path) -> None:
    import mlflow.pyfunc
    from scipy.sparse import csc_matrix, csr_matrix

    data = load("documents:rows=200,dim=5000,m=14,nonzeros=10")
    made = booster.TopAda(n_features=5000, n_labels=14, n_learners=3)
    made.run(data.X_train, data.Y_train)
    made.save(tmp_path / "a.npz")
    example = json.loads(json.dumps(example_of(data.X_train, 2)))
    save_pyfunc(tmp_path / "model", tmp_path / "a.npz", data.label_names, example)
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    names = np.array(data.label_names, dtype=object)
    expected = names[made.rank(data.X_test.toarray())].tolist()
    for form in (csr_matrix, csc_matrix):
        assert loaded.predict(form(data.X_test)).tolist() == expected
    assert loaded.predict(data.X_test.toarray()).tolist() == expected
    kept = loaded.metadata.load_input_example(str(tmp_path / "model"))
    np.testing.assert_array_equal(kept.toarray(), data.X_train[:2].toarray())


@pytest.mark.filterwarnings("ignore:.*An input example was not provided:UserWarning")
def test_a_very_wide_model_has_no_example(tmp_path: Path) -> None:
    import mlflow.pyfunc

    data = load("documents:rows=20,dim=2000000,m=14,nonzeros=10")
    made = booster.TopAda(n_features=2_000_000, n_labels=14, n_learners=3)
    made.save(tmp_path / "a.npz")
    example = example_of(data.X_train, 2)
    assert len(json.dumps(example)) < 2000  # the zeros would take millions
    save_pyfunc(tmp_path / "model", tmp_path / "a.npz", data.label_names, example)
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    assert loaded.metadata.signature.inputs.inputs[0].shape == (-1, 2_000_000)
    assert loaded.metadata.load_input_example(str(tmp_path / "model")) is None


def test_nothing_in_a_saved_model_is_pickled(saved: Path) -> None:
    files = {path.name for path in saved.rglob("*") if path.is_file()}
    assert {"booster.npz", "labels.json", "MLmodel"} <= files
    assert not [name for name in files if name.endswith((".pkl", ".pickle", ".joblib"))]
    assert "topk-tune==" in (saved / "requirements.txt").read_text()


def test_a_wrong_row_is_refused_with_a_reason(model: booster.Booster) -> None:
    from mlflow.exceptions import MlflowException

    with pytest.raises(MlflowException, match="finite") as caught:
        RankingModel(model, ["a"] * 14).predict(np.full((1, 103), np.nan))
    assert caught.value.get_http_status_code() == 400


@pytest.mark.slow
def test_a_served_model_ranks_posted_rows(served: str, model: booster.Booster) -> None:
    status, text = post(served, json.dumps({"inputs": ROWS.tolist()}).encode())
    assert (status, json.loads(text)["predictions"]) == (200, ranking(model))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"inputs": [[1, 2', "valid JSON"),
        (b"[1, 2]", "list"),
        (json.dumps({"inputs": [[1.0] * 5]}).encode(), "shape"),
        (json.dumps({"inputs": [[float("nan")] * 103]}).encode(), "finite"),
        (json.dumps({"inputs": [["x"] * 103]}).encode(), ""),
        (json.dumps({"rows": [[1.0] * 103]}).encode(), "inputs"),
    ],
)
def test_a_served_model_says_what_is_wrong(served: str, body: bytes, reason: str) -> None:
    status, text = post(served, body)
    assert 400 <= status < 500
    assert reason in json.loads(text)["message"]
