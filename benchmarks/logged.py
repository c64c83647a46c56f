"""Configurations found on logs beside those found with all labels.

Run with `python -m benchmarks.logged`. It goes on where it stopped: studies in its folder are not
searched again, so remove one whose search was interrupted. It writes a section of
docs/results/logged.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import report
from booster import TopAda
from topk_tune import tune
from topk_tune.data import Dataset, load
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.learning import run_log_file
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.writing import LogWriter
from topk_tune.markup.markdown import table
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.storage import Location
from topk_tune.study.logs import APART
from topk_tune.study.study import Study
from topk_tune.training.trial import TrialConfig

PLACE = Path("build") / "logged"
HEADING = "## What searches find"
TRIALS, SEARCHES, SEEDS = 30, 3, 3
"""What is spent: trials of a search, searches on logs of their own, trainings of each winner."""

LOOPS = 20
"""Loops of the final training with own feedback, and passes of the log."""


@dataclass(frozen=True)
class Case:
    """A data set, and how its log is made."""

    title: str
    dataset: str
    rate: float = 0.1
    passes: int = LOOPS
    loops: Sequence[int] = (1, 2)

    @property
    def policy(self) -> Policy:
        """How the log's rankings are shown."""
        return Policy(k=3, rate=self.rate)


CASES = (
    Case("Emotions", "emotions"),
    Case("Scene", "scene"),
    Case("Yeast", "yeast"),
    Case("M-reduced", "m_reduced"),
    Case("M-reduced, rate 0.5, 40 passes", "m_reduced", 0.5, 40, (1,)),
)

ABOUT = (
    f"The training rows of each data set become a log: a TopAda after one loop ranks them, "
    f"explores at a rate of 0.1 (uniform, k = 3), and passes them {LOOPS} times. A study that sees "
    f"only this log and one that sees all labels search the same space, {TRIALS} trials with one "
    f"seed each. There are {SEARCHES} searches of either kind, with other seeds and other draws of "
    "the policy. The winners are trained with their own feedback on the labelled rows (that of the "
    f"log for {LOOPS} loops), and that of the log also on the log itself. The loss is the weighted "
    "rank loss before exploration on the true test rows: the mean, and the standard deviation of "
    f"the {SEARCHES} searches, each a mean of {SEEDS} seeds. All numbers were fixed before the "
    "first search; estimates from logs were developed on training rows. Before rounds of the same "
    "row knew each other, one search of 16 trials had found 0.083 and 0.092 on Scene, 12% above."
)


def space(loops: Sequence[int]) -> Space:
    """Return the space of both studies; a loop over the log is some passes over its rows."""
    return Space(
        {
            "algorithm": Fixed("topada"),
            "loops": Choice(list(loops)),
            "n_learners": Int(10, 60, step=10),
            "n_covariates": Int(10, 40, step=10),
            "rho": Float(0.05, 0.5, log=True),
            "least_probability": Choice([0.005, 0.02, 0.05]),
            "step_scale": Float(0.1, 30.0, log=True),
            "tie_threshold": Float(0.01, 0.5, log=True),
        }
    )


def policy_of(data: Dataset) -> TopAda:
    """Return the booster of the policy, which has made one loop over the training rows."""
    made = TopAda(n_features=data.n_features, n_labels=data.n_labels, rho=0.1, k=3)
    made.run(data.X_train, data.Y_train)
    return made


def write_log(case: Case, data: Dataset, seed: int) -> Path:
    """Write the log of the policy over the training rows."""
    path = PLACE / f"{case.dataset}-{case.rate}-{seed}.parquet"
    rankings = policy_of(data).rank(data.X_train)
    with LogWriter(path, Header(data.n_features, tuple(data.label_names))) as writer:
        for part in logged(
            data.X_train, data.Y_train, rankings, case.policy, case.passes, seed=seed
        ):
            writer.write(*part)
    return path


def search(place: str, name: str, loops: Sequence[int], seed: int, **how: Any) -> Mapping[str, Any]:
    """Return the configuration that a study finds; the study is new if there is none."""
    studies = PLACE / "studies"
    if (studies / name).is_dir():
        study = Study.open(Location.of(str(studies)), name)
    else:
        study = tune(
            place,
            space=space(loops),
            trials=TRIALS,
            seed=seed,
            name=name,
            storage=str(studies),
            backend="local",
            workers=1,
            progress=False,
            track=False,
            like="none",
            **how,
        )
    best = study.best()
    assert best is not None
    return best.best_config


