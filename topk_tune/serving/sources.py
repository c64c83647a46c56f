"""Where a model to serve comes from: a file or MLflow."""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import booster
from booster.feedback import TopFeedback
from booster.tables import ALGORITHMS
from topk_tune.serving.served_model import NewModel
from topk_tune.study.config_file import read_config
from topk_tune.tracking import TrackingConfig
from topk_tune.tracking.pyfunc import BOOSTER, LABELS, RANKER
from topk_tune.tracking.uris import scrubbed, sqlite_file
from topk_tune.training.trial import why_unsaved

_MLFLOW = ("models:/", "runs:/")
_TRACKING_URI = "MLFLOW_TRACKING_URI"
_CONFIG = (".yaml", ".yml", ".json")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class Source:
    """A model to serve.

    Parameters
    ----------
    name
        Its name, for requests and for the folder.
    place
        A path or an address of MLflow.
    """

    name: str
    place: str

    @classmethod
    def of(cls, text: str) -> "Source":
        """From an argument, `NAME=PLACE` or `PLACE`.

        >>> Source.of("a=models/one.npz")
        Source(name='a', place='models/one.npz')
        >>> Source.of("models:/songs@best").name
        'songs'
        """
        name, equals, place = text.partition("=")
        if not equals or "/" in name:
            name, place = "", text
        source = cls(name or _own_name(place), place)
        if not _NAME.fullmatch(source.name):
            raise ValueError(
                "the name of a model must be letters, digits, '.', '_' or '-', at most 64, but got "
                f"{source.name!r}: give another one, NAME={place}"
            )
        return source

    @property
    def is_in_mlflow(self) -> bool:
        """Whether MLflow has it."""
        return self.place.startswith(_MLFLOW)

    @property
    def is_config(self) -> bool:
        """Whether it is a configuration, which is trained first."""
        return not self.is_in_mlflow and self.place.endswith(_CONFIG)

    @property
    def parent(self) -> Path:
        """The folder that it is in; for MLflow, the current one."""
        return Path() if self.is_in_mlflow else Path(self.place).parent


def check_names(sources: Sequence[Source]) -> None:
    """Raise a ValueError unless each model has a name of its own."""
    names = [source.name for source in sources]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"each model must have a name of its own, NAME=PLACE, but two are {twice}")


def check_servable(ranker: Any, place: str) -> TopFeedback:
    """The ranker, if it can learn from what it shows and be saved; else a ValueError."""
    if not isinstance(ranker, TopFeedback):
        raise ValueError(
            f"{place}: a served model must be a booster with top-k feedback, but got "
            f"{type(ranker).__name__}"
        )
    return ranker


def check_config(path: Path) -> None:
    """Raise a ValueError if the booster of a configuration could not be served once trained."""
    config = read_config(path)
    made = ALGORITHMS.load(ALGORITHMS.named(config["algorithm"]))
    reason = why_unsaved(config)
    if not issubclass(made, TopFeedback):
        reason = f"{config['algorithm']!r} is told about all labels, or is no booster"
    if reason is not None:
        raise ValueError(
            f"{path}: a served model must have top-k feedback and be one that can be saved, but "
            f"{reason}"
        )


def read_booster(path: Path) -> tuple[NewModel, str]:
    """The booster of a file and the digest of the file; labels are named by their numbers."""
    ranker = check_servable(booster.load(path), str(path))
    return NewModel(ranker, [str(label) for label in range(ranker.n_labels)]), digest(path)


def read_logged(uri: str, config: TrackingConfig) -> tuple[NewModel, str]:
    """The booster of a model in MLflow with the names of its labels, and the file's digest."""
    from mlflow.artifacts import download_artifacts
    from mlflow.exceptions import MlflowException

    tracking, registry = config.tracking_uri, config.registry_uri or config.tracking_uri
    for database in filter(None, map(sqlite_file, (tracking, registry))):
        if not database.exists():  # MLflow would make an empty one
            raise ValueError(f"{uri}: MLflow must have this model, but {database} does not exist")
    with _looking_in(tracking), tempfile.TemporaryDirectory() as place:
        try:
            folder = download_artifacts(
                uri, dst_path=place, tracking_uri=tracking, registry_uri=registry
            )
        except (MlflowException, OSError) as error:
            known = scrubbed(str(error), config.tracking_uri, config.registry_uri)
            raise ValueError(f"{uri}: MLflow must have this model, but: {known}") from None
        found = next(iter(sorted(Path(folder).rglob(BOOSTER))), None)
        if found is None or (found.parent / RANKER).exists():
            raise ValueError(f"{uri}: the model must be a booster that topk-tune has logged")
        model, digested = read_booster(found)
        labels = json.loads((found.parent / LABELS).read_text(encoding="utf-8"))
    return NewModel(model.ranker, [str(label) for label in labels]), digested


@contextmanager
def _looking_in(uri: str) -> Iterator[None]:
    """Have MLflow look up logged models (models:/m-..) there, which it does in no other way.

    It also tells all processes that are started later, so both are taken back.
    """
    import mlflow

    before = os.environ.get(_TRACKING_URI)
    mlflow.set_tracking_uri(uri)
    try:
        yield
    finally:
        mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # as it was: not set
        if before is not None:
            os.environ[_TRACKING_URI] = before


def digest(path: Path) -> str:
    """The digest of a file, by which a folder knows its model again."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _own_name(place: str) -> str:
    if place.startswith(_MLFLOW):
        return re.split(r"[@/]", place.partition(":/")[2])[0]
    return Path(place).stem
