"""The model that a confirmation keeps is a typical one."""

import logging
from pathlib import Path

import pytest
from messages import says
from report_cases import made_confirmation
from tracking_cases import embedded
from tuning import FakeBackend, FakeResources, study, tune

import booster
from topk_tune import session
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import Confirmation
from topk_tune.study.kept_model import kept_seed
from topk_tune.study.kept_model import test_loss as loss_on_test
from topk_tune.tracking import Tracker
from topk_tune.tracking.models import mlflow_serves, note_uri, noted_uri
from topk_tune.training.trial import train_booster


@pytest.mark.parametrize(
    ("test", "held", "seed"),
    [
        ([0.1, 0.2, 0.3], [0.14, 0.11, 0.12, 0.13, 0.10], 2_000_002),
        ([0.1, 0.2, 0.3], [0.1, 0.4], 2_000_000),
        ([0.2, 0.11, 0.14], [], 1_000_002),
    ],
)
def test_it_is_that_of_the_seed_closest_to_the_median(
    test: list[float], held: list[float], seed: int
) -> None:
    kept = kept_seed(made_confirmation(3, test, held))
    assert kept.seed == seed
    says(kept, seed, f"{kept.value:.4f}", f"{kept.median:.4f}")
    assert ("held-out rows" in str(kept)) == bool(held)


def test_confirm_keeps_it_and_says_its_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = study(tmp_path)
    tune(made.store, StopOptions(trials=3))
    kept: list[booster.Booster] = []
    monkeypatch.setattr(Tracker, "_keep_sending", lambda self: None)
    monkeypatch.setattr(Tracker, "_save", lambda self, number, kind, model: kept.append(model))
    resources = FakeResources(made=FakeBackend(1, train=None))
    with caplog.at_level(logging.INFO, "topk_tune"):
        first, *_ = session.confirm_tracked(
            made, 2, 3, resources, lambda *_: None, embedded(tmp_path)
        )
    assert isinstance(first, Confirmation)
    seed, data = kept_seed(first).seed, made.data()
    (model,) = kept
    assert (
        model.rank(data.X_test) == train_booster(first.config, seed, data).rank(data.X_test)
    ).all()
    says(caplog.text, seed, f"{loss_on_test(model, data):.4f}")


def test_the_command_that_serves_it_is_known_once_mlflow_has_it(tmp_path: Path) -> None:
    assert noted_uri(tmp_path) is None
    note_uri(tmp_path, "models:/m-123")
    assert noted_uri(tmp_path) == "models:/m-123"
    config = embedded(tmp_path)
    command = mlflow_serves("models:/m-123", config)
    says(command, "mlflow models serve", "models:/m-123", config.tracking_uri)