def tested(config: Mapping[str, Any], data: Dataset, log: Path | None = None) -> float:
    """Return the mean loss on the true test rows, trained with own feedback or from a log."""
    found = []
    for seed in range(SEEDS):
        trial = TrialConfig.of(config)
        made: Any = trial.booster(data.n_features, data.n_labels, seed, len(data.Y_train))
        if log is None:
            made.run(data.X_train, data.Y_train, trial.loops)
        else:
            run_log_file(made, log, trial.loops)
        found.append(made.evaluate(data.X_test, data.Y_test).loss)
    return float(np.mean(found))


def measured(case: Case) -> tuple[list[str], str | None]:
    """Return a row of the table, and why logs were refused, if they were."""
    data = load(case.dataset)
    losses = np.full((3, SEARCHES), np.nan)
    refused = None
    for seed in range(SEARCHES):
        path = write_log(case, data, seed)
        with_labels = search(
            case.dataset, f"{case.dataset}-{seed}", (5, 10, LOOPS), seed, objective="greedy_loss"
        )
        losses[0, seed] = tested(with_labels, data)
        try:
            from_log = search(str(path), f"{path.stem}-log", case.loops, seed)
        except ValueError as error:
            refused = str(error)
            continue
        losses[1, seed] = tested({**from_log, "loops": LOOPS}, data)
        losses[2, seed] = tested(from_log, data, path)
        print(case.title, seed, losses[:, seed].round(4), flush=True)
    return [case.title, *map(_cell, losses), _above(losses[1], losses[0])], refused


def _cell(losses: Any) -> str:
    if np.isnan(losses).any():
        return "refused"
    return f"{losses.mean():.3f} ± {losses.std(ddof=1):.3f}"


def _above(losses: Any, others: Any) -> str:
    """Return by how much losses are above others, with the standard error."""
    if np.isnan(losses).any():
        return ""
    squares = [x.var(ddof=1) / x.size / x.mean() ** 2 for x in (losses, others)]
    ratio = losses.mean() / others.mean()
    return f"{100 * (ratio - 1):+.0f}% ± {100 * ratio * math.sqrt(sum(squares)):.0f}%"


def why_refused(case: Case, refused: str) -> str:
    """Explain a refusal by the variance of what is seen."""
    data = load(case.dataset)
    ranking = np.argsort(-data.Y_train.mean(axis=0), kind="stable")
    above = np.cumsum(1 - data.Y_train[:, ranking].astype(np.int64), axis=1)
    wrong = float((data.Y_train[:, ranking] * above).sum(axis=1).mean())
    m, k = data.n_labels, case.policy.k
    likely = case.rate * k * (k - 1) / (m * (m - 1))
    needed = (1.96 / APART) ** 2 / (wrong * likely)
    return (
        f'The log of {case.title} is refused: "{refused}".\n\n'
        f"Why so many: with m = {m} labels of which k = {k} are shown, a pair that is not at the "
        f"top is shown with probability p = {case.rate} k (k - 1) / (m (m - 1)) = {likely:.2g}, "
        f"once in {1 / likely:,.0f} rounds, and counts 1 / p then. If a ranking has L wrong pairs "
        "in a row, the variance of the estimate over n rows is about L / (n p). Its 95% interval "
        f"is within 25% of L if n is at least (1.96 / 0.25)^2 / (L p), which is {needed:,.0f} for "
        f"the {wrong:.0f} wrong pairs of label frequency. No reweighting of the same rows changes "
        "that: before a wrong pair is shown, nothing is known of it. What helps is a larger p, "
        "which grows with the rate and with k^2, as in the last line of the table."
    )


def main() -> None:
    """Measure everything, and write the section."""
    PLACE.mkdir(parents=True, exist_ok=True)
    rows, reasons = [], []
    for case in CASES:
        row, refused = measured(case)
        rows.append(row)
        reasons += [] if refused is None else [why_refused(case, refused)]
    heads = ["", "found with labels", "found on the log", "found and trained on the log", "above"]
    seeds = f"searches with seeds 0 to {SEARCHES - 1}, boosters with seeds 0 to {SEEDS - 1}"
    made = report.provenance("python -m benchmarks.logged", seeds)
    parts = [HEADING, ABOUT, table(heads, rows), *reasons, made]
    report.write_section("logged.md", "\n\n".join(parts))


if __name__ == "__main__":
    main()
