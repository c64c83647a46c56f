"""What the curves are of: an algorithm on a data set, with its shipped space and a study's rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import optuna

from topk_tune.data import Dataset, load
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Space
from topk_tune.spaces.decimals import DecimalSampler
from topk_tune.study.plan import choose_space, kind_of
from topk_tune.study.rows import tuning_rows
from topk_tune.training.trial import TrialRows

ALGORITHMS = ("topada", "topopt")
DATASETS = ("emotions", "scene", "yeast", "m_reduced", "enron")


class Task(NamedTuple):
    """An algorithm on a data set."""

    algorithm: str
    dataset: str

    @property
    def name(self) -> str:
        """Its name in files."""
        return f"{self.algorithm}-{self.dataset}"

    def space(self) -> Space:
        """The space that a study of it searches by default."""
        return choose_space(None, self.algorithm, self.dataset, kind_of(_data(self.dataset)))

    def settings(self, space: Space, **changes: Any) -> StudySettings:
        """The settings of a study of it, with the defaults where nothing else is given."""
        data = _data(self.dataset)
        given = {"name": self.name, "dataset": self.dataset, "fingerprint": data.fingerprint}
        return StudySettings.model_validate({**given, "space": space.to_dict(), **changes})

    def rows(self) -> TrialRows:
        """The rows that its trials train on and are measured with."""
        return tuning_rows(_data(self.dataset), self.settings(self.space()))


def random_configurations(space: Space, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Independent draws from a space, without end; the first ones never change."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=DecimalSampler(optuna.samplers.RandomSampler(seed=seed)))
    while True:
        yield space.suggest(study.ask())


@cache
def _data(name: str) -> Dataset:
    return load(name)
