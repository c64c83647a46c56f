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
"""The learner that boosters have unless another is named."""

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
            package="scikit-multiflow",
        ),
        Plugin(
            "river",
            "booster.learners.river_tree:RiverTree",
            "Hoeffding trees of river",
            install="pip install river",
            package="river",
        ),
    ],
    group="topk_tune.learners",
)

UNIFORM = "uniform"
"""The exploration scheme that boosters have unless another is named."""

SCHEMES = Table(
    "exploration",
    [
        Plugin(UNIFORM, "booster.exploration:uniform", "any permutation, each as likely"),
        Plugin(
            "single-swap",
            "booster.exploration:single_swap",
            "twice, a label of the top-k changes places with one outside",
        ),
    ],
)

CONSTANT = "constant"
"""The schedule of exploration that boosters have unless another is named."""

SCHEDULES = Table(
    "schedule",
    [
        Plugin(CONSTANT, "booster.kernels.schedule:CONSTANT", "stays at rho"),
        Plugin(
            "explore_first",
            "booster.kernels.schedule:EXPLORE_FIRST",
            "stays at rho, and is rho_end after horizon rounds",
        ),
        Plugin("linear", "booster.kernels.schedule:LINEAR", "falls by the same amount each round"),
        Plugin(
            "geometric", "booster.kernels.schedule:GEOMETRIC", "falls by the same share each round"
        ),
        Plugin(
            "power",
            "booster.kernels.schedule:POWER",
            "falls like a power of the round's number, early and then slowly",
        ),
    ],
)
