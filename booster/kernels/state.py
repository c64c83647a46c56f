"""The arrays of a booster, named once: what they hold, their types and why.

Features are float32, as in the data sets and in scikit-learn's trees. Running sums, means
and thresholds are float64: a leaf may see a million rounds. Indices are int32, since a
forest beyond two billion slots fits no machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FEATURE = np.float32
INDEX = np.int32

LANES = 8
"""Covariates are padded to a multiple of this: one AVX register of float32."""

THRESHOLDS = 10
"""Candidate thresholds between the smallest and the largest value seen in a leaf."""

MIN_SHARE = 0.01
"""A split must send more than this share of the weight to either side."""

MIN_GAIN = 1e-3
"""A split must gain more than this, in bits: ties would otherwise be resolved by splits that
tell the classes apart no better than a coin."""

SAME = 1e-9
"""Gains closer than this are equal, and the first candidate wins: rounding decides nothing."""

LEAF = -1
NONE = -1

NODE = np.dtype([("threshold", FEATURE), ("feature", INDEX), ("link", INDEX)])
"""A node: LEAF as its feature makes it a leaf. It links to its left child, which the right one
follows, or, a leaf, to its row. Packed, because routing is bound by memory."""

MEAN, M2 = 0, 1
SMALLEST, LARGEST = 0, 1

NODES, ROWS, SLOTS, FREE, ATTEMPTS, SEARCHED, RESOLVED, SPLITS = range(8)
"""What `Forest.counts` counts: used nodes, rows and slots; free slots; split attempts, those
that had to look for a split, those that needed exact gains, and splits made."""

LOSS, TIES, SHOWN = range(3)
"""What a run records of every row: the weighted rank loss before randomisation, the share of
pairs that tie, and the expected loss of what is shown."""


class Rules(NamedTuple):
    """What distinguishes the algorithms, and the parameters of the booster."""

    adaptive: bool
    """TopAda and FullAda; else TopOpt and FullOpt."""
    full: bool
    """FullOpt and FullAda: the whole label set is seen."""
    scheme: int
    """How rankings are randomised; see `schemes`."""
    marginal: bool
    """Pairs are weighted by their probability over all experts, not given the one drawn."""
    prior: bool
    """Labels of equal scores are ranked by how often they were relevant when seen."""
    k: int
    rho: float
    """The exploration rate at the start."""
    schedule: int
    """How the rate goes on; see `schedule`."""
    rho_end: float
    """The rate after `horizon` rounds, unless the schedule is constant."""
    horizon: int
    fall: float
    """Of the logarithm of the rate, by round or by its logarithm."""
    least_probability: float
    most_probability: float
    step: float
    """The step size of round t is `step` / sqrt(t), at the first rate."""
    weight_cap: float
    key: np.uint64


class Trees(NamedTuple):
    """What each tree was born with."""

    covariates: NDArray[np.int32]
    """(trees, lanes): the features it looks at, then padding."""
    n_covariates: int
    multiplier: FloatArray
    grace: FloatArray
    log_confidence: FloatArray
    """ln(1 / split confidence)"""
    tie: FloatArray
    max_nodes: int
    screened: bool
    """Off only to check and to measure the screening: the trees are the same."""


class Rows(NamedTuple):
    """The leaves' class weights."""

    tree: NDArray[np.int32]
    total: FloatArray
    tried: FloatArray
    """The total weight at the last split attempt."""
    weight: FloatArray
    slot: NDArray[np.int32]
    """NONE for a class that the leaf has not observed."""


class Slots(NamedTuple):
    """What leaves have observed: for a class, one weighted Gaussian for each covariate."""

    weight: FloatArray
    moments: FloatArray
    """(slots, 2, lanes): MEAN, and M2, the weighted sum of squared differences from it."""
    limits: NDArray[np.float32]
    """(slots, 2, lanes): the SMALLEST and the LARGEST value."""


class Forest(NamedTuple):
    """All trees in shared flat arrays; nodes, rows and slots grow by reallocation.

    A node is a split or a leaf. A leaf owns a row, and a slot for each class it has observed.
    """

    root: NDArray[np.int32]
    tree_nodes: IntArray
    frozen: NDArray[np.uint8]
    nodes: NDArray[np.void]
    """Of NODE."""
    rows: Rows
    slots: Slots
    free: NDArray[np.int32]
    """Released slots; as long as there are slots."""
    counts: IntArray


class Votes(NamedTuple):
    """The booster's own state."""

    alpha: FloatArray
    log_nu: FloatArray
    """Logarithms of the expert weights: the weights themselves underflow within a loop."""
    seen: FloatArray
    """How often the relevance of each label was seen."""
    relevant: FloatArray
    """And how often the label was relevant then."""


class State(NamedTuple):
    """All that a booster has learned."""

    forest: Forest
    votes: Votes


class Tables(NamedTuple):
    """Walk tables of the Opt algorithms: `walks[of_size[r]]` belongs to r relevant labels."""

    of_size: IntArray
    walks: FloatArray


class Pairs(NamedTuple):
    """Scratch space of cost vectors: what was seen in a round."""

    relevant: IntArray
    irrelevant: IntArray
    weight: FloatArray
    s_relevant: FloatArray
    s_irrelevant: FloatArray
    fall: FloatArray
    rise: FloatArray
    slope: FloatArray
    fed: FloatArray
    """max c - c[l] of each relevant label."""


class Search(NamedTuple):
    """Scratch space of a split attempt: by class, covariate and threshold."""

    slots: NDArray[np.int32]
    classes: NDArray[np.int32]
    logs: FloatArray
    left: FloatArray
    low: FloatArray
    step: FloatArray
    per_step: FloatArray
    threshold: NDArray[np.float32]
    position: NDArray[np.float32]
    gain: NDArray[np.float32]
    bound: NDArray[np.float32]
    """The largest gain of a covariate."""
    error: NDArray[np.float32]
    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    share: NDArray[np.float32]
    within: NDArray[np.float32]


class Work(NamedTuple):
    """Scratch space; and, between predict and update, the round that is pending."""

    rng: NDArray[np.uint64]
    node: NDArray[np.int32]
    active: NDArray[np.int32]
    nu: FloatArray
    h: FloatArray
    scores: FloatArray
    prefix: FloatArray
    """The scores of an expert that may not have been drawn."""
    labels: IntArray
    """0, 1, .."""
    order: IntArray
    spare: IntArray
    bits: NDArray[np.uint8]
    inside: IntArray
    """1 for a label in the top-k before randomisation."""
    prior: FloatArray
    """The rate of relevance of each label, which decides between equal scores; see `ties`."""
    rate: FloatArray
    """One number: how much the round explores."""
    explored: FloatArray
    """P of a pair with 0, 1 or 2 labels in the top-k, if the ranking is randomised."""
    inverse_probability: FloatArray
    """1 / P of a pair with 0, 1 or 2 labels in the top-k before randomisation."""
    x: FloatArray
    pairs: Pairs
    search: Search
