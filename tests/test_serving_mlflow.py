"""Models of MLflow to serve: by name and alias, by version, by run, and what is not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import mlflow
import numpy as np
import pytest
from messages import raises
from serving_cases import NAMES, bits_of, make_ranker, round_of, rows
from tracking_cases import embedded, new_database

from booster import FullAda
from topk_tune.commands.serve import FOLDER, open_models
from topk_tune.serving.served_model import DEFAULT
from topk_tune.serving.sources import Source, _looking_in
from topk_tune.tracking import entries
from topk_tune.tracking.models import log_model, register
from topk_tune.tracking.server_side import by_mlflow, experiment_id

pytestmark = pytest.mark.slow


class Tracked(NamedTuple):
    """A store with the models of two runs: one that can be served, and one that cannot."""

    folder: Path
    run: str
    model: str
    full_run: str


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Tracked:
    folder = tmp_path_factory.mktemp("mlflow")
    new_database(folder)
    config = embedded(folder)
    client = by_mlflow(config)
    experiment = experiment_id(client, config, "songs")
    found = {}
    full = FullAda(n_features=6, n_labels=5, n_learners=3)
    for name, made in (("top", make_ranker()), ("full", full)):
        made.save(folder / f"{name}.npz")
        run = client.create_run(experiment).info.run_id
        example = np.zeros((1, 6)).tolist()
        entry = entries.Model(trial=0, name=f"{name}.npz", labels=NAMES, example=example)
        found[name] = run, log_model(client, experiment, run, entry, folder)
    run, logged = found["top"]
    with _looking_in(config.tracking_uri):  # as the process that sends does
        assert register(client, "topk-songs", run, logged) == "models:/topk-songs@best"
    return Tracked(folder, run, logged.model_id, found["full"][0])


@pytest.fixture(autouse=True)
def workplace(tracked: Tracked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose mlflow.yaml names the store."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("MLFLOW_")]:
        monkeypatch.delenv(name)
    Path("mlflow.yaml").write_text(f"tracking_uri: sqlite:///{tracked.folder / 'mlflow.db'}\n")
    return tmp_path


def places(tracked: Tracked) -> dict[str, str]:
    """Names of the models that are served, and what names them in MLflow."""
    return {
        "topk-songs": "models:/topk-songs@best",
        "numbered": "numbered=models:/topk-songs/1",
        "logged": f"logged=models:/{tracked.model}",
        tracked.run: f"runs:/{tracked.run}/booster",
    }


def test_a_model_is_served_by_any_of_its_addresses(tracked: Tracked) -> None:
    sources = [Source.of(text) for text in places(tracked).values()]
    with open_models(sources, None, DEFAULT) as models:
        assert list(models) == list(places(tracked))
        for model in models.values():
            assert bits_of(model.ranker) == bits_of(make_ranker())
            assert list(model.labels) == NAMES
        X, Y = rows(1)
        assert round_of(models["topk-songs"], X[0], Y[0]) == 1
    assert {path.name for path in Path(FOLDER).iterdir()} == set(models)
    with open_models(sources[:1], None, DEFAULT) as models:  # it goes on where it was
        assert models["topk-songs"].ranker.rounds == 1
    assert "MLFLOW_TRACKING_URI" not in os.environ  # what is started later asks mlflow.yaml
    assert mlflow.get_tracking_uri() != embedded(tracked.folder).tracking_uri


def test_a_variable_names_another_store_and_is_left_alone(
    tracked: Tracked, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = f"sqlite:///{tracked.folder / 'mlflow.db'}"
    Path("mlflow.yaml").unlink()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store)
    with open_models([Source.of("models:/topk-songs@best")], None, DEFAULT) as models:
        assert set(models) == {"topk-songs"}
    assert os.environ["MLFLOW_TRACKING_URI"] == store


@pytest.mark.parametrize(
    "place",
    ["models:/nosuch@best", "models:/topk-songs@worst", "models:/topk-songs/9", "runs:/0/b"],
)
def test_what_mlflow_does_not_have_is_told(place: str) -> None:
    with raises(ValueError, place), open_models([Source.of(place)], None, DEFAULT):
        pass
    assert not Path(FOLDER).exists()


def test_a_model_with_all_labels_is_no_model_to_serve(tracked: Tracked) -> None:
    place = f"runs:/{tracked.full_run}/booster"
    with raises(ValueError, "FullAda"), open_models([Source.of(place)], None, DEFAULT):
        pass


def test_a_database_that_does_not_exist_is_not_made() -> None:
    Path("mlflow.yaml").write_text("tracking_uri: sqlite:///nosuch.db\n")
    place = "models:/topk-songs@best"
    with raises(ValueError, place, "nosuch.db"), open_models([Source.of(place)], None, DEFAULT):
        pass
    assert not Path("nosuch.db").exists()
