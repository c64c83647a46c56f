"""Warm starts: a study begins with configurations that did well on other data."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from booster.plugins import unknown
from booster.tables import ALGORITHMS
from topk_tune.data import Dataset
from topk_tune.data.descriptors import Descriptors
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Space
from topk_tune.spaces.mapping import mapped
from topk_tune.storage import Location
from topk_tune.storage.store import exists, names, recent
from topk_tune.study.known_results import KnownResults, of_study, shipped
from topk_tune.study.portfolio import Evidence, portfolio
from topk_tune.study.study import Study
from topk_tune.training.trial import FADE, can_be_cut

logger = logging.getLogger("topk_tune")

AUTO, SHIPPED, NONE = "auto", "shipped", "none"

MOST = 6
"""The most configurations to begin with."""

_STUDIES = 8
"""How many of the latest studies `auto` reads."""

_UNGUIDED = ("grid", "random", "qmc")
"""Samplers that are chosen to see every point, or points that nothing has chosen."""

_UNKNOWN = 0.2
"""The similarity of data of which nothing is known."""


@dataclass(frozen=True)
class Like:
    """What a study is to be like.

    Parameters
    ----------
    named
        Studies and data sets.
    shipped, studies
        Whether to use all shipped results, and the latest studies.
    """

    named: tuple[str, ...] = ()
    shipped: bool = False
    studies: bool = False

    @classmethod
    def of(cls, given: str | Sequence[str] | None, sampler: str) -> Self:
        """From the option; without it, shipped results guide samplers that learn."""
        if given is None:
            return cls(shipped=sampler not in _UNGUIDED)
        words = [given] if isinstance(given, str) else list(given)
        if NONE in words and len(words) > 1:
            raise ValueError(f"like none must be given alone, but got {', '.join(words)}")
        named = tuple(dict.fromkeys(w for w in words if w not in (AUTO, SHIPPED, NONE)))
        return cls(named, shipped=AUTO in words or SHIPPED in words, studies=AUTO in words)


def begin_like(
    settings: StudySettings,
    like: Like,
    data: Dataset,
    location: Location | None = None,
    trials: int | None = None,
    without: Collection[str] = (),
) -> StudySettings:
    """Return settings with configurations to begin with, after those that were given.

    Nothing that was learned from the data sets `without` is used. Cheap configurations come first,
    so that there soon is a result; a confirmed one of a named study comes before them.
    """
    space, described = Space.from_dict(settings.space), Descriptors.of(data)
    named = [_named(name, space, location) for name in like.named]
    others = _others(like, settings, space, location, without)
    evidence = [
        *(_evidence(each, space) for each in named),
        *(_evidence(each, space, described) for each in others),
    ]
    _say_what_is_left_out(named, evidence)
    most = MOST if trials is None else min(MOST, trials)
    found = portfolio(evidence, space, most)
    sure = [
        config
        for results, each in zip(named, evidence, strict=False)
        if results.confirmed
        for config in each.configs[:1]
    ]
    found.sort(key=lambda pair: (pair[0] not in sure, pair[0].get("n_learners", 0)))
    new = [(config, each.name) for config, each in found if config not in settings.first]
    first = (*settings.first, *(config for config, _ in new))
    return settings.model_copy(update={"first": first, "origins": tuple(n for _, n in new)})


def _named(name: str, space: Space, location: Location | None) -> KnownResults:
    """Return the results of a study, or if there is none of this name, those of a data set."""
    if location is not None and exists(location, name):
        return of_study(Study.open(location, name))
    found = [each for each in _shipped(space) if each.name == name]
    if found:
        return found[0]
    studies = [] if location is None else names(location)
    options = [AUTO, SHIPPED, NONE, *(each.name for each in _shipped(space)), *studies]
    raise ValueError(unknown("study or data set", name, dict.fromkeys(options)))


def _others(
    like: Like,
    settings: StudySettings,
    space: Space,
    location: Location | None,
    without: Collection[str],
) -> Iterator[KnownResults]:
    """Yield results that were not named, of which similar data count most."""
    if like.shipped:
        yield from (each for each in _shipped(space, without) if each.name not in like.named)
    if like.studies and location is not None:
        for name in recent(location, _STUDIES):
            if name not in (settings.name, *like.named):
                study = Study.open(location, name)
                if study.settings.goal == settings.goal:
                    yield of_study(study)


def _shipped(space: Space, without: Collection[str] = ()) -> Iterator[KnownResults]:
    for algorithm in space.parameters["algorithm"].extremes:
        yield from shipped(algorithm, without)


def _evidence(known: KnownResults, space: Space, described: Descriptors | None = None) -> Evidence:
    """Return what results mean in a space, by the similarity of their data to that described."""
    pairs = [(_fitted(each.config, space), each.rank) for each in known.tried]
    fitting = [(config, rank) for config, rank in pairs if config is not None]
    weight = 1.0
    if described is not None:
        weight = known.data.similarity(described) if known.data else _UNKNOWN
    return Evidence(known.name, [c for c, _ in fitting], [r for _, r in fitting], weight)


def _fitted(config: Mapping[str, Any], space: Space) -> dict[str, Any] | None:
    """Return a configuration of the space with its most loops, if that covers fewer loops too."""
    algorithm = config["algorithm"]
    if not space.parameters["algorithm"].allows(algorithm):
        return None
    full = dict(config)
    if can_be_cut(config):
        full["loops"] = int(space.largest("loops"))
    if isinstance(share := config.get("n_learners"), float) and "n_learners" in space.parameters:
        full["n_learners"] = round(share * space.largest("n_learners"))
    return mapped(full, space, _defaults(algorithm))


@cache
def _defaults(algorithm: str) -> dict[str, Any]:
    parameters = inspect.signature(ALGORITHMS.load(algorithm)).parameters
    return {FADE: 1.0, **{name: each.default for name, each in parameters.items()}}


def _say_what_is_left_out(named: Sequence[KnownResults], evidence: Sequence[Evidence]) -> None:
    for known, found in zip(named, evidence, strict=False):
        tried, left = len(known.tried), len(known.tried) - len(found.configs)
        if not tried:
            logger.warning("%s has no complete trial to begin with", known.name)
        elif left:
            logger.warning(
                "%s: %d of %d configurations do not fit this algorithm or search space and are "
                "left out",
                known.name,
                left,
                tried,
            )
