"""The pictures of MLflow in docs/images, taken from a study that was tracked and confirmed.

python -m benchmarks.pictures_mlflow
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browser import Browser

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
COMMANDS = (
    "run --dataset yeast --algorithm topada --trials 20 --name demo",
    "confirm demo --top 2 --seeds 3",
    "sync demo",
)
WIDTH, HEIGHT = 1500, 900
LOADING = 12.0
"""Seconds until a page of MLflow has drawn everything."""

CLOSE_ASSISTANT = """
for (const name of Object.keys(localStorage)) {
  if (name.includes("panelOpen")) localStorage.setItem(name, "false");
}
"""
"""MLflow opens a panel of its own when a browser comes for the first time."""


def call(words: str) -> list[str]:
    """The command line of `topk-tune` with these words."""
    return [str(Path(sys.executable).with_name("topk-tune")), *words.split()]


@contextmanager
def served(folder: Path) -> Iterator[list[str]]:
    """Serve the study's pages; yields the addresses of its trials and of itself."""
    command = call("ui demo")
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found: list[str] = []
        while len(found) < 2:
            found += [word for word in process.stdout.readline().split() if "/#/" in word]
        try:
            yield found
        finally:
            process.terminate()


def first_trial(folder: Path) -> str:
    """The run of the best trial."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
    experiments = [each.experiment_id for each in client.search_experiments()]
    runs = client.search_runs(experiments, "tags.state = 'complete'", order_by=["metrics.loss"])
    return str(next(run.info.run_id for run in runs if "mlflow.parentRunId" in run.data.tags))


def main() -> None:
    """Run, confirm and track a study, and write the pictures of its pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in COMMANDS:
            subprocess.run(call(words), cwd=folder, check=True)
        with served(folder) as (trials, study):
            before, _, shown_as = study.rpartition("?")
            metrics = f"{before.rpartition('/')[0]}/{first_trial(folder)}/model-metrics?{shown_as}"
            pages = {"experiment": trials, "study": study, "trial": metrics}
            browser = Browser(folder / "profile")
            browser.open(trials, width=WIDTH)
            time.sleep(LOADING)
            browser.call("Runtime.evaluate", expression=CLOSE_ASSISTANT)
            for page, address in pages.items():
                browser.open("about:blank", width=WIDTH)  # pages of MLflow share one document
                browser.open(address, width=WIDTH, height=HEIGHT)
                time.sleep(LOADING)
                taken = browser.call("Page.captureScreenshot", format="png")
                path = IMAGES / f"mlflow-{page}.png"
                path.write_bytes(base64.b64decode(taken["data"]))
            browser.close()


if __name__ == "__main__":
    main()
