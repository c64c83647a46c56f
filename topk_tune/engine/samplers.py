"""Samplers by name: how the next configuration is chosen.

Nothing heavy is imported here, so that listing names stays fast; the factories are in
`topk_tune.engine.optuna_samplers`. MODULE:CLASS and hub:PACKAGE:CLASS can be used instead of a
name: see `topk_tune.engine.by_path`.
"""

from booster.plugins import Plugin, Table

FORGETFUL = "forgetful"
"""The trait of samplers that work as well without most finished trials of a large study; others
may depend on a sequence or a population."""

BATCHES = "batches"
"""The trait of samplers that can choose several configurations at once."""

COUNTING = "counting"
"""The trait of samplers that count every trial, even one whose configuration was given."""

SEQUENCE = "sequence"
"""The trait of samplers that follow a sequence, in which finished trials have a place."""

GRID = "grid"
"""The trait of samplers that try every point of the space once."""

NO_BOUNDS = "no bounds"
"""The trait of samplers that cannot handle a bound of the objective."""

_MAKERS = "topk_tune.engine.optuna_samplers"

SAMPLERS = Table(
    "sampler",
    [
        Plugin(
            "tpe",
            f"{_MAKERS}:tpe",
            "tree-structured Parzen estimator",
            frozenset({FORGETFUL, BATCHES}),
        ),
        Plugin("random", f"{_MAKERS}:random", "independent draws", frozenset({FORGETFUL})),
        Plugin(
            "grid",
            f"{_MAKERS}:random",  # for parameters that the grid does not cover
            "every point of the space once",
            frozenset({FORGETFUL, GRID}),
        ),
        Plugin("qmc", f"{_MAKERS}:qmc", "evenly spread draws", frozenset({COUNTING, SEQUENCE})),
        Plugin(
            "cmaes",
            f"{_MAKERS}:cmaes",
            "an evolution strategy for numeric parameters",
            frozenset({COUNTING, NO_BOUNDS}),
        ),
        Plugin("gp", f"{_MAKERS}:gp", "Gaussian processes", install="pip install torch"),
    ],
    paths=True,
)
