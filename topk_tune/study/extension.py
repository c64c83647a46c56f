"""Carries the complete trials of a study on to more loops.

A stored trial that has ended cannot change, so each gets a successor: a trial of the same
configuration with more loops, which has the reports of the loops that are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from topk_tune.records.trials import FINISHED, TrialRecord, ranked, training_key
from topk_tune.spaces import Fixed
from topk_tune.study.study import Study
from topk_tune.training.trial import can_be_cut

_LOOPS = "loops"


class Extension(NamedTuple):
    """A study that is carried on.

    Parameters
    ----------
    study
        The study, whose space has the new number of loops.
    carried
        The trials that have a successor now, best first; of the same configuration one.
    others
        Complete trials that have none: with more loops, they would be different from the start.
    """

    study: Study
    carried: Sequence[TrialRecord]
    others: Sequence[TrialRecord]


def extend(study: Study, loops: int) -> Extension:
    """Give every complete trial with fewer loops a successor, and later trials as many loops.

    If it is called again, as after a kill, only missing successors are added.
    """
    records = study.records()
    _check(study, loops, records)
    shorter = [r for r in ranked(records) if r.state == "complete" and r.config[_LOOPS] < loops]
    by_training = {training_key(r.config, 0): r for r in reversed(shorter) if can_be_cut(r.config)}
    carried = list(reversed(by_training.values()))
    others = [record for record in shorter if not can_be_cut(record.config)]
    if not carried:
        raise ValueError(
            f"no trial of study {study.settings.name!r} can be carried on to {loops} loops: it has "
            f"{len(shorter)} complete ones with fewer, of which {len(others)} depend on their "
            "number of loops"
        )
    # First, because a waiting trial gets its loops from the space.
    study = _with_loops(study, loops)
    _add_missing(study, loops, carried, [record.config for record in records])
    return Extension(study, carried, others)


def _check(study: Study, loops: int, records: Sequence[TrialRecord]) -> None:
    space, name = study.space, study.settings.name
    if not isinstance(space.parameters[_LOOPS], Fixed):
        raise ValueError(
            f"a study must have a fixed number of loops to be extended, but {name!r} has "
            f"{space.parameters[_LOOPS].rule()}"
        )
    if loops < space.largest(_LOOPS):
        raise ValueError(
            f"a study must be extended to more loops than its {space.largest(_LOOPS):g}, "
            f"but got {loops}"
        )
    idle = set(study.store.abandoned())
    busy = [r.number for r in records if r.state not in FINISHED and r.number not in idle]
    if busy:
        raise ValueError(
            f"a study must have no running trials to be extended, but {name!r} has {len(busy)}"
        )


def _with_loops(study: Study, loops: int) -> Study:
    if study.space.largest(_LOOPS) == loops:
        return study
    first = tuple({**config, _LOOPS: loops} for config in study.settings.first)
    settings = study.settings.model_copy(update={"first": first})
    return replace(study, settings=settings).with_space(study.space.fixed(loops=loops))


def _add_missing(
    study: Study, loops: int, carried: Sequence[TrialRecord], there: list[Mapping[str, Any]]
) -> None:
    """Add a waiting trial for each that has no successor yet."""
    stored = {trial.number: trial for trial in study.store.finished()}
    for record in carried:
        config = {**record.config, _LOOPS: loops}
        if config not in there:
            of_before = stored[record.number]
            number = study.store.begin(config, of_before.params, of_before.distributions)
            assert number is not None  # there is no limit
            study.store.give_back(number)
            there.append(config)
