"""A booster as an MLflow model: arrays and JSON, no pickle.

MLflow imports this module by name, so the package must be installed where a model is loaded.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import booster
from booster.protocol import Trainable
from booster.streamed import trainable
from booster.tables import ALGORITHMS
from topk_tune.data.rows import sparse_rows
from topk_tune.tracking.examples import Example, example_rows
from topk_tune.version import __version__

if TYPE_CHECKING:
    from mlflow.models import Model

BOOSTER, LABELS = "booster.npz", "labels.json"
RANKER = "ranker.json"
"""What is there of a ranker that is no booster: its algorithm, whose class can read its file."""


_MOST_CELLS = 1_000_000
"""The size of an example: MLflow writes the zeros of sparse rows out."""


class RankingModel:
    """Ranks labels for rows of features.

    Parameters
    ----------
    model
        The booster or other ranker, which is only read.
    label_names
        The names of its labels.
    """

    def __init__(self, model: Trainable, label_names: Sequence[str]) -> None:
        self._model = model
        self._names = np.array(label_names, dtype=object)

    def predict(
        self, model_input: Any, params: dict[str, Any] | None = None
    ) -> NDArray[np.object_]:
        """The names of all labels for each row, best first, without exploration.

        Rows are a DataFrame, an array or a sparse matrix.
        """
        from mlflow.exceptions import MlflowException

        try:
            rankings = self._model.rank(_features(model_input))
        except ValueError as error:
            # MLflow's server returns status 400 with the reason for this error.
            raise MlflowException.invalid_parameter_value(str(error)) from None
        return self._names[rankings]


def _features(model_input: Any) -> Any:
    if hasattr(model_input, "tocsr"):  # as all sparse matrices have it
        return sparse_rows(model_input)
    return np.asarray(model_input, dtype=np.float32)


def save_pyfunc(
    folder: Path,
    file: Path,
    label_names: Sequence[str],
    example: Example,
    mlflow_model: Model | None = None,
    algorithm: str | None = None,
) -> None:
    """Write the booster of a file as an MLflow model into a new folder.

    `algorithm` may name another ranker, whose class reads the file.
    """
    import mlflow.pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import Schema, TensorSpec

    rows = example_rows(example)
    inputs = Schema([TensorSpec(np.dtype(np.float32), (-1, rows.shape[1]))])
    outputs = Schema([TensorSpec(np.dtype(str), (-1, len(label_names)))])
    with tempfile.TemporaryDirectory() as place:
        content = Path(place) / "ranking"  # its name in the model
        content.mkdir()
        (content / BOOSTER).write_bytes(file.read_bytes())
        (content / LABELS).write_text(json.dumps(list(label_names)), encoding="utf-8")
        if algorithm is not None and algorithm not in ALGORITHMS.own:
            about = {"algorithm": algorithm, "n_features": rows.shape[1]}
            (content / RANKER).write_text(json.dumps(about), encoding="utf-8")
        mlflow.pyfunc.save_model(
            str(folder),
            loader_module=__name__,
            data_path=str(content),
            mlflow_model=mlflow_model,
            signature=ModelSignature(inputs, outputs),
            input_example=rows if rows.shape[0] * rows.shape[1] <= _MOST_CELLS else None,
            pip_requirements=[f"topk-tune=={__version__}", *_brought_by(algorithm)],
        )


def _load_pyfunc(path: str) -> RankingModel:
    """Load the model; MLflow calls this with the folder of its data."""
    names = json.loads((Path(path) / LABELS).read_text(encoding="utf-8"))
    return RankingModel(_loaded(Path(path), len(names)), names)


def _loaded(folder: Path, n_labels: int) -> Trainable:
    if (folder / RANKER).exists():
        about = json.loads((folder / RANKER).read_text(encoding="utf-8"))
        made = ALGORITHMS.load(ALGORITHMS.listed(about["algorithm"]))
        if not issubclass(made, booster.Booster):
            ranker = made.load(folder / BOOSTER)
            return trainable(ranker, about["n_features"], n_labels)
    return booster.load(folder / BOOSTER)


def _brought_by(algorithm: str | None) -> list[str]:
    package = ALGORITHMS[algorithm].package if algorithm else ""
    return [f"{package}=={version(package)}"] if package else []
