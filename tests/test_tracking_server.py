"""Studies that really run, tracked by real servers on loopback, and MLflow's own pages of one."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import mlflow
import numpy as np
import pytest
from browser import CHROMIUM, Browser
from databases import postgresql, rows
from messages import raises, says
from mlflow import MlflowClient
from mlflow.entities import Run
from tracking_cases import (
    check_trials,
    files_of,
    history,
    make_study,
    new_database,
    outage,
    runs_of,
    server_settings,
    tracked_by,
)

from topk_tune import cli
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine import events
from topk_tune.engine.stopping import StopOptions
from topk_tune.serving.sources import read_logged
from topk_tune.study.confirm import confirm
from topk_tune.study.kept_model import KeptModel
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingConfig, open_tracker
from topk_tune.tracking.models import noted_uri
from topk_tune.tracking.server import Server, page
from topk_tune.tracking.tracker import folder_of
from topk_tune.training.trial import train_booster

pytestmark = pytest.mark.slow

TRIALS = 10
"""As many as importances need."""

TAGS = {
    "algorithm",
    "command",
    "dataset",
    "dataset_fingerprint",
    "host",
    "protocol",
    "seed",
    "state",
    "study",
    "study_id",
    "trial",
    "version.numpy",
    "version.python",
    "version.topk-tune",
}
METRICS = {
    "best_loop",
    "average_precision",
    "final_shown_loss",
    "greedy_loss",
    "hinge_loss",
    "loops/shown_loss",
    "loops/train_loss",
    "objective",
    "nodes",
    "peak_memory_bytes",
    "rank_loss",
    "rounds_per_second",
    "runtime_seconds",
    "shown_loss",
    "split_attempts",
}

EXPANDER = "[data-component-id$='runnamecellrenderer.tsx_46']"
"""What opens a run in MLflow's list of runs."""


def run_study(
    folder: Path, config: TrackingConfig, *observers: Any, trials: int = TRIALS, seeds: int = 1
) -> Study:
    study, data = make_study(folder, seeds=seeds, pruner="none")
    with open_tracker(study, config, data) as tracker:
        watching = [tracker.observe, *observers]
        study.run(
            StopOptions(trials=trials), ResourceOptions("local", 1), observers=watching, data=data
        )
    return study


def check_everything(client: MlflowClient, study: Study) -> None:
    def also(run: Run) -> None:
        assert set(run.data.tags) >= TAGS
        assert set(run.data.metrics) >= METRICS
        assert run.data.params.keys() == set(study.records()[0].config)
        assert files_of(client, run) >= {"config.yaml", "curve.csv", "curve.svg"}
        (data,) = run.inputs.dataset_inputs
        assert study.settings.fingerprint.startswith(data.dataset.digest)

    check_trials(client, study.records(), also)
    parent, _ = runs_of(client)
    curve, best = history(client, parent, "best_shown_loss"), study.best()
    assert best is not None
    assert list(curve) == list(range(1, len(study.records()) + 1))
    assert list(curve.values()) == sorted(curve.values(), reverse=True)
    assert curve[len(curve)] == best.value
    drawn = ["history", "parallel", "slice"]
    if len(study.records()) >= TRIALS:
        drawn.append("importances")
    plots = {f"plots/{name}.svg" for name in drawn}
    assert files_of(client, parent) >= plots | {"best.yaml", "trials.csv", "space.yaml"}
    assert parent.info.status == "FINISHED"


