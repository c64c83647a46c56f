"""The arrays of a booster, named once, with their contents and types and the reasons for them.

Features are float32, as in the data sets and in scikit-learn's trees. Running sums, means
and thresholds are float64, because a leaf may see a million rounds. Indices are int32, since a
forest with more than two billion slots fits on no machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
"""A split must gain more than this, in bits. Otherwise ties would lead to splits that separate the
classes no better than chance."""

SAME = 1e-9
"""Gains closer than this count as equal, and the first candidate wins, whatever the rounding."""

LEAF = -1
NONE = -1

NODE = np.dtype([("threshold", FEATURE), ("feature", INDEX), ("link", INDEX)])
"""A node. With LEAF as its feature it is a leaf. The link of a split is its left child, which the
right child follows; the link of a leaf is its row. Packed, because routing is bound by memory."""

MEAN, M2 = 0, 1
SMALLEST, LARGEST = 0, 1

NODES, ROWS, SLOTS, FREE, ATTEMPTS, SEARCHED, RESOLVED, SPLITS = range(8)
ENTRIES, CELLS, PAGES, SPARE_PAGES = range(8, 12)
N_COUNTS = 12
"""The entries of `Forest.counts`: used nodes, rows and slots; free slots; split attempts, those
that had to search for a split, those that needed exact gains, and splits made; used entries and
cells of the pools; and pages of notes, and those that were released."""

MORE_NODES, MORE_ROWS, MORE_SLOTS, MORE_ENTRIES, MORE_CELLS, MORE_PAGES = range(6)
"""The entries of `Work.more`."""

GAUSSIAN, BINARY, SPARSE = range(3)
"""What a leaf observes, in `Trees.observer`: a Gaussian of every covariate; or only rows where a
covariate is not zero, with their weight (BINARY) or a Gaussian of their values (SPARSE)."""

GROWING, FROZEN, CLOSED = range(3)
"""The states of a tree, in `Forest.frozen`: it splits; it keeps its shape; and it also observes
nothing that it has not observed before."""

EMPTY = -1
"""The key of a place in a block that is not used."""

WEIGHT, CELL_MEAN, CELL_M2, CELL_SMALLEST, CELL_LARGEST = range(5)
"""The values of a cell. BINARY has the first alone. For naive Bayes, one more value comes last: the
logarithm of 1 + weight."""

CELL_VALUES = {GAUSSIAN: 0, BINARY: 1, SPARSE: 5}
"""How many values a cell has without naive Bayes."""

MASS, LOG_MASS, LOG_WEIGHT = range(3)
"""What naive Bayes keeps of each class of a leaf: the weights of all its cells, and logarithms of
this and of the weight of the class, each with the initial values added."""

BLOCK_SIZES = 31
"""How many sizes of blocks there are."""

PAGE = 128
"""The words of a page of notes. Smaller pages waste less at the end of each leaf's notes, and take
longer to follow from one to the next: each waits for memory."""

MOST_NOTES = 8192
"""How many words a leaf notes before they are counted. An attempt to split reads them all, so more
would take more time, and fewer would take more memory: cells take several times as much."""

LOSS, TIES, SHOWN = range(3)
"""The record of every row of a run: the weighted rank loss before randomisation, the share of
pairs that tie, and the expected loss of the shown ranking."""


class Rules(NamedTuple):
    """The settings that distinguish the algorithms, and the parameters of the booster."""

    adaptive: bool
    """True for TopAda and FullAda, False for TopOpt and FullOpt."""
    full: bool
    """True for FullOpt and FullAda, which see the whole label set."""
    scheme: int
    """The exploration scheme; see `schemes`."""
    marginal: bool
    """Whether pairs are weighted by their probability over all experts, not given the one drawn."""
    prior: bool
    """Whether labels with equal scores are ranked by how often they were relevant when seen."""
    k: int
    rho: float
    """The exploration rate at the start."""
    schedule: int
    """How the rate changes; see `schedule`."""
    rho_end: float
    """The rate after `horizon` rounds, unless the schedule is constant."""
    horizon: int
    fall: float
    """The slope of the logarithm of the rate, per round or per logarithm of the round."""
    least_probability: float
    most_probability: float
    step: float
    """The step size of round t is `step` / sqrt(t), at the first rate."""
    weight_cap: float
    key: np.uint64


class Features(NamedTuple):
    """Rows of features: dense, or only what is not zero (CSR). The other form is empty."""

    dense: NDArray[np.float32]
    start: IntArray
    """Row r has the entries start[r] .. start[r + 1] - 1 of the arrays below."""
    where: NDArray[np.int32]
    value: NDArray[np.float32]


class Row(NamedTuple):
    """Scratch space: one row of features, and where it is not zero."""

    x: NDArray[np.float32]
    where: NDArray[np.int32]
    n: IntArray
    """One number: how many entries of `where` are used."""


class Trees(NamedTuple):
    """The fixed parameters of each tree."""

    covariates: NDArray[np.int32]
    """(trees, lanes): the features it uses, then padding. Empty unless observed by Gaussians."""
    member: NDArray[np.uint32]
    """(trees, words): one bit for each feature that the tree uses. Empty if it uses all, or
    observes by Gaussians."""
    observer: int
    """GAUSSIAN, BINARY or SPARSE."""
    bayes: bool
    """Whether leaves predict by naive Bayes, not by their class weights alone."""
    n_covariates: int
    multiplier: FloatArray
    grace: FloatArray
    log_confidence: FloatArray
    """ln(1 / split confidence)"""
    tie: FloatArray
    max_nodes: int
    bytes_each: IntArray
    """The bytes of a node, a row, a slot, an entry, a cell and a page."""
    most_bytes: int
    """How many bytes a round may fill. If it could need more, the forest is closed; see `room`."""
    screened: bool
    """Turned off only to check and measure the screening: the trees are the same."""


class Rows(NamedTuple):
    """The class weights of the leaves, and where their observations are.

    With Gaussians, a leaf has a slot for each class. Otherwise, if it predicts by naive Bayes, it
    has a block of entries that leads to a slot for each feature that was not zero; see `blocks`.
    If it does not, it has notes; see `notes`.
    """

    tree: NDArray[np.int32]
    total: FloatArray
    tried: FloatArray
    """The total weight at the last split attempt."""
    weight: FloatArray
    slot: NDArray[np.int32]
    """NONE for a class that the leaf has not observed. No classes without Gaussians."""
    observed: FloatArray
    """The weight of each class that the leaf has observed itself. No classes with Gaussians."""
    bayes: FloatArray
    """(rows, 3, classes): MASS, LOG_MASS and LOG_WEIGHT. No classes without naive Bayes."""
    block: NDArray[np.int32]
    bits: NDArray[np.int32]
    used: NDArray[np.int32]
    page: NDArray[np.int32]
    """The first page of its notes, or NONE."""
    last: NDArray[np.int32]
    """The last page of its notes, or NONE."""
    words: NDArray[np.int32]
    raw: NDArray[np.int32]
    """How many of the words are not counted; these come last."""
    counted: NDArray[np.int32]
    """The number of features that are counted."""
    updates: IntArray
    """The most cells that the words that are not counted can add."""


class Slots(NamedTuple):
    """The observations of the leaves.

    With Gaussians, a slot belongs to a class of a leaf and has one weighted Gaussian per covariate.
    Otherwise it belongs to a feature of a leaf, has no lanes, and has a block of cells instead: one
    for each class that had rows in which the feature was not zero.
    """

    weight: FloatArray
    """The observed weight: of the class, or of the rows in which the feature was not zero."""
    moments: FloatArray
    """(slots, 2, lanes): MEAN, and M2, the weighted sum of squared differences from it."""
    limits: NDArray[np.float32]
    """(slots, 2, lanes): the SMALLEST and the LARGEST value."""
    block: NDArray[np.int32]
    bits: NDArray[np.int32]
    used: NDArray[np.int32]


class Pool(NamedTuple):
    """Blocks of one kind, in shared arrays: small hash tables from keys to values; see `blocks`."""

    key: NDArray[np.int32]
    value: NDArray[Any]
    """(places, values)"""
    vacant: NDArray[np.int32]
    """For each size of a block, the first released block or NONE; its first key is the next."""


class Notes(NamedTuple):
    """Pages of words; see `notes`."""

    word: NDArray[np.int32]
    """(pages, PAGE)"""
    vacant: NDArray[np.int32]
    """One number: the first released page, whose first word is the next."""


class Forest(NamedTuple):
    """All trees in shared flat arrays; nodes, rows and slots grow by reallocation.

    A node is a split or a leaf. A leaf owns a row, and a slot for each class it has observed.
    """

    root: NDArray[np.int32]
    tree_nodes: IntArray
    frozen: NDArray[np.uint8]
    """GROWING, FROZEN or CLOSED."""
    nodes: NDArray[np.void]
    """Of NODE."""
    rows: Rows
    slots: Slots
    free: NDArray[np.int32]
    """Released slots; this array is as long as there are slots."""
    entries: Pool
    """From the features of a leaf to slots."""
    cells: Pool
    """From the classes of a slot to float64 values: WEIGHT and so on."""
    notes: Notes
    counts: IntArray


class Votes(NamedTuple):
    """The booster's own state."""

    alpha: FloatArray
    log_nu: FloatArray
    """Logarithms of the expert weights, because the weights themselves underflow within a loop."""
    seen: FloatArray
    """How often the relevance of each label was seen."""
    relevant: FloatArray
    """How often the label was relevant when seen."""


