"""MLflow's own pages in a browser: a study with its trials below it, a trial with its curve."""

import json
import time
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from mlflow import MlflowClient
from tracking_cases import make_study, server_settings, tracked_by

from topk_tune.machines import Machines
from topk_tune.stopping import StopRule
from topk_tune.tracking import open_tracker
from topk_tune.tracking.server import Server, page
from topk_tune.tracking.tracker import folder_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(200),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]


EXPANDER = "[data-component-id$='runnamecellrenderer.tsx_46']"
"""What opens a run in MLflow's list of runs."""


def test_the_pages_show_the_study_its_trials_and_their_curves(tmp_path: Path) -> None:
    study, data = make_study(tmp_path, seeds=2)
    settings = server_settings(tmp_path)
    config = tracked_by(settings, log={"study_plots": False, "trial_files": False})
    with Server(settings):
        with open_tracker(study, config, data) as tracker:
            study.run(StopRule(trials=3), Machines("local", 1), observers=[tracker.observe])
        client = MlflowClient(settings.address)
        experiment = client.search_experiments(filter_string="name LIKE 'topk-tune/%'")[0]
        runs = client.search_runs([experiment.experiment_id])
        (trial,) = [run.info.run_id for run in runs if run.info.run_name == "trial 1"]
        browser = Browser(tmp_path / "browser")
        try:
            list_of_runs = f"{settings.address}/#/experiments/{experiment.experiment_id}/runs"
            _open(browser, list_of_runs + "?workflowType=machine_learning")
            _until(browser, "document.body.innerText.includes('demo')")
            # Children are below their parent, so not in the list until it is opened.
            assert "trial 1" not in browser.value("document.body.innerText")
            _until(browser, f"document.querySelectorAll({json.dumps(EXPANDER)}).length == 1")
            browser.click(EXPANDER)
            for number in range(3):
                _until(browser, f"{_left(f'trial {number}')} > {_left('demo')}")
            _open(browser, page(config, folder_of(study)))
            for number in range(3):
                _until(browser, f"document.body.innerText.includes('trial {number}')")
            curves = list_of_runs + f"/{trial}/model-metrics?workflowType=machine_learning"
            _open(browser, curves)
            _until(browser, "document.body.innerText.includes('validation_loss')")
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
    deadline = time.monotonic() + 60
    while not browser.value(condition):
        assert time.monotonic() < deadline, f"never: {condition}"
        time.sleep(0.2)
