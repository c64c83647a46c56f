"""Pruners by name: how trials are stopped early.

Nothing heavy is imported here, so that listing names stays fast; the factories are in
`topk_tune.engine.optuna_pruners`. MODULE:CLASS and hub:PACKAGE:CLASS can be used instead of a
name: see `topk_tune.engine.by_path`.
"""

from booster.plugins import Plugin, Table

STEADY = "steady"
"""The trait of pruners that compare a trial only with finished ones, so that their decisions do
not depend on other running trials."""

WHOLE_RUNS = "whole runs"
"""The trait of pruners that compare whole trainings seed by seed, instead of loops."""

PAUSING = "pausing"
"""The trait of pruners that pause trials and let some of them go on later, such as `Halving`."""

SEED_BY_SEED = "seed by seed"
"""The trait of pausing pruners that give a trial one seed after another."""

NEVER = "never"
"""The trait of pruners that stop nothing."""

_MAKERS = "topk_tune.engine.optuna_pruners"

PRUNERS = Table(
    "pruner",
    [
        Plugin(
            "median",
            f"{_MAKERS}:median",
            "worse than the median of complete trials at the same loop",
            frozenset({STEADY}),
        ),
        Plugin(
            "asha",
            "topk_tune.engine.halving:asha",
            "not among the best third at a rung: it pauses, and goes on if it gets there",
            frozenset({PAUSING}),
        ),
        Plugin(
            "race",
            "topk_tune.engine.halving:race",
            "as asha in its first seed; later not among the best with as many seeds: it pauses",
            frozenset({PAUSING, SEED_BY_SEED}),
        ),
        Plugin(
            "thaw",
            "topk_tune.engine.thawing:thaw",
            "expected to gain less than another trial: it pauses, and goes on when it is its turn",
            frozenset({PAUSING}),
        ),
        Plugin("hyperband", f"{_MAKERS}:hyperband", "not among the best third at a rung"),
        Plugin(
            "wilcoxon",
            f"{_MAKERS}:wilcoxon",
            "seeds significantly worse than the best trial's",
            frozenset({STEADY, WHOLE_RUNS}),
        ),
        Plugin("none", f"{_MAKERS}:none", "no pruning", frozenset({STEADY, NEVER})),
    ],
    paths=True,
)