class State(NamedTuple):
    """Everything that a booster has learned."""

    forest: Forest
    votes: Votes


class Tables(NamedTuple):
    """Walk tables of the Opt algorithms: `walks[of_size[r]]` belongs to r relevant labels."""

    of_size: IntArray
    walks: FloatArray


class Pairs(NamedTuple):
    """Scratch space of cost vectors: the labels and pairs seen in a round."""

    relevant: IntArray
    irrelevant: IntArray
    weight: FloatArray
    s_relevant: FloatArray
    s_irrelevant: FloatArray
    fall: FloatArray
    rise: FloatArray
    slope: FloatArray
    """By pair: the slope of its loss (Ada). By learner and pair: the fall of a potential (Opt)."""
    fed: FloatArray
    """max c - c[l] of each relevant label."""
    ahead: FloatArray
    """The same of several learners."""
    highest: FloatArray
    """By learner: max c."""
    falls: FloatArray
    """By learner and relevant label: minus c[l]."""
    far: IntArray
    """Irrelevant labels whose scores are far from the lowest."""


class Listed(NamedTuple):
    """Scratch space: where the features are that some leaves have counted; see `memo`."""

    row: NDArray[np.int32]
    """The leaf whose features are listed, or NONE."""
    feature: NDArray[np.int32]
    """(places, features)"""
    weight: FloatArray
    n_cells: NDArray[np.int32]
    page: NDArray[np.int32]
    at: NDArray[np.int32]
    end: NDArray[np.int32]
    """(places, 2): the page and the place where the words begin that are not counted."""


