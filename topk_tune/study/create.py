"""A new study from what its user says, checked whole before anything is written."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import booster
from topk_tune.data import Dataset, load
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.plugins.names import one_of, one_of_literal
from topk_tune.records.settings import Protocol, StudySettings, check_name
from topk_tune.spaces import Space, read_space
from topk_tune.study.study import check
from topk_tune.training.metrics import METRICS
from topk_tune.training.trial import can_be_cut

DEFAULT_ALGORITHM = "topada"


def prepare(
    dataset: str,
    algorithm: str | None,
    space: str | Space | None,
    name: str | None,
    *,
    labels: str | None = None,
    split: str | None = None,
    sampler: str = "tpe",
    pruner: str | None = None,
    protocol: str = "validation",
    objective: str | None = None,
    runtime_objective: bool = False,
    first: Sequence[Mapping[str, Any]] = (),
    **settings: Any,
) -> tuple[StudySettings, Dataset]:
    """The settings of a new study and its data, all checked; nothing is written."""
    SAMPLERS.named(sampler)
    one_of_literal("protocol", protocol, Protocol)
    pruner = pruner or ("none" if runtime_objective else "median")
    PRUNERS.named(pruner)
    if objective is not None:
        settings["objective"] = one_of("objective", objective, METRICS)
    searched = choose_space(space, algorithm, dataset)
    name = check_name(name or _made_up(dataset))
    data = load(dataset, labels=labels, split=split)
    searched.check(data.n_features, data.n_labels)  # here errors still know file and line
    made = StudySettings(
        name=name,
        dataset=dataset,
        labels=labels,
        split=split,
        fingerprint=data.fingerprint,
        space=searched.to_dict(),
        sampler=sampler,
        pruner=pruner,
        protocol=protocol,  # type: ignore[arg-type]
        runtime_objective=runtime_objective,
        first=tuple(_full_length(config, searched) for config in first),
        **settings,
    )
    check(made, searched, data)
    return made, data


def choose_space(space: str | Space | None, algorithm: str | None, dataset: str) -> Space:
    """The space to search: a given one or the algorithm's, for that algorithm if one is named."""
    if algorithm is not None:
        one_of("algorithm", algorithm, booster.ALGORITHMS)
    if space is None:
        space = algorithm or DEFAULT_ALGORITHM
    chosen = read_space(space, dataset) if isinstance(space, str) else space
    return chosen if algorithm is None else chosen.fixed(algorithm=algorithm)


def _full_length(config: Mapping[str, Any], space: Space) -> dict[str, Any]:
    """A configuration with the most loops of a space, if its trial passes through all fewer."""
    if not can_be_cut(config) and space.allows(config):
        return dict(config)
    longest = {**config, "loops": int(space.largest("loops"))}
    space.contains(longest)
    return longest


def _made_up(dataset: str) -> str:
    """A name from the data set's and the time, without what may not be in one."""
    stem = dataset.rstrip("/").rsplit("/", 1)[-1].split(":")[0].split(".")[0]
    kept = "".join(c for c in stem if c.isascii() and (c.isalnum() or c in "-_")).lstrip("-_")
    return f"{kept[:40] or 'study'}-{datetime.now():%Y%m%d-%H%M%S}"
