"""A new study from what its user says, checked whole before anything is written."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import yaml

import search_spaces
from booster.tables import ALGORITHMS
from topk_tune.data import Dataset, load
from topk_tune.plugins.names import one_of, one_of_literal
from topk_tune.records.settings import Protocol, PrunerName, SamplerName, StudySettings, check_name
from topk_tune.spaces import Space, parse_space, read_space
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
    one_of_literal("sampler", sampler, SamplerName)
    one_of_literal("protocol", protocol, Protocol)
    pruner = pruner or ("none" if runtime_objective else "median")
    one_of_literal("pruner", pruner, PrunerName)
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
        sampler=sampler,  # type: ignore[arg-type]
        pruner=pruner,  # type: ignore[arg-type]
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
        ALGORITHMS.named(algorithm)
    if space is None:
        chosen = _default_space(algorithm or DEFAULT_ALGORITHM, dataset)
    else:
        chosen = read_space(space, dataset) if isinstance(space, str) else space
    return chosen if algorithm is None else chosen.fixed(algorithm=algorithm)


def _default_space(algorithm: str, dataset: str) -> Space:
    """Where an algorithm is searched if nothing else is said: a file of ours, or what its class
    says itself."""
    if algorithm in search_spaces.spaces():
        return read_space(algorithm, dataset)
    own = getattr(ALGORITHMS.load(algorithm), "search_space", None)
    if own is None:
        raise ValueError(f"algorithm {algorithm!r} brings no search space: name one with --space")
    if not isinstance(own, Mapping):
        return read_space(str(own), dataset)
    block = {"default": {"algorithm": algorithm, **own}}
    text = yaml.safe_dump(block, sort_keys=False)
    return parse_space(text, f"search_space of {algorithm}", dataset)


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
