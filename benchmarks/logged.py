"""Configurations found on logs beside those found with all labels, and the coverage of intervals.

The training rows of each data set become the log of a policy: TopAda after one loop, which explores
at a rate of 0.1, over 20 passes. A study on this log and one with all labels search the same space.
Both winners are then trained on the labelled rows with their own feedback, and that of the log also
on the log. All losses are those of rankings before exploration on the true test rows, over some
seeds, in both units: the share of wrong pairs and their number.

    python -m benchmarks.logged --datasets emotions yeast --trials 20
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from booster import Log, TopAda
from booster.log_losses import log_losses, scores_of
from booster.log_model import predicted_relevance
from booster.logs import log_rows
from topk_tune import tune
from topk_tune.data import Dataset, load
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.learning import run_log_file
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.writing import LogWriter
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.study.study import Study
from topk_tune.training.trial import TrialConfig

POLICY = Policy(k=3, rate=0.1)
PASSES = 20
RESAMPLED = 200
NAMES = ("inverse_propensity", "self_normalised", "doubly_robust")


def space(loops: Sequence[int]) -> Space:
    """Return the space of both studies; a loop over the log is 20 passes over its rows."""
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
    made = TopAda(n_features=data.n_features, n_labels=data.n_labels, rho=POLICY.rate, k=POLICY.k)
    made.run(data.X_train, data.Y_train)
    return made


def write_log(data: Dataset, path: Path) -> None:
    """Write the log of the policy over the training rows."""
    rankings = policy_of(data).rank(data.X_train)
    with LogWriter(path, Header(data.n_features, tuple(data.label_names))) as writer:
        for part in logged(data.X_train, data.Y_train, rankings, POLICY, PASSES):
            writer.write(*part)


def search(
    place: str, folder: Path, name: str, trials: int, loops: Sequence[int], **how: Any
) -> Any:
    """Return the configuration that a study finds."""
    study: Study = tune(
        place,
        space=space(loops),
        trials=trials,
        name=name,
        storage=str(folder / "studies"),
        backend="local",
        workers=1,
        progress=False,
        track=False,
        like=("none",),
        **how,
    )
    best = study.best()
    assert best is not None
    return best.best_config


def tested(config: Mapping[str, Any], data: Dataset, seeds: int, log: Path | None = None) -> Any:
    """Return the mean losses on the true test rows, trained with own feedback or from a log."""
    found = []
    for seed in range(seeds):
        trial = TrialConfig.of(config)
        made: Any = trial.booster(data.n_features, data.n_labels, seed, len(data.Y_train))
        if log is None:
            made.run(data.X_train, data.Y_train, trial.loops)
        else:
            run_log_file(made, log, trial.loops)
        evaluation = made.evaluate(data.X_test, data.Y_test)
        found.append((evaluation.loss, evaluation.rank))
    return np.mean(found, axis=0), np.std(found, axis=0)


def coverage(data: Dataset) -> dict[str, tuple[float, float]]:
    """Return how often the intervals of resampled logs of the test rows have the true loss.

    The loss is that of a booster which has learned with all rows but these. Also returns the mean
    width of the intervals, relative to the loss.
    """
    measured = TopAda(n_features=data.n_features, n_labels=data.n_labels, seed=5)
    measured.run(data.X_train, data.Y_train, 5)
    X, Y = data.X_test, data.Y_test
    rankings, scores = policy_of(data).rank(X), scores_of(measured.rank(X))
    votes = measured.scores(X)
    rates = (measured._votes.relevant + 1.0) / (measured._votes.seen + 2.0)
    all_shown = np.tile(np.arange(data.n_labels), (len(Y), 1))
    certain = np.ones((len(Y), data.n_labels * (data.n_labels - 1) // 2))
    exact = log_rows(Log(X, all_shown, Y, certain), data.n_features, data.n_labels)
    truth = log_losses(exact, scores).inverse_propensity.value
    hits, widths = dict.fromkeys((*NAMES, "best", "bernstein"), 0), dict.fromkeys(NAMES, 0.0)
    for seed in range(RESAMPLED):
        ((_, rows),) = list(logged(X, Y, rankings, POLICY, seed=seed))
        relevance = predicted_relevance(rows, votes, rates)
        found = log_losses(rows, scores, relevance, seed=seed)
        for name in NAMES:
            low, high = getattr(found, name).interval
            hits[name] += low <= truth <= high
            widths[name] += (high - low) / truth / RESAMPLED
        hits["best"] += found.best.interval.low <= truth <= found.best.interval.high
        sure = found.inverse_propensity.bernstein
        assert sure is not None
        hits["bernstein"] += sure.low <= truth <= sure.high
    return {name: (n / RESAMPLED, widths.get(name, np.nan)) for name, n in hits.items()}


def report(name: str, trials: int, seeds: int) -> None:
    """Print the figures of a data set."""
    data = load(name)
    for kind, (share, width) in coverage(data).items():
        print(f"{name} coverage {kind}: {share:.3f}, mean width {100 * width:.0f}%", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}-log.parquet"
        write_log(data, path)
        with_labels = search(
            name, Path(folder), "labels", trials, (5, 10, 20), objective="greedy_loss"
        )
        _show(name, "found with labels, own feedback", with_labels, data, seeds)
        try:
            from_log = search(str(path), Path(folder), "log", trials, (1, 2))
        except ValueError as refused:
            print(f"{name} log refused: {refused}", flush=True)
            return
        as_labels = {**from_log, "loops": PASSES}
        _show(name, "found on the log, own feedback", as_labels, data, seeds)
        _show(name, "found on the log, trained on it", from_log, data, seeds, path)


def _show(
    name: str,
    title: str,
    config: Mapping[str, Any],
    data: Dataset,
    seeds: int,
    log: Path | None = None,
) -> None:
    (loss, rank), (spread, _) = tested(config, data, seeds, log)
    print(f"{name} {title}: {loss:.4f} ± {spread:.4f}, {rank:.3f} pairs; {config}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--datasets", nargs="*", default=["emotions", "scene", "yeast", "m_reduced"]
    )
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    for each in options.datasets:
        report(each, options.trials, options.seeds)
