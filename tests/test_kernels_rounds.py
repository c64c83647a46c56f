"""Whole rounds: every algorithm beside its twin, over ordinary and over odd streams."""

import numpy as np
import pytest
from naive.losses import expected_rank_loss, hinge_loss, rank_loss, ties, weighted
from naive.ranking import rank
from naive.replay import CLOSE, Replay
from numpy.testing import assert_allclose

from booster import FullAda, FullOpt, TopAda, TopOpt, TreeRanges

N_ROWS, N_FEATURES, N_LABELS = 120, 5, 6

VARIANTS = {
    "topopt-uniform": (TopOpt, {"rho": 0.2, "gamma": 0.15}),
    "topopt-single-swap": (TopOpt, {"rho": 0.3, "exploration": "single-swap"}),
    "topada-uniform": (TopAda, {"rho": 0.2}),
    "topada-single-swap": (TopAda, {"rho": 0.3, "exploration": "single-swap"}),
    "topopt-explore-first": (
        TopOpt,
        {"rho": 0.9, "schedule": "explore_first", "rho_end": 0.1, "horizon": 60},
    ),
    "topada-geometric": (
        TopAda,
        {"rho": 0.9, "schedule": "geometric", "rho_end": 0.01, "horizon": 100},
    ),
    "topopt-power-single-swap": (
        TopOpt,
        {
            "rho": 0.9,
            "schedule": "power",
            "rho_end": 0.1,
            "horizon": 100,
            "exploration": "single-swap",
        },
    ),
    "topada-linear-label-order": (
        TopAda,
        {"rho": 0.9, "schedule": "linear", "rho_end": 0.2, "horizon": 90, "prior": False},
    ),
    "topopt-weights-at-most-5": (TopOpt, {"rho": 0.3, "least_probability": 0.2}),
    "topada-marginal": (TopAda, {"rho": 0.3, "marginal": True, "step_scale": 300.0}),
    "fullopt": (FullOpt, {"gamma": 0.25}),
    "fullada": (FullAda, {}),
    "fullada-slow": (FullAda, {"step_scale": 0.1}),
}
TOP = [name for name in VARIANTS if name.startswith("top")]
EITHER = ["topopt-uniform", "topada-uniform", "fullopt", "fullada"]

variants = pytest.mark.parametrize("variant", VARIANTS)
either_first = pytest.mark.parametrize(
    "variant",
    [v if v in EITHER else pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS],
)
"""All variants, of which `make check` tries one of each algorithm."""
each_algorithm = pytest.mark.parametrize("variant", EITHER)
"""For what has nothing to do with exploration or votes."""


def make(variant, X, Y, **parameters):
    algorithm, own = VARIANTS[variant]
    shape = {"n_features": X.shape[1], "n_labels": Y.shape[1]}
    return algorithm(**shape, **{"n_learners": 3, "n_covariates": 4} | own | parameters)


def replayed(variant, X, Y, **parameters):
    """The twin after the stream; all that the booster reports has been compared with it."""
    X = X.astype(np.float32)
    replay = Replay(make(variant, X, Y, **parameters))
    twin = replay.over(X, Y)
    booster = make(variant, X, Y, **parameters)
    result = booster.run(X, Y)
    assert_allclose(result.curve, np.cumsum(replay.losses) / np.arange(1, len(X) + 1), **CLOSE)
    assert_allclose(result.ties, np.mean(replay.ties), **CLOSE)
    assert_allclose(result.shown_loss, np.mean(replay.shown_losses), **CLOSE)
    assert_reads_as_its_twin(booster, twin, X[:10], Y[:10])
    return twin


def assert_reads_as_its_twin(booster, twin, X, Y):
    scores = booster.scores(X)
    assert_allclose(scores, [twin.scores(x) for x in X.tolist()], **CLOSE)
    rankings = [rank(s, twin.prior) for s in scores.tolist()]
    assert booster.rank(X).tolist() == rankings
    rows = list(zip(scores.tolist(), Y.tolist(), strict=True))
    pairs = [(list(zip(s, twin.prior, strict=True)), y) for s, y in rows]
    evaluation = booster.evaluate(X, Y)
    assert_allclose(evaluation.loss, np.mean([weighted(rank_loss(s, y), y) for s, y in pairs]))
    assert_allclose(evaluation.ties, np.mean([weighted(ties(s, y), y) for s, y in pairs]))
    assert_allclose(evaluation.rank, np.mean([rank_loss(s, y) for s, y in pairs]))
    assert_allclose(evaluation.hinge, np.mean([hinge_loss(s, y) for s, y in rows]))
    if X.shape[1] and Y.shape[1] <= 6:
        assert_allclose(evaluation.shown, np.mean(shown_losses(booster, rankings, Y.tolist())))


