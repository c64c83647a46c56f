"""Reads and writes records: the only module that knows their form in files and databases.

All stored content carries the number of its form, the schema, and the version of the program. A
missing field takes its default; an unknown field is kept and written again. Content of an older
version is upgraded when it is read. Content of a newer version is refused, since its meaning may
differ.

Schema 1 had no number, and one column for each loss. Schema 2 has metrics by name and an
objective.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from topk_tune.records.settings import StudySettings, checked_settings
from topk_tune.records.trials import Confirmation, Repeats, SeedRun, TrialRecord
from topk_tune.training.baselines import Baseline
from topk_tune.training.objective import Objective
from topk_tune.training.trial import COSTS, LoopReport
from topk_tune.version import __version__

SCHEMA = 2

Content = dict[str, Any]

_STAMP = ("schema", "version")
_COLUMNS = ("loop", *COSTS)
_ONCE = "greedy_loss"
"""The objective of every study of schema 1, which had no other."""
_LOSSES = {
    "train_loss": "train_loss",
    "loss": "greedy_loss",
    "ties": "ties",
    "rank": "rank_loss",
    "hinge": "hinge_loss",
}
"""The losses of schema 1, and the corresponding metrics."""


class SchemaError(ValueError):
    """The content was written by a newer version."""


def stamped(content: Mapping[str, Any]) -> Content:
    """Return content with its schema number and the version of this program."""
    return {"schema": SCHEMA, "version": __version__, **content}


def _opened(
    content: Mapping[str, Any], what: str, upgrade: Callable[[Content], Content]
) -> Content:
    """Return stored content, upgraded to the current schema and without its stamp."""
    schema = content.get("schema", 1)
    if type(schema) is not int or schema < 1:
        raise ValueError(f"{what}: schema must be a whole number >= 1, but got {schema!r}")
    if schema > SCHEMA:
        writer = content.get("version", "of a later version")
        raise SchemaError(
            f"{what} was written by topk-tune {writer} in schema {schema}, but this is topk-tune "
            f"{__version__}, which reads schemas up to {SCHEMA}: install the newer version "
            "(pip install --upgrade topk-tune)"
        )
    bare = {name: value for name, value in content.items() if name not in _STAMP}
    return upgrade(bare) if schema == 1 else bare


def _rest(content: Mapping[str, Any], known: Iterable[str]) -> Content:
    """Return the unknown fields."""
    names = set(known)
    return {name: value for name, value in content.items() if name not in names}


# Settings


def settings_content(settings: StudySettings) -> Content:
    """Return the settings of a study as content."""
    return stamped({**settings.model_dump(mode="json"), **settings.extra})


def read_settings(content: Mapping[str, Any], what: str) -> StudySettings:
    """Read settings; `what` names their study in error messages."""
    found = _opened(content, what, lambda old: {"objective": _ONCE, **old})
    extra = _rest(found, StudySettings.model_fields)
    known = {name: value for name, value in found.items() if name not in extra}
    return checked_settings({**known, "extra": extra})


# Runs and their reports: one list per field takes a third of the space of one mapping per report


def runs_text(runs: Sequence[SeedRun]) -> str:
    """Return runs as text, since MySQL limits the size of a JSON value."""
    return json.dumps(stamped({"runs": [_run(run) for run in runs]}))


def read_runs(text: str, what: str) -> tuple[SeedRun, ...]:
    """Read runs; schema 1 had a list without a stamp."""
    content = json.loads(text)
    stamped_runs = {"runs": content} if isinstance(content, list) else content
    found = _opened(stamped_runs, what, _upgraded_runs)
    return tuple(_read_run(run) for run in found["runs"])


def _run(run: SeedRun) -> Content:
    return {"seed": run.seed, **run.extra, **_columns(run.reports)}


def _read_run(content: Mapping[str, Any]) -> SeedRun:
    loops = len(content.get("loop", ()))
    others = _rest(content, ("seed", "metrics", *_COLUMNS))
    by_loop = {n: v for n, v in others.items() if isinstance(v, list) and len(v) == loops}
    reports = _read_columns({**content, **by_loop}, by_loop)
    return SeedRun(content["seed"], reports, _rest(others, by_loop))


def _columns(reports: Sequence[LoopReport]) -> Content:
    metrics = dict.fromkeys(name for report in reports for name in report.metrics)
    extra = dict.fromkeys(name for report in reports for name in report.extra)
    return {
        "loop": [report.loop for report in reports],
        "metrics": {n: [report.metrics.get(n) for report in reports] for n in metrics},
        **{n: [getattr(report, n) for report in reports] for n in COSTS},
        **{n: [report.extra.get(n) for report in reports] for n in extra},
    }


def _read_columns(content: Mapping[str, Any], extra: Iterable[str] = ()) -> tuple[LoopReport, ...]:
    known = {name: content[name] for name in COSTS if name in content}
    metrics = content.get("metrics", {})
    for name, column in {**known, **metrics}.items():
        if len(column) != len(content["loop"]):
            raise ValueError(f"{name} must have a value for each loop, but has {len(column)}")
    return tuple(
        LoopReport(
            loop=loop,
            metrics={n: column[i] for n, column in metrics.items() if column[i] is not None},
            **{name: column[i] for name, column in known.items()},
            extra={name: content[name][i] for name in extra},
        )
        for i, loop in enumerate(content["loop"])
    )


def _upgraded_runs(content: Content) -> Content:
    return {**content, "runs": [_upgraded_run(run) for run in content["runs"]]}


def _upgraded_run(run: Mapping[str, Any]) -> Content:
    metrics = {new: run[old] for old, new in _LOSSES.items() if old in run}
    return {**_rest(run, _LOSSES), "metrics": metrics}


# Whole trials: in a study's own storage Optuna keeps the rest of their fields


def trial_content(record: TrialRecord) -> Content:
    """Return a trial as content; its objective is the study's."""
    # `asdict` would copy every report of every loop.
    known = {f.name: getattr(record, f.name) for f in fields(record) if f.name != "objective"}
    return stamped(
        known
        | {
            "config": dict(record.config),
            "params": dict(record.params),
            "runs": [_run(run) for run in record.runs],
            "started": record.started and record.started.isoformat(),
            "ended": record.ended and record.ended.isoformat(),
        }
    )


