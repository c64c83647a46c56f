"""Makes a plan from the options of a run, and checks all of it before anything is written."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import yaml

import search_spaces
from booster.tables import ALGORITHMS
from topk_tune.backends.base import Backend
from topk_tune.backends.memory import within_memory
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset, load, mostly_zero, suggested_observer
from topk_tune.data.catalog import absolute
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.rules import check_limits
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.engine.stopping import StopOptions
from topk_tune.plugins.names import one_of, one_of_literal
from topk_tune.records.settings import Protocol, StudySettings, check_name, checked_settings
from topk_tune.spaces import DataKind, Space, parse_space, read_space
from topk_tune.storage import Location
from topk_tune.study.caveats import slow_observer
from topk_tune.study.config_file import read_config
from topk_tune.study.feedback import K, feedback_of, with_feedback
from topk_tune.study.like import Like, begin_like
from topk_tune.study.logs import check_learners, for_data
from topk_tune.study.options import DEFAULT_ALGORITHM, SearchOptions
from topk_tune.study.study import Study, check
from topk_tune.training.metrics import METRICS
from topk_tune.training.trial import can_be_cut, test_rows

logger = logging.getLogger("topk_tune")


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
    prepared
        Workers that were started before the plan was made.
    """

    settings: StudySettings
    data: Dataset
    space: Space
    stop: StopOptions
    resources: ResourceOptions
    prepared: Backend | None = None

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
        space, stop = space or Space.from_dict(settings.space), stop or StopOptions()
        check(settings, space, data)
        check_limits(stop, settings, int(space.largest("loops")))
        return cls(settings, data, space, stop, resources or ResourceOptions())

    @classmethod
    def resumed(cls, study: Study, stop: StopOptions, resources: ResourceOptions) -> Self:
        """Return a plan for an existing study, which was checked when it was created."""
        study.proposer()  # this environment may lack packages that the study needs
        check_limits(stop, study.settings, int(study.space.largest("loops")))
        return cls(study.settings, study.data(), study.space, stop, resources)


def make_plan(
    search: SearchOptions,
    stop: StopOptions,
    resources: ResourceOptions,
    data: Dataset | None = None,
    location: Location | None = None,
) -> Plan:
    """Return the plan of a new study; nothing is written.

    Rows that are in memory are given as `data`, and only have a name in the options. The
    location has studies that this one may be like.
    """
    SAMPLERS.named(search.sampler)
    one_of_literal("protocol", search.protocol, Protocol)
    pruner = search.pruner or _default_pruner(search)
    PRUNERS.named(pruner)
    if search.objective is not None:
        one_of("objective", search.objective, METRICS)
    dataset = search.dataset if data else absolute(search.dataset)
    # Reading data may take long.
    chosen = choose_space(search.space, search.algorithm, dataset)
    chosen.check_without_data()
    name = check_name(search.name or _generated_name(search.dataset))
    data = data or load(dataset, labels=search.labels, split=search.split)
    if data.is_log:
        check_learners(chosen)
    search = for_data(search, data)
    space = fitted_space(search.space, search.algorithm, dataset, data, search.k)
    if slow := slow_observer(space, kind_of(data)):
        logger.warning("%s", slow)
    space = within_memory(space, test_rows(data), resources)
    made = {
        "name": name,
        "dataset": dataset,
        "k": feedback_of(space),
        "fingerprint": data.fingerprint,
        "space": space.to_dict(),
        "pruner": pruner,
        "first": tuple(_full_length(config, space) for config in _first(search)),
    }
    settings = checked_settings({**_given(search), **made})
    like = Like.of(search.like, search.sampler)
    settings = begin_like(settings, like, data, location, stop.trials)
    return Plan.checked(settings, data, space, stop, resources)


def fitted_space(
    space: str | Space | None,
    algorithm: str | None,
    dataset: str,
    data: Dataset,
    k: int | None = None,
) -> Space:
    """Return the space to search on some data, with feedback on k labels."""
    if data.n_labels < 2:
        raise ValueError(
            f"a ranking must have at least 2 labels, but {dataset} has {data.n_labels}"
        )
    chosen = choose_space(space, algorithm, dataset, kind_of(data))
    return with_feedback(chosen, k, data.n_labels, shipped=_is_shipped(space))


def wider_space(study: Study, space: str) -> Space:
    """Return another space to continue a study with; its k must be the study's."""
    settings, data = study.settings, study.data()
    own = choose_space(space, None, settings.dataset, kind_of(data))
    said = feedback_of(own) if K in own.parameters and not _is_shipped(space) else None
    if None not in (said, settings.k) and said != settings.k:
        raise ValueError(
            f"{own.place(K)}: a study must keep its k, {settings.k}, but got {said}: feedback is "
            "part of the task"
        )
    return fitted_space(space, None, settings.dataset, data, settings.k)


def _is_shipped(space: str | Space | None) -> bool:
    return space is None or (isinstance(space, str) and space in search_spaces.spaces())


def _default_pruner(search: SearchOptions) -> str:
    """Return asha if the settings allow it; searches with the median were not found to differ."""
    if search.runtime_objective:
        return "none"
    return "median" if search.deterministic else "asha"


def kind_of(data: Dataset) -> DataKind:
    """Return what decides which blocks of a space file apply to a data set."""
    X = data.X_train
    return DataKind(data.n_features, mostly_zero(X), suggested_observer(X), data.n_labels)


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
