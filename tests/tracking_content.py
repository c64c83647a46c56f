"""What a trial has in MLflow: written by any client, and what MLflow's own one finds of it."""

from typing import Any

from mlflow import MlflowClient

from topk_tune.tracking.clients import Client
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.runs import Point, Runs, entities_for
from topk_tune.tracking.server_side import experiment_id

POINTS: list[Point] = [
    *[("loops/loss", 1 / step, step, 1000) for step in (2, 1, 3)],
    ("best_loop", 3.0, 0, 1000),
    ("best_loop", 2.0, 0, 900),
]


def write(client: Client, config: TrackingConfig, name: str = "of trials") -> str:
    """Log two runs with everything that a trial has; return the experiment."""
    kinds = entities_for(client)
    experiment = experiment_id(client, config, name)
    client.set_experiment_tag(experiment, "seen", "yes")
    runs = Runs(client, experiment, "study")
    data = kinds.Dataset(
        name="yeast", digest="abc", source_type="code", source="{}", profile='{"rows": 3}'
    )
    for number in range(2):
        run = runs.get(number, f"trial {number}", {"kind": "trial"}, 500)
        run.log(POINTS[:2], params={"rho": 0.1}, tags={"state": "running"})
        run.log(POINTS, params={"rho": 0.1, "k": 2}, tags={"state": "complete", "host": "h"})
        client.log_inputs(run.id, [kinds.DatasetInput(data, [kinds.InputTag("for", "training")])])
        client.update_run(run.id, "RUNNING")
        client.set_terminated(run.id, "FINISHED", 2000)
    return experiment


def content(config: TrackingConfig, experiment: str) -> list[Any]:
    """What MLflow finds in a database, without ids of experiments, runs and data sets."""
    client = MlflowClient(config.tracking_uri)
    found: list[Any] = [client.get_experiment(experiment).tags]
    for run in client.search_runs([experiment], order_by=["tags.trial"]):
        info, data = run.info, run.data
        (given,) = run.inputs.dataset_inputs
        names = ("loops/loss", "best_loop")
        history = [client.get_metric_history(info.run_id, name) for name in names]
        points = [{(m.step, m.value, m.timestamp) for m in metric} for metric in history]
        found += [info.run_name, info.status, info.start_time, info.end_time, info.user_id]
        found += [data.metrics, data.params, data.tags, points, given.dataset.to_dictionary()]
        found += [[(tag.key, tag.value) for tag in given.tags]]
        files = info.artifact_uri.replace(f"/{experiment}/", "/experiment/")
        found += [files.replace(info.run_id, "run").rsplit("/", 3)[1:]]
    return found
