"""The list of a study's trials as MLflow's pages show it: best first, with what was searched.

MLflow keeps such views in tags of an experiment, and the address of a page names the tag.
"""

import json
from urllib.parse import urlencode

from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Fixed, Space
from topk_tune.tracking.runs import LONGEST_TAG, STUDY

TAG = "mlflow.sharedViewState."
"""The beginning of the tags that hold views; the rest is the key of the view."""

# Otherwise MLflow opens its pages in a view for language models.
KIND = {"workflowType": "machine_learning"}


def state(settings: StudySettings, study: str) -> str:
    """The view of a study with this id: its trials, with loss, time, state and parameters."""
    loss = _column("metrics", settings.objective)
    searched = [
        _column("params", name)
        for name, parameter in Space.from_dict(settings.space).parameters.items()
        if not isinstance(parameter, Fixed)
    ]
    columns = [loss, _column("metrics", "runtime_seconds"), _column("tags", "state"), *searched]
    while len(text := _text(settings, study, columns)) > LONGEST_TAG:
        columns.pop()
    return text


def _text(settings: StudySettings, study: str, columns: list[str]) -> str:
    content = {
        # With a filter the runs of trials are not hidden below that of their study.
        "searchFilter": f"tags.{STUDY} = '{study}' and tags.kind = 'trial'",
        "orderByKey": columns[0],
        "orderByAsc": settings.goal.direction == "minimize",
        "selectedColumns": columns,
        "columnOrder": columns,
    }
    return json.dumps(content, separators=(",", ":"))


def list_page(experiment: str, key: str) -> str:
    """The page of a view, relative to the address of the server."""
    return f"#/experiments/{experiment}/runs?{urlencode({'viewStateShareKey': key, **KIND})}"


def run_page(experiment: str, run: str, part: str = "") -> str:
    """The page of a run, or a part of it."""
    return f"#/experiments/{experiment}/runs/{run}{part}?{urlencode(KIND)}"


def _column(kind: str, name: str) -> str:
    return f"{kind}.`{name}`"
