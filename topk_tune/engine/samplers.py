"""Samplers by name: how the next configuration is chosen.

Nothing heavy is imported here, so that whoever only lists names need not wait; what makes them is
in `topk_tune.engine.optuna_samplers`. MODULE:CLASS and hub:PACKAGE:CLASS work in the place of a
name: see `topk_tune.engine.by_path`.
"""

from booster.plugins import Plugin, Table

FORGETFUL = "forgetful"
"""The trait of samplers that do as well without most finished trials of a large study; the others
may carry a sequence or a population along."""

COUNTING = "counting"
"""The trait of samplers for which every trial counts, also one whose configuration was given."""

SEQUENCE = "sequence"
"""The trait of samplers that walk along a sequence, so that finished trials have a place in it."""

GRID = "grid"
"""The trait of samplers that try every point of the space once."""

NO_BOUNDS = "no bounds"
"""The trait of samplers that know no bound of the objective."""

_MAKERS = "topk_tune.engine.optuna_samplers"

SAMPLERS = Table(
    "sampler",
    [
        Plugin("tpe", f"{_MAKERS}:tpe", "tree-structured Parzen estimator", frozenset({FORGETFUL})),
        Plugin("random", f"{_MAKERS}:random", "independent draws", frozenset({FORGETFUL})),
        Plugin(
            "grid",
            f"{_MAKERS}:random",  # for what a grid leaves open
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
