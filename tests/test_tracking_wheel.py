"""The confirmed best of a study, loaded where the project is a wheel and no checkout is near."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tracking_cases import embedded, make_study, new_database
from wheels import build_wheel, clean_environment

import booster
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.stopping import StopOptions
from topk_tune.session import confirm_tracked
from topk_tune.tracking.tracker import folder_of

PROGRAM = """
import json, sys
import mlflow.pyfunc, numpy
import booster, topk_tune
model = mlflow.pyfunc.load_model("models:/topk-demo@best")
ranked = model.predict(numpy.load("rows.npy")).tolist()
print(json.dumps([topk_tune.__file__, booster.__file__, ranked]))
"""


@pytest.mark.slow
def test_the_confirmed_best_ranks_the_same_in_an_environment_with_the_wheel(
    root: Path, tmp_path: Path
) -> None:
    study, data = make_study(tmp_path)
    few = {"study_plots": False, "trial_files": False}
    new_database(tmp_path)
    config = embedded(tmp_path, registered_model="topk-{study}", log=few)
    machines = ResourceOptions("local", 1)
    study.run(StopOptions(trials=3), machines, data=data)
    best = confirm_tracked(study, 2, 2, machines, lambda done, of: None, config)[0]

    python = clean_environment(build_wheel(root, tmp_path), tmp_path / "clean")
    place = tmp_path / "elsewhere"
    place.mkdir()
    np.save(place / "rows.npy", data.X_test)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"MLFLOW_TRACKING_URI": config.tracking_uri, "MLFLOW_DISABLE_TELEMETRY": "true"}
    done = subprocess.run(
        [python, "-c", PROGRAM], cwd=place, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *modules, ranked = json.loads(done.stdout)

    assert all(Path(module).is_relative_to(tmp_path / "clean") for module in modules)
    model = booster.load(folder_of(study) / f"confirmed-{best.trial}.npz")
    assert ranked == np.array(data.label_names)[model.rank(data.X_test)].tolist()
