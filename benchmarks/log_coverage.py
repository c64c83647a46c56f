"""How often the intervals of losses from a log have the true loss, over many logs.

Run with `python -m benchmarks.log_coverage`. It writes a section of docs/results/logged.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.logged import CASES, Case, policy_of
from booster import Log, TopAda
from booster.log_losses import LogLosses, log_losses, scores_of
from booster.log_model import predicted_relevance
from booster.logs import LogRows, log_rows
from topk_tune.data import Dataset, load
from topk_tune.data.logs.policies import logged
from topk_tune.markup.markdown import table

HEADING = "## How often intervals are right"
LOGS = 200
FIRST_SEED = 1000
PASSES = (1, 20)
NAMES = ("inverse_propensity", "self_normalised", "doubly_robust", "best")

ABOUT = (
    "How often 95% intervals have the true rank loss of a TopAda, trained with the training rows, "
    f"on the test rows, over {LOGS} logs of these rows: other draws of the policy above at a rate "
    "of 0.1. In brackets is the mean width of the interval, relative to the loss. The best is the "
    "one of the two before it with the smaller error, which studies use. With 20 passes, the model "
    "of the doubly robust estimate also knows what other rounds have told about the same row."
)


def joined(data: Dataset, rankings: Any, case: Case, passes: int, seed: int) -> LogRows:
    """Return a log of the test rows."""
    parts = list(logged(data.X_test, data.Y_test, rankings, case.policy, passes, seed))
    columns = [(X, rows.shown, rows.bits, rows.pairs) for X, rows in parts]
    log = Log(*(np.concatenate(column) for column in zip(*columns, strict=True)))
    return log_rows(log, data.n_features, data.n_labels)


def measured_booster(data: Dataset) -> TopAda:
    """Return the booster whose loss is estimated."""
    made = TopAda(n_features=data.n_features, n_labels=data.n_labels, seed=5)
    made.run(data.X_train, data.Y_train, 5)
    return made


def row(case: Case, passes: int) -> list[str]:
    """Return a row of the table."""
    data = load(case.dataset)
    measured = measured_booster(data)
    truth = measured.evaluate(data.X_test, data.Y_test).rank
    rankings = policy_of(data).rank(data.X_test)
    scores = np.tile(scores_of(measured.rank(data.X_test)), (passes, 1))
    votes = np.tile(measured.scores(data.X_test), (passes, 1))
    rates = (measured._votes.relevant + 1.0) / (measured._votes.seen + 2.0)
    found = []
    for seed in range(FIRST_SEED, FIRST_SEED + LOGS):
        rows = joined(data, rankings, case, passes, seed)
        relevance = predicted_relevance(rows, votes, rates)
        found.append(log_losses(rows, scores, relevance, seed=seed))
    sure = [each.inverse_propensity.bernstein for each in found]
    certain = np.mean([each is not None and each.low <= truth <= each.high for each in sure])
    cells = [_cell(found, name, truth) for name in NAMES]
    return [case.title, f"{passes}", f"{scores.shape[0]:,}", *cells, f"{certain:.2f}"]


def _cell(found: list[LogLosses], name: str, truth: float) -> str:
    intervals = np.array([getattr(each, name).interval for each in found])
    inside = (intervals[:, 0] <= truth) & (truth <= intervals[:, 1])
    width = float((intervals[:, 1] - intervals[:, 0]).mean()) / truth
    return f"{inside.mean():.2f} ({100 * width:,.0f}%)"


def seen_pairs(case: Case) -> str:
    """Say how many wrong pairs outside the top a log of one pass shows."""
    data = load(case.dataset)
    wrong = measured_booster(data).evaluate(data.X_test, data.Y_test).rank
    k, m = case.policy.k, data.n_labels
    expected = len(data.Y_test) * wrong * case.rate * k * (k - 1) / (m * (m - 1))
    return f"{expected:.1f} for {case.title}"


def why() -> str:
    """Explain the intervals that are right too seldom."""
    return (
        "An interval can only know of what was seen. The number of wrong pairs outside the top "
        "that a log of one pass shows is about n L p, where n is the number of rows, L the wrong "
        "pairs of a row, and p the probability that such a pair is shown: "
        f"{', '.join(map(seen_pairs, CASES[:4]))}. Where it is one or two, many logs have none, do "
        "not know what they lack, and give an interval around what is left. Others have one, of "
        "which the bootstrap can make anything. A study refuses such logs. The Bernstein bound "
        "takes into account what the policy could have shown, and is right, but very wide."
    )


def main() -> None:
    """Measure, and write the section."""
    rows = []
    for case in CASES[:4]:
        for passes in PASSES:
            rows.append(row(case, passes))
            print(rows[-1], flush=True)
    heads = ["", "passes", "rows", "inverse propensity", "self-normalised", "doubly robust"]
    heads += ["the best", "Bernstein"]
    seeds = f"policy draws with seeds {FIRST_SEED} to {FIRST_SEED + LOGS - 1}, booster seed 5"
    made = report.provenance("python -m benchmarks.log_coverage", seeds)
    report.write_section(
        "logged.md", "\n\n".join([HEADING, ABOUT, table(heads, rows), why(), made])
    )


if __name__ == "__main__":
    main()