class Losses(NamedTuple):
    """Scratch space: what some leaves know of the gains of their features; see `memo`."""

    row: NDArray[np.int32]
    """The leaf whose features these are, or NONE."""
    least: NDArray[np.float32]
    """(places, features)"""


class Found(NamedTuple):
    """Scratch space: the notes of a leaf, sorted by features; see `counting`. Else empty."""

    place: NDArray[np.int32]
    """By feature: 1 + its place in the arrays below, or 0."""
    feature: NDArray[np.int32]
    weight: FloatArray
    page: NDArray[np.int32]
    """The page of its first cell that is counted already."""
    at: NDArray[np.int32]
    n_cells: NDArray[np.int32]
    start: NDArray[np.int32]
    """Its first place in `row`, of n_hits."""
    n_hits: NDArray[np.int32]
    row: NDArray[np.int32]
    """Places in `first`; the last one is for the features that are not chosen."""
    value: NDArray[np.float32]
    chosen: NDArray[np.int32]
    """By feature: 1 if its rows are needed, else 0."""
    words: NDArray[np.int32]
    """The rows that are not counted, as they were noted; also words about to be noted."""
    hits: NDArray[np.int32]
    """By row: where its features are in `words`."""
    first: NDArray[np.int32]
    """The first place in `label` of each row."""
    label: NDArray[np.int32]
    label_weight: FloatArray
    cell: NDArray[np.int32]
    """By label: 1 + its place in `cells`, or 0."""
    of_cells: NDArray[np.int32]
    """The words of the cells of one feature that are counted already."""
    cells: Pool
    """The cells of one feature."""
    listed: Listed
    losses: Losses


class Search(NamedTuple):
    """Scratch space of a split attempt: by class, covariate and threshold."""

    slots: NDArray[np.int32]
    classes: NDArray[np.int32]
    weight: FloatArray
    """The observed weights of the classes."""
    logs: FloatArray
    """x log x of the weights; by label without Gaussians."""
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
    touched: NDArray[np.int32]
    """Without Gaussians: the features that the leaf has observed."""
    slot: NDArray[np.int32]
    """Their slots, if they have any."""
    gains: FloatArray
    bounds: FloatArray
    """What their gains cannot exceed."""
    cut: NDArray[np.float32]
    """Their best thresholds."""
    apart: FloatArray
    """By label: the weight on the side of a threshold that has no zeros."""
    found: Found


class Work(NamedTuple):
    """Scratch space and, between predict and update, the pending round."""

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
    """The rate of relevance of each label, which breaks ties of scores; see `ties`."""
    rate: FloatArray
    """One number: the exploration rate of the round."""
    explored: FloatArray
    """P of a pair with 0, 1 or 2 labels in the top-k, given a randomised ranking."""
    probability: FloatArray
    """P of a pair with 0, 1 or 2 labels in the top-k before randomisation."""
    inverse_probability: FloatArray
    """1 / P of the same, P clipped."""
    row: Row
    x: FloatArray
    """The covariates of a tree, padded."""
    hits: NDArray[np.int32]
    """The features of a tree that are not zero."""
    n_hits: IntArray
    """One number: how many entries of `hits` are used."""
    noted: IntArray
    """One number: the row of the leaf that has noted `hits`, or NONE."""
    touched: FloatArray
    """One number, which means nothing; see `rounds.touch`."""
    more: IntArray
    """The most that the round can add of nodes, rows, slots, entries, cells and pages."""
    pairs: Pairs
    search: Search
