"""What is known of configurations on data sets: shipped results, and those of studies."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import search_spaces
from topk_tune.data.descriptors import Descriptors
from topk_tune.records.trials import FINISHED, ranked
from topk_tune.study.confirm import confirmations
from topk_tune.study.data_note import noted_data
from topk_tune.study.study import Study

_BEST, _OTHERS = 50, 150
"""How many of a study's trials are used: all of the best, and some of the others."""


@dataclass(frozen=True)
class Tried:
    """A configuration and how it did: 0 is the best on its data set, 1 the worst."""

    config: Mapping[str, Any]
    rank: float


@dataclass(frozen=True)
class KnownResults:
    """The configurations that were tried on a data set, best first.

    Parameters
    ----------
    name
        Whose results they are: a data set, or a study.
    tried
        The configurations.
    data
        What the data set is like; None if that is not known.
    confirmed
        Whether the first configuration was confirmed with fresh seeds.
    """

    name: str
    tried: Sequence[Tried]
    data: Descriptors | None = None
    confirmed: bool = False


def shipped(algorithm: str, without: Collection[str] = ()) -> Iterator[KnownResults]:
    """Yield what `search_spaces/best` knows of an algorithm, for each data set.

    Nothing that was learned from the data sets `without` is used, so that a search on them can be
    measured as if they were new.
    """
    tuned = _file("best/tuned.yaml").get(algorithm, {})
    for dataset, parameters in tuned.items():
        if dataset not in without:
            best = Tried({"algorithm": algorithm, **parameters}, 0.0)
            tried = [best, *_crossed(algorithm, dataset, without)]
            yield KnownResults(dataset, tried, Descriptors(**_file("best/datasets.yaml")[dataset]))


def of_study(study: Study) -> KnownResults:
    """Return what a study has found: its confirmed best, then its complete trials."""
    records = study.records()
    confirmed = [dict(each.config) for each in confirmations(study)[:1]]
    found = [*confirmed, *(record.best_config for record in ranked(records))]
    most = max(sum(record.state in FINISHED for record in records), 1)
    tried = [Tried(config, min(place / most, 1.0)) for place, config in enumerate(found)]
    fewer = [*tried[:_BEST], *tried[_BEST :: max(len(tried) // _OTHERS, 1)]]
    name = f"study {study.settings.name}"
    return KnownResults(name, fewer, noted_data(study), bool(confirmed))


def _crossed(algorithm: str, dataset: str, without: Collection[str]) -> list[Tried]:
    """Return what was tried on several data sets, best first on this one."""
    entries = [
        entry
        for entry in search_spaces.crossed(algorithm)
        if dataset in entry["losses"] and entry.get("from") not in without
    ]
    entries.sort(key=lambda entry: entry["losses"][dataset])
    return [
        Tried({"algorithm": algorithm, **entry["config"]}, place / len(entries))
        for place, entry in enumerate(entries)
    ]


@cache
def _file(name: str) -> dict[str, Any]:
    return search_spaces.load(name)
