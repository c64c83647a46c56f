"""The named things of boosters: algorithms, weak learners, exploration schemes and schedules.

Nothing heavy is imported here, so that whoever only lists names need not wait.
"""

from booster.plugins import Plugin, Table

TOP_K = "top-k"
"""The trait of algorithms that are told of the labels they placed at the top, and of no others."""

SAVED = "saved"
"""The trait of weak learners whose boosters can be written to a file."""

ALGORITHMS = Table(
    "algorithm",
    [
        Plugin(
            "topopt", "booster.top_opt:TopOpt", "top-k feedback, known edge", frozenset({TOP_K})
        ),
        Plugin("topada", "booster.top_ada:TopAda", "top-k feedback, adaptive", frozenset({TOP_K})),
        Plugin("fullopt", "booster.full_opt:FullOpt", "full information, known edge"),
        Plugin("fullada", "booster.full_ada:FullAda", "full information, adaptive"),
    ],
    group="topk_tune.algorithms",
)

NATIVE = "native"

LEARNERS = Table(
    "learner",
    [
        Plugin(
            NATIVE,
            "booster.learners.hoeffding_forest:HoeffdingForest",
            "compiled Hoeffding trees",
            frozenset({SAVED}),
        ),
        Plugin(
            "skmultiflow",
            "booster.learners.skmultiflow_tree:SkmultiflowTree",
            "Hoeffding trees of scikit-multiflow",
            install="make skmultiflow",
        ),
        Plugin(
            "river",
            "booster.learners.river_tree:RiverTree",
            "Hoeffding trees of river",
            install="pip install river",
        ),
    ],
    group="topk_tune.learners",
)