@pytest.fixture(scope="module")
def database() -> Iterator[str | None]:
    """PostgreSQL, where it can run; the test of a server that comes and goes has a file."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgresql())
        except pytest.skip.Exception:
            url = None
        yield url


@pytest.fixture(scope="module")
def server(
    database: str | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TrackingConfig]:
    folder = tmp_path_factory.mktemp("server")
    if database is None:
        new_database(folder)
    settings = server_settings(folder, database)
    with Server(settings):
        yield tracked_by(settings, registered_model="topk-{study}")


@pytest.fixture(scope="module")
def study(server: TrackingConfig, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return run_study(tmp_path_factory.mktemp("study"), server, seeds=2)


def test_a_study_is_a_run_and_its_trials_are_runs_below(
    server: TrackingConfig, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = MlflowClient(server.tracking_uri)
    check_everything(client, study)

    found = confirm(study, 2, 3, ResourceOptions("local", 1))
    data = study.data()
    report = tmp_path / "report.html"
    report.write_text("<html>")
    with open_tracker(study, server, data) as tracker:
        best = study.best()
        assert best is not None
        tracker.keep_booster(best.number, best.best_config, study.settings.seed)
        model = train_booster(found[0].config, 7, data)
        tracker.confirmed(found, KeptModel(model, seed=7, loss=0.25), data)
        tracker.add_file(report)
    check_trials(client, study.records())
    parent, children = runs_of(client)
    assert "report.html" in files_of(client, parent)
    assert f"booster-{best.number}.npz" in files_of(client, children[best.number])
    run = children[found[0].trial]
    assert f"confirmed-{found[0].trial}.npz" in files_of(client, run)
    assert list(history(client, run, "confirmed_shown_loss_by_seed").values()) == found[0].values
    assert history(client, run, "confirmed_shown_loss") == {3: found[0].value}
    assert run.data.tags["model_seed"] == "7"
    assert history(client, run, "model_shown_loss") == {0: 0.25}
    assert noted_uri(tracker.folder) == "models:/topk-demo@best"
    version = client.get_model_version_by_alias("topk-demo", "best")
    assert version.run_id == run.info.run_id
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server.tracking_uri)
    loaded = mlflow.pyfunc.load_model("models:/topk-demo@best")
    order = model.rank(data.X_test)
    assert (loaded.predict(data.X_test) == np.array(data.label_names)[order]).all()
    to_serve, _ = read_logged("models:/topk-demo@best", server)
    assert to_serve.labels == list(data.label_names)
    assert (to_serve.ranker.rank(data.X_test) == order).all()
    with raises(ValueError, "models:/topk-other@best"):
        read_logged("models:/topk-other@best", server)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_pages_show_the_study_its_trials_and_their_curves(
    server: TrackingConfig, study: Study, tmp_path: Path
) -> None:
    client = MlflowClient(server.tracking_uri)
    parent, trials = runs_of(client)
    some = [f"trial {number}" for number in range(TRIALS - 3, TRIALS)]
    list_of_runs = f"{server.tracking_uri}/#/experiments/{parent.info.experiment_id}/runs"
    browser = Browser(tmp_path / "browser")
    try:
        _open(browser, list_of_runs + "?workflowType=machine_learning")
        _until(browser, "document.body.innerText.includes('demo')")
        # Children are below their parent, so not in the list until it is opened.
        assert some[0] not in browser.value("document.body.innerText")
        _until(browser, f"document.querySelectorAll({json.dumps(EXPANDER)}).length == 1")
        browser.click(EXPANDER)
        for name in some:
            _until(browser, f"{_left(name)} > {_left('demo')}")
        _open(browser, page(server, folder_of(study)))
        for name in some:
            _until(browser, f"document.body.innerText.includes('{name}')")
        trial = trials[1].info.run_id
        curves = list_of_runs + f"/{trial}/model-metrics?workflowType=machine_learning"
        _open(browser, curves)
        # Charts that are off the screen are not drawn, and shown_loss is not among the first.
        tall = {"width": 1400, "height": 4000, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **tall)
        _until(browser, "document.body.innerText.includes('shown_loss')")
        _until(browser, "document.querySelectorAll('.scatterlayer .js-line').length > 0")
        shown = browser.value("document.body.innerText")
        sections = ("loops", "seed_0", "seed_1", "Model metrics")
        places = [shown.rindex(section) for section in sections]
        assert places == sorted(places), "curves come before the bars"
    finally:
        browser.close()


def _left(run: str) -> str:
    """Where the name of a run begins in the list of runs: children are indented."""
    links = "[...document.querySelectorAll('.ag-root a')]"
    return f"{links}.find(a => a.innerText === '{run}')?.getBoundingClientRect().x"


def _open(browser: Browser, address: str) -> None:
    browser.open("about:blank", 1400)  # a change of what follows the # alone loads nothing
    browser.open(address, 1400)


def _until(browser: Browser, condition: str) -> None:
    deadline = time.monotonic() + 300
    while not browser.value(condition):
        assert time.monotonic() < deadline, f"never: {condition}"
        time.sleep(0.2)


def test_postgresql_behind_the_server_holds_it(database: str | None, study: Study) -> None:
    """The first test has looked at everything through the server; this one asks the database."""
    if database is None:
        pytest.skip("PostgreSQL does not start here")
    ((runs,),) = rows(database, "SELECT count(*) FROM runs")
    assert runs == 1 + len(study.records())


def test_a_server_that_comes_and_goes_misses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Down at the start, up for some trials, killed, and back when the study is long over."""
    new_database(tmp_path)
    settings = server_settings(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", settings.address)
    monkeypatch.chdir(tmp_path)
    with outage(settings) as one:

        def interfere(notice: events.Notice) -> None:
            match notice:
                case events.TrialEnded(record) if record.number == 1:
                    one.begin()
                case events.TrialEnded(record) if record.number == 4:
                    one.kill()

        config = tracked_by(settings, finish_seconds=0)
        study = run_study(tmp_path, config, interfere, trials=6)
        assert len(study.records()) == 6
        (tmp_path / "mlflow.yaml").write_text("finish_seconds: 0\n")
        assert sync() == 1
        says(capsys.readouterr().out, "0 records")
        (tmp_path / "mlflow.yaml").write_text("finish_seconds: 90\n")
        one.begin()
        assert sync() == 0
        check_everything(MlflowClient(settings.address), study)
        capsys.readouterr()
        assert sync() == 0
        says(capsys.readouterr().out, "everything")


def sync() -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(["sync", "demo"])
    return int(ended.value.code or 0)