def shown_losses(booster, rankings, Y):
    scheme, k = ("", 0) if booster.full else (booster.exploration, booster.k)
    return [
        weighted(expected_rank_loss(ranking, y, scheme, k, booster.final_rate), y)
        for ranking, y in zip(rankings, Y, strict=True)
    ]


def n_splits(twin):
    return sum((tree.n_nodes - 1) // 2 for tree in twin.trees)


def splits(node):
    """The node and those below it, but for the leaves."""
    below = [split for child in node.children for split in splits(child)]
    return [node, *below] if node.children else []


def ordinary(n_features=N_FEATURES, n_labels=N_LABELS, n_rows=N_ROWS, seed=0):
    """Features that tell something of the labels; some label sets are empty, some full."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    hidden = X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n_rows, n_labels))
    Y = (hidden > 0.4).astype(np.uint8)
    Y[::17] = 0
    Y[5::17] = 1
    return X, Y


def few_values():
    """Whole numbers from 0 to 11: thresholds are among the values."""
    X, Y = ordinary()
    return np.clip(np.round(2.5 * X + 5), 0, 11), Y


def some_constant():
    X, Y = ordinary()
    X[:, 1:4] = [0.0, -7.5, 1e6]
    return X, Y


def duplicated_rows():
    X, Y = ordinary()
    rows = np.random.default_rng(1).integers(0, 6, N_ROWS)
    return X[rows], Y[rows]


def large_offset():
    X, Y = ordinary()
    return 1e4 + 0.05 * X, Y


def single_labels():
    X, _ = ordinary()
    return X, np.eye(N_LABELS, dtype=np.uint8)[(X[:, 0] > 0) * 3 + np.arange(N_ROWS) % 3]


def all_but_one():
    X, Y = single_labels()
    return X, 1 - Y


ODD = (few_values, some_constant, duplicated_rows, large_offset, single_labels, all_but_one)


@either_first
def test_an_ordinary_stream(variant):
    assert n_splits(replayed(variant, *ordinary())) > 0


@pytest.mark.slow
@each_algorithm
@pytest.mark.parametrize("stream", ODD, ids=lambda stream: stream.__name__)
def test_odd_streams(variant, stream):
    assert n_splits(replayed(variant, *stream())) > 0


def words(n_values=1):
    """Few features of a row are not zero, and have one value or several."""
    X, Y = ordinary(n_features=12)
    chosen = np.random.default_rng(2).random(X.shape) < 0.25
    values = np.random.default_rng(3).integers(1, n_values + 1, X.shape)
    X = np.where((X > 0.5) | chosen, values, 0)
    X[::29] = 0
    return X, Y


@pytest.mark.parametrize(
    ("variant", "leaves"),
    [
        ("fullada", "weights"),
        ("topada-uniform", "bayes"),
        *(
            pytest.param(variant, leaves, marks=pytest.mark.slow)
            for variant, leaves in [("topopt-uniform", "weights"), ("fullopt", "bayes")]
        ),
    ],
)
@pytest.mark.parametrize(("observer", "n_values"), [("binary", 1), ("sparse", 4)])
def test_observers_of_what_is_not_zero(variant, observer, n_values, leaves):
    parameters = {"observer": observer, "leaves": leaves, "n_covariates": 8}
    assert n_splits(replayed(variant, *words(n_values), **parameters)) > 0


@each_algorithm
def test_constant_features(variant):
    X, Y = ordinary()
    twin = replayed(variant, 0 * X + 3.3, Y)
    assert n_splits(twin) == 0
    assert all(tree.root.total > 0 for tree in twin.trees)


@either_first
@pytest.mark.parametrize("bit", [0, 1], ids=["empty", "all-relevant"])
def test_rows_without_a_pair_teach_nothing(variant, bit):
    X, Y = ordinary()
    twin = replayed(variant, X, 0 * Y + bit)
    assert all(tree.root.total == 0 for tree in twin.trees)
    assert len(set(twin.alpha)) == 1
    assert twin.log_nu == [0.0] * twin.n


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 16))]
)
def test_shapes(seed):
    """Shapes and parameters at random; every fourth seed is of the same algorithm."""
    rng = np.random.default_rng(seed)
    variant = EITHER[seed % 4]
    m, n_features = int(rng.integers(2, 9)), int(rng.integers(1, 13))
    parameters = {
        "n_learners": int(rng.integers(1, 6)),
        "n_covariates": int(rng.integers(1, 11)),
        "seed": seed,
    }
    if variant in TOP:
        k = int(rng.integers(2, m + 1))
        swaps = 3 <= k < m and seed % 8 < 4
        parameters |= {"k": k, "exploration": "single-swap" if swaps else "uniform"}
    twin = replayed(variant, *ordinary(n_features, m, seed=seed), **parameters)
    assert sum(tree.root.total > 0 or tree.n_nodes > 1 for tree in twin.trees) == twin.n


@pytest.mark.parametrize("variant", ["topopt-uniform", "topada-uniform"])
def test_all_labels_shown(variant):
    twin = replayed(variant, *ordinary(), k=N_LABELS)
    assert {weight for _, _, weight in twin.pairs} <= {1.0}


@either_first
def test_one_learner(variant):
    assert n_splits(replayed(variant, *ordinary(), n_learners=1)) > 0


def test_alpha_reaches_its_bound():
    """The same label every time: nothing could be easier to learn."""
    X, Y = ordinary()
    twin = replayed("fullada", X, np.zeros_like(Y) + (np.arange(N_LABELS) == 2))
    assert twin.alpha[0] == 2.0


@each_algorithm
def test_weight_cap(variant):
    X, Y = ordinary()
    twin, free = (replayed(variant, X, Y, weight_cap=cap) for cap in (0.11, None))
    assert total_weight(twin) < total_weight(free)


def total_weight(twin):
    """Of what is in the leaves: splits estimate it anew, and drop some."""
    return sum(leaf.total for tree in twin.trees for leaf in tree.root.leaves())


@each_algorithm
@pytest.mark.parametrize(
    "max_nodes",
    [pytest.param(1, marks=pytest.mark.slow), 3, pytest.param(6, marks=pytest.mark.slow)],
)
def test_small_trees(variant, max_nodes):
    twin = replayed(variant, *ordinary(n_rows=200), max_nodes=max_nodes)
    assert any(tree.frozen for tree in twin.trees)
    assert all(tree.n_nodes <= max_nodes for tree in twin.trees)


@pytest.mark.parametrize("variant", ["fullopt", "fullada"])
def test_tiny_weights(variant):
    """Classes of leaves that split weigh less than 1, so that their deviation is unknown."""
    ranges = TreeRanges(
        weight_multiplier=(0.03, 0.2),
        grace_period=(0.05, 0.4),
        split_confidence=(0.9, 0.99),
        tie_threshold=(0.7, 0.9),
    )
    X, Y = ordinary(seed=3)
    twin = replayed(variant, X, Y, trees=ranges)
    light = [max(node.weights) < 1 for tree in twin.trees for node in splits(tree.root)]
    assert sum(light) > 5


@pytest.mark.parametrize(
    "variant", ["topopt-uniform", pytest.param("topada-single-swap", marks=pytest.mark.slow)]
)
def test_rare_exploration(variant):
    """Probabilities below and above what they are clipped to."""
    twin = replayed(variant, *ordinary(n_rows=300), rho=0.002, k=3)
    assert n_splits(twin) > 0


@pytest.mark.slow
@variants
def test_yeast(variant, shared_data):
    data = np.load(shared_data / "yeast.npz")
    X, Y = data["X_train"][:90], data["Y_train"][:90]
    assert n_splits(replayed(variant, X, Y, n_learners=4, n_covariates=8)) > 0