def read_trial(content: Mapping[str, Any], objective: Objective) -> TrialRecord:
    """Read a trial. Unknown fields stay in the file, where a trial is written only once."""
    found = _opened(content, f"trial {content.get('number')}", _upgraded_runs)
    names = {f.name for f in fields(TrialRecord)} - {"objective"}
    known = {name: value for name, value in found.items() if name in names}
    known["runs"] = tuple(_read_run(run) for run in known.get("runs", ()))
    for name in ("started", "ended"):
        known[name] = known.get(name) and datetime.fromisoformat(known[name])
    return TrialRecord(**known, objective=objective)


def read_report(content: Mapping[str, Any]) -> Content:
    """Return the number of a loop and its metrics, with all other stored fields."""
    return _opened(content, f"loop {content.get('loop')}", _upgraded_run)


# Confirmations and outcomes

_CONFIRMATION = ("trial", "config", "runs", "held_runs", "holdout")


def confirmation_text(confirmation: Confirmation) -> str:
    """Return a confirmation as text; its objective is the study's."""
    return json.dumps(stamped(_confirmation(confirmation)))


def read_confirmation(text: str, objective: Objective, what: str) -> Confirmation:
    """The inverse."""
    return _read_confirmation(_opened(json.loads(text), what, _upgraded_runs), objective)


def _confirmation(confirmation: Confirmation) -> Content:
    return {
        "trial": confirmation.trial,
        "config": confirmation.config,
        "runs": [_run(run) for run in confirmation.runs],
        "held_runs": [_run(run) for run in confirmation.held_runs],
        "holdout": confirmation.holdout,
        **confirmation.extra,
    }


def _read_confirmation(
    content: Mapping[str, Any], objective: Objective, beside: Iterable[str] = ()
) -> Confirmation:
    return Confirmation(
        trial=content["trial"],
        config=content["config"],
        runs=tuple(_read_run(run) for run in content["runs"]),
        objective=objective,
        held_runs=tuple(_read_run(run) for run in content.get("held_runs", ())),
        holdout=content.get("holdout"),
        extra=_rest(content, (*_CONFIRMATION, *beside)),
    )


def by_seed(repeats: Confirmation | Repeats) -> dict[str, dict[str, float]]:
    """Return the measurements with fresh seeds, by metric and seed."""
    seeds = list(map(str, repeats.seeds))
    return {
        name: dict(zip(seeds, repeats.values_of(name), strict=True)) for name in repeats.metrics
    }


def read_seeds(content: Mapping[str, Any]) -> Content:
    """Read the measurements with fresh seeds, by metric and seed."""
    what = f"the confirmation of trial {content.get('trial')}"
    return _opened(
        content, what, lambda old: {**old, "objective": _ONCE, "metrics": {_ONCE: old["losses"]}}
    )


_GOAL = ("objective", "exploration_cost")


def outcome_text(confirmation: Confirmation, about: Mapping[str, Any]) -> str:
    """Return a confirmed configuration on one line, with its objective.

    `about` has the other fields of the line.
    """
    bound = confirmation.objective.bound
    goal = dict(zip(_GOAL, (confirmation.objective.metric, bound and bound.limit), strict=True))
    return json.dumps(stamped({**about, **goal, **_confirmation(confirmation)}))


def read_outcome(text: str, about: Sequence[str], what: str) -> tuple[Confirmation, dict[str, Any]]:
    """Read a line of an outcome file; `about` names its other fields."""
    found = _opened(json.loads(text), what, _upgraded_outcome)
    objective = Objective.of(found["objective"], found.get("exploration_cost"))
    made = _read_confirmation(found, objective, (*_GOAL, *about))
    return made, {name: found[name] for name in about}


def _upgraded_outcome(content: Content) -> Content:
    """Upgrade an outcome of schema 1, which had a list over the seeds for each report field."""
    columns = {name: content[name] for name in (*_COLUMNS, *_LOSSES)}
    for name, column in columns.items():
        if len(column) != len(content["seed"]):
            raise ValueError(f"{name} must have a value for each seed, but has {len(column)}")
    runs = [
        {"seed": seed, **{name: [column[i]] for name, column in columns.items()}}
        for i, seed in enumerate(content["seed"])
    ]
    rest = _rest(content, ("seed", *columns))
    return _upgraded_runs({"objective": _ONCE, **rest, "runs": runs})


# The context of results


def context_text(shape: Sequence[int], tuning: Sequence[Baseline], test: Sequence[Baseline]) -> str:
    """Return the data's shape, and the baselines on the trials' rows and the test rows."""
    parts = {"tuning": tuning, "test": test}
    found = {name: [vars(each) for each in part] for name, part in parts.items()}
    return json.dumps(stamped({"shape": list(shape), **found}))


def read_context(text: str, what: str) -> tuple[tuple[int, ...], list[Baseline], list[Baseline]]:
    """Read a context. Unknown fields are dropped, because baselines can be computed again."""
    found = _opened(json.loads(text), what, lambda old: old)
    names = [f.name for f in fields(Baseline)]
    tuning, test = (
        [Baseline(**{name: each[name] for name in names}) for each in found[part]]
        for part in ("tuning", "test")
    )
    return tuple(found["shape"]), tuning, test
