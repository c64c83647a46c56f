"""The tables of boosters: algorithms, weak learners, exploration schemes and schedules.

Nothing heavy is imported here, so that listing names stays fast.
"""

from booster.plugins import Plugin, Table

TOP_K = "top-k"
"""The trait of algorithms that are told only about the labels they placed at the top."""

SAVED = "saved"
"""The trait of weak learners whose boosters can be saved."""

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
"""The default learner."""

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
            install="python -m topk_tune.commands.build_skmultiflow",
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

GAUSSIAN = "gaussian"
"""The default observer."""

OBSERVERS = Table(
    "observer",
    [
        Plugin(GAUSSIAN, "booster.kernels.state:GAUSSIAN", "a Gaussian of all values"),
        Plugin(
            "binary",
            "booster.kernels.state:BINARY",
            "the weight of the rows in which a feature is not zero, which is its only other value",
        ),
        Plugin(
            "sparse",
            "booster.kernels.state:SPARSE",
            "a mass at zero, and a Gaussian of the values that are not zero",
        ),
    ],
)

WEIGHTS = "weights"
"""The default leaves."""

BAYES = "bayes"
"""The leaves that use naive Bayes."""

LEAVES = Table(
    "leaves",
    [
        Plugin(WEIGHTS, "booster.tables:WEIGHTS", "vote by their class weights"),
        Plugin(
            BAYES,
            "booster.tables:BAYES",
            "vote by naive Bayes over the features that are not zero",
        ),
    ],
)

UNIFORM = "uniform"
"""The default exploration scheme."""

SCHEMES = Table(
    "exploration",
    [
        Plugin(UNIFORM, "booster.exploration:uniform", "a uniformly random permutation"),
        Plugin(
            "single-swap",
            "booster.exploration:single_swap",
            "swaps a top-k label with one outside, twice",
        ),
    ],
)

CONSTANT = "constant"
"""The default exploration schedule."""

SCHEDULES = Table(
    "schedule",
    [
        Plugin(CONSTANT, "booster.kernels.schedule:CONSTANT", "stays at rho"),
        Plugin(
            "explore_first",
            "booster.kernels.schedule:EXPLORE_FIRST",
            "stays at rho until horizon, then drops to rho_end",
        ),
        Plugin("linear", "booster.kernels.schedule:LINEAR", "falls by the same amount each round"),
        Plugin(
            "geometric", "booster.kernels.schedule:GEOMETRIC", "falls by the same factor each round"
        ),
        Plugin(
            "power",
            "booster.kernels.schedule:POWER",
            "falls like a power of the round's number, fast at first and then slowly",
        ),
    ],
)
