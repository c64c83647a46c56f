"""What the tests of the report share: studies as if they had been run, and hostile texts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from tuning import report, settings

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, SeedRun, State, TrialRecord
from topk_tune.report.content import Content
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.training.trial import LoopReport

SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(4),
        "n_learners": Int(10, 150, step=10),
        "rho": Float(0.01, 0.3, log=True),
        "exploration": Choice(["uniform", "single-swap"]),
        "weight_cap": Choice([None, 1, 100]),
    }
)

HOSTILE = (
    "<script>document.title='owned'</script>",
    "</script><img src=x onerror=\"document.title='owned'\">",
    "--><svg onload=\"document.title='owned'\">",
    "\"' autofocus onfocus=document.title='owned' x='",
    "javascript:document.title='owned'",
    "../../../etc/passwd",
    "with spaces, ünïcode ✓ \u202ereversed \u2028 and {{ 7 * 7 }} {% raw %}",
    "`code` $x$ | [link](javascript:alert(1)) ![i](http://example.invalid/i.png)",
    "long" * 75,
)
"""Texts that would run, load or break something if they were not taken as text."""


def made_settings(**changes: Any) -> StudySettings:
    """The settings of a study over the space above."""
    return settings(SPACE, **changes)


def made_record(
    number: int,
    state: State = "complete",
    seeds: int = 1,
    loops: int = 4,
    error: str | None = None,
    **params: Any,
) -> TrialRecord:
    """A trial with losses that are its own, the same every time."""
    draw = np.random.default_rng(number)
    searched = {
        "n_learners": int(draw.integers(1, 16)) * 10,
        "rho": float(draw.uniform(0.01, 0.3)),
        "exploration": ["uniform", "single-swap"][number % 2],
        "weight_cap": [None, 1, 100][number % 3],
        **params,
    }
    level = 0.2 + searched["n_learners"] / 1000
    pace = float(draw.uniform(0.1, 5))
    runs = tuple(SeedRun(seed, _reports(draw, level, pace, loops)) for seed in range(seeds))
    started = datetime(2026, 1, 1, 12) + timedelta(seconds=number)
    return TrialRecord(
        number=number,
        state=state,
        config={"algorithm": "topada", "loops": 4, **searched},
        runs=() if state in ("failed", "waiting", "running") else runs,
        params=searched,
        error=error or ("ValueError: no such luck" if state == "failed" else None),
        started=started,
        ended=started + timedelta(seconds=1),
    )


def made_records(count: int, seeds: int = 1) -> list[TrialRecord]:
    """Trials of which every fourth was pruned and every ninth failed."""
    states: list[State] = ["complete"] * count
    states[3::4] = ["pruned"] * len(states[3::4])
    states[8::9] = ["failed"] * len(states[8::9])
    return [made_record(number, state, seeds) for number, state in enumerate(states)]


def made_confirmation(
    trial: int, losses: Sequence[float], held: Sequence[float] = ()
) -> Confirmation:
    """A configuration that had these losses on test rows and, before, on held-out rows."""
    runs = [SeedRun(1_000_000 + i, (report(4, loss),)) for i, loss in enumerate(losses)]
    ranked = [SeedRun(2_000_000 + i, (report(4, loss),)) for i, loss in enumerate(held)]
    return Confirmation(
        trial=trial,
        config=dict(made_record(trial).config),
        runs=tuple(runs),
        held_runs=tuple(ranked),
        holdout="folds:4:2000000" if held else None,
    )


def made_content(records: Sequence[TrialRecord], **changes: Any) -> Content:
    """A study with these trials, two confirmations and importances, unless they are changed."""
    content = {
        "settings": made_settings(),
        "records": records,
        "confirmed": [made_confirmation(0, [0.25, 0.27]), made_confirmation(1, [0.31, 0.35])],
        "importances": {"rho": 0.7, "n_learners": 0.2, "exploration": 0.1, "weight_cap": 0.0},
        **changes,
    }
    return Content(**content)


def _reports(
    draw: np.random.Generator, level: float, pace: float, loops: int
) -> tuple[LoopReport, ...]:
    losses = [level + float(draw.uniform(0, 0.2)) / loop for loop in range(1, loops + 1)]
    made = [report(loop, loss) for loop, loss in enumerate(losses, start=1)]
    return tuple(replace(each, seconds=pace * each.loop) for each in made)
