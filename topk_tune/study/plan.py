"""Makes a plan from the options of a run, and checks all of it before anything is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import yaml

import search_spaces
from booster.tables import ALGORITHMS
from topk_tune.backends.memory import within_memory
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset, load, mostly_zero, suggested_observer
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.engine.stopping import StopOptions
from topk_tune.plugins.names import one_of, one_of_literal
from topk_tune.records.settings import Protocol, StudySettings, check_name
from topk_tune.spaces import DataKind, Space, parse_space, read_space
from topk_tune.study.config_file import read_config
from topk_tune.study.options import DEFAULT_ALGORITHM, SearchOptions
from topk_tune.study.study import Study, check
from topk_tune.training.metrics import METRICS
from topk_tune.training.trial import can_be_cut, test_rows


@dataclass(frozen=True)
class Plan:
    """The complete plan of a run.

    Parameters
    ----------
    settings, data
        The settings of the study and its data set.
    space
        The search space; that of a new study knows its file and lines.
    stop, resources
        The limits, and the resources for trials.
    """

    settings: StudySettings
    data: Dataset
    space: Space
    stop: StopOptions
    resources: ResourceOptions

    @classmethod
    def checked(
        cls,
        settings: StudySettings,
        data: Dataset,
        space: Space | None = None,
        stop: StopOptions | None = None,
        resources: ResourceOptions | None = None,
    ) -> Self:
        """Return a plan after checking everything that could go wrong with the study."""
        space = space or Space.from_dict(settings.space)
        check(settings, space, data)
        return cls(settings, data, space, stop or StopOptions(), resources or ResourceOptions())

    @classmethod
    def resumed(cls, study: Study, stop: StopOptions, resources: ResourceOptions) -> Self:
        """Return a plan for an existing study, which was checked when it was created."""
        study.proposer()  # this environment may lack packages that the study needs
        return cls(study.settings, study.data(), study.space, stop, resources)


def make_plan(search: SearchOptions, stop: StopOptions, resources: ResourceOptions) -> Plan:
    """Return the plan of a new study; nothing is written."""
    SAMPLERS.named(search.sampler)
    one_of_literal("protocol", search.protocol, Protocol)
    pruner = search.pruner or ("none" if search.runtime_objective else "median")
    PRUNERS.named(pruner)
    if search.objective is not None:
        one_of("objective", search.objective, METRICS)
    choose_space(search.space, search.algorithm, search.dataset)  # reading data may take long
    name = check_name(search.name or _generated_name(search.dataset))
    data = load(search.dataset, labels=search.labels, split=search.split)
    space = choose_space(search.space, search.algorithm, search.dataset, kind_of(data))
    space = within_memory(space, test_rows(data), resources)
    made = {
        "name": name,
        "fingerprint": data.fingerprint,
        "space": space.to_dict(),
        "pruner": pruner,
        "first": tuple(_full_length(config, space) for config in _first(search)),
    }
    settings = StudySettings.model_validate({**_given(search), **made})
    return Plan.checked(settings, data, space, stop, resources)


def kind_of(data: Dataset) -> DataKind:
    """Return what decides which blocks of a space file apply to a data set."""
    X = data.X_train
    return DataKind(data.n_features, mostly_zero(X), suggested_observer(X))


def choose_space(
    space: str | Space | None, algorithm: str | None, dataset: str, kind: DataKind | None = None
) -> Space:
    """Return the space to search: the given one or the algorithm's, limited to the algorithm."""
    if algorithm is not None:
        ALGORITHMS.named(algorithm)
    if space is None:
        chosen = _default_space(algorithm or DEFAULT_ALGORITHM, dataset, kind)
    else:
        chosen = read_space(space, dataset, kind) if isinstance(space, str) else space
    return chosen if algorithm is None else chosen.fixed(algorithm=algorithm)


def _default_space(algorithm: str, dataset: str, kind: DataKind | None) -> Space:
    """Return the default space of an algorithm: one of our files, or its class attribute."""
    if algorithm in search_spaces.spaces():
        return read_space(algorithm, dataset, kind)
    own = getattr(ALGORITHMS.load(algorithm), "search_space", None)
    if own is None:
        raise ValueError(f"algorithm {algorithm!r} has no search space: name one with --space")
    if not isinstance(own, Mapping):
        return read_space(str(own), dataset, kind)
    block = {"default": {"algorithm": algorithm, **own}}
    text = yaml.safe_dump(block, sort_keys=False)
    return parse_space(text, f"search_space of {algorithm}", dataset, kind)


def _given(search: SearchOptions) -> dict[str, Any]:
    """Return the options that are settings; those not given take the settings' defaults."""
    values = {each.name: getattr(search, each.name) for each in fields(search)}
    known = StudySettings.model_fields
    return {name: value for name, value in values.items() if name in known and value is not None}


def _first(search: SearchOptions) -> Iterator[Mapping[str, Any]]:
    for each in search.first:
        yield read_config(each) if isinstance(each, Path) else each


def _full_length(config: Mapping[str, Any], space: Space) -> dict[str, Any]:
    """Return a configuration with the most loops of a space, if that covers fewer loops too."""
    if not can_be_cut(config) and space.allows(config):
        return dict(config)
    longest = {**config, "loops": int(space.largest("loops"))}
    space.contains(longest)
    return longest


def _generated_name(dataset: str) -> str:
    """Return a name from the data set and the time, without characters that are not allowed."""
    stem = dataset.rstrip("/").rsplit("/", 1)[-1].split(":")[0].split(".")[0]
    kept = "".join(c for c in stem if c.isascii() and (c.isalnum() or c in "-_")).lstrip("-_")
    return f"{kept[:40] or 'study'}-{datetime.now():%Y%m%d-%H%M%S}"
