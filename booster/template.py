"""Algorithm 1 of the paper: the loop that the four algorithms complete."""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.consistency import check_numbers
from booster.features import blank_row, copied, count_rows, row_of, rows_of, some_rows
from booster.foreign import ForeignRounds
from booster.kernels import rounds as kernels
from booster.kernels.state import (
    ATTEMPTS,
    INDEX,
    NODES,
    ROWS,
    SPLITS,
    Features,
    FloatArray,
    Rules,
    State,
    Tables,
    Votes,
)
from booster.learners import HoeffdingForest, TreeRanges
from booster.learners.hoeffding_forest import UNLIMITED
from booster.learners.weak_learner import make_learners
from booster.log_losses import LogLosses, log_losses, scores_of
from booster.log_model import predicted_relevance
from booster.logs import Log, log_rows
from booster.parameters import (
    MOST,
    count_covariates,
    covariates,
    label_rows,
    positive,
    share,
    switch,
    whole,
)
from booster.results import Evaluation, Result
from booster.saving import save
from booster.tables import BAYES, GAUSSIAN, LEARNERS, LEAVES, NATIVE, OBSERVERS, WEIGHTS
from booster.workspace import count_bytes, forget, with_pairs, workspace

CHUNK = 1024
"""Rounds between two checks for Ctrl-C: a compiled loop cannot be interrupted."""

MAX_NODES = 255
"""Larger trees take more time and memory and mostly rank no better (docs/booster.md)."""

PUBLIC_RANGES = TreeRanges()
"""The ranges of the public full-information code; an algorithm may have better ones."""


@dataclass(eq=False, kw_only=True)
class Booster(ABC):
    """The base class of the four algorithms. Parameters are fixed once the booster is made.

    Parameters
    ----------
    n_features, n_labels
        The shape of the stream.
    n_learners
        The number N of weak learners.
    n_covariates
        The number of features, chosen at random, that each learner uses: a whole number, a share
        of all features between 0 and 1, "sqrt" for the square root of their number, or "all".
    observer
        What the leaves of the trees observe of a feature: one of `booster.tables.OBSERVERS`. With
        "gaussian", all values. With "binary" and "sparse", only those that are not zero, so that
        time and memory follow these; "binary" is for features that are 0 or one positive value.
    leaves
        How a leaf votes: one of `booster.tables.LEAVES`. "weights" by its class weights, as in the
        paper. "bayes" by naive Bayes over the features that are not zero; needs an `observer`
        other than "gaussian".
    seed
        Determines all randomness, of learners and rankings.
    weight_cap
        The upper limit of max c - c[l] before a learner's multiplier; None for no limit.
    max_nodes
        The largest number of nodes of a tree; see `HoeffdingForest` for what happens then.
    max_bytes
        The most memory of all trees, or None for no other limit than `max_nodes`. When a round
        could exceed it, all trees stop growing.
    trees
        The ranges from which each tree draws its parameters.
    tie_threshold
        The tie threshold of all trees, instead of one drawn per tree.
    prior
        Whether labels with equal scores are ranked by how often they were relevant when seen.
        Otherwise, and if that is equal too, the smaller label comes first, as in the paper.
    paper
        The paper's algorithm without our changes: ties by label, trees without a limit on their
        nodes that draw from the ranges of the public code, no cap on weights. Parameters that
        this sets must not be given.
    learner
        The kind of weak learner: one of `booster.tables.LEARNERS`, all with the same parameters.
        Learners other than the native ones are about a thousand times slower, and their boosters
        cannot be saved (docs/learners.md).
    """

    adaptive: ClassVar[bool]
    full: ClassVar[bool]

    n_features: int
    n_labels: int
    n_learners: int = 50
    n_covariates: int | float | str = 20
    observer: str = GAUSSIAN
    leaves: str = WEIGHTS
    seed: int = 0
    weight_cap: float | None = None
    max_nodes: int = MAX_NODES
    max_bytes: int | None = None
    trees: TreeRanges = PUBLIC_RANGES
    tie_threshold: float | None = None
    prior: bool = True
    paper: bool = False
    learner: str = NATIVE

    _as_in_the_paper: ClassVar[dict[str, Any]] = {
        "observer": GAUSSIAN,
        "leaves": WEIGHTS,
        "max_nodes": MOST,
        "trees": PUBLIC_RANGES,
        "tie_threshold": None,
        "weight_cap": None,
        "prior": False,
    }

    def __post_init__(self) -> None:
        self._check()
        rng = np.random.default_rng(self.seed)
        self._forest = HoeffdingForest(
            n_trees=self.n_learners,
            n_features=self.n_features,
            n_classes=self.n_labels,
            n_covariates=count_covariates(self.n_covariates, self.n_features),
            observer=OBSERVERS.load(self.observer),
            bayes=self.leaves == BAYES,
            max_nodes=self.max_nodes,
            max_bytes=self.max_bytes,
            ranges=self._ranges(),
            rng=rng,
        )
        self._votes = Votes(
            alpha=np.full(self.n_learners, 0.0 if self.adaptive else 1.0),
            log_nu=np.zeros(self.n_learners),
            seen=np.zeros(self.n_labels),
            relevant=np.zeros(self.n_labels),
        )
        self._rules = self._make_rules(rng.integers(2**63, dtype=np.uint64))
        self._tables = Tables(np.zeros(self.n_labels + 1, np.int64), np.zeros((0, 0, 0, 2)))
        self._work = workspace(
            self._forest,
            self.n_features,
            self.n_labels,
            self._rules.k,
            self._explored_probabilities(),
        )
        self._recall()
        self._round = 0
        self._pending: Features | None = None
        self._foreign: ForeignRounds | None = None
        if self.learner != NATIVE:
            learners = make_learners(self.learner, self._forest.trees, self.n_labels)
            self._foreign = ForeignRounds(learners)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change a parameter: `save` would write it, but nothing else would use it."""
        if name in self.__dataclass_fields__ and "_forest" in vars(self):
            raise AttributeError(f"{name} cannot be changed: make another booster instead")
        super().__setattr__(name, value)

    def _check(self) -> None:
        """Raise a ValueError if a parameter breaks its rule."""
        self.paper = switch("paper", self.paper)
        if self.paper:
            self._follow_the_paper()
        self.n_features = whole("n_features", self.n_features, 1)
        self.n_labels = whole("n_labels", self.n_labels, 2)
        self.n_learners = whole("n_learners", self.n_learners, 1)
        self.n_covariates = covariates(self.n_covariates)
        self.observer = OBSERVERS.named(self.observer)
        self.leaves = LEAVES.named(self.leaves)
        if self.leaves == BAYES and self.observer == GAUSSIAN:
            raise ValueError(
                f"leaves must be {WEIGHTS!r} with observer = {GAUSSIAN!r}, but got {self.leaves!r}"
            )
        self.max_nodes = whole("max_nodes", self.max_nodes, 1)
        if self.max_bytes is not None:
            self.max_bytes = whole("max_bytes", self.max_bytes, 1, UNLIMITED)
        self.seed = whole("seed", self.seed, 0, math.inf)
        if not isinstance(self.trees, TreeRanges):
            raise ValueError(f"trees must be TreeRanges, but got {self.trees!r}")
        self.trees = self.trees.checked()
        if self.weight_cap is not None:
            self.weight_cap = positive("weight_cap", self.weight_cap)
        if self.tie_threshold is not None:
            self.tie_threshold = positive("tie_threshold", self.tie_threshold)
        self.prior = switch("prior", self.prior)
        self.learner = LEARNERS.named(self.learner)
        if self.learner != NATIVE and (self.observer, self.leaves) != (GAUSSIAN, WEIGHTS):
            raise ValueError(
                f"observer must be {GAUSSIAN!r} with learner = {self.learner!r}, "
                f"which has leaves of its own, but got {self.observer!r}"
            )

    def _follow_the_paper(self) -> None:
        for name, value in self._as_in_the_paper.items():
            given = getattr(self, name)
            if given not in (self.__dataclass_fields__[name].default, value):
                raise ValueError(f"paper = True sets {name} itself, but got {given!r}")
            setattr(self, name, value)

    def _ranges(self) -> TreeRanges:
        """Return `trees`, with the common tie threshold if there is one."""
        one = self.tie_threshold
        return self.trees if one is None else replace(self.trees, tie_threshold=(one, one))

    @abstractmethod
    def _make_rules(self, key: np.uint64) -> Rules:
        """Return the algorithm's settings for the kernels."""

    @property
    @abstractmethod
    def final_rate(self) -> float:
        """How often the shown ranking is randomised at the end of the exploration schedule."""

    @abstractmethod
    def _settle(self) -> None:
        """Explore at the final rate from the next round on."""

    @abstractmethod
    def _explored_probabilities(self) -> FloatArray:
        """Return P of a pair with 0, 1 or 2 labels in the top-k, given a randomised ranking."""

    @abstractmethod
    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the labels that the feedback covers, and their bits."""

    @abstractmethod
    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Prepare the tables that the kernels need for label sets of these sizes."""

    @property
    def _engine(self) -> Any:
        """Return what runs the rounds: the kernels, or `ForeignRounds` for other libraries."""
        return kernels if self._foreign is None else self._foreign

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return self._round

    @property
    def counts(self) -> dict[str, int]:
        """Nodes and leaves of all trees, split attempts and splits so far, and memory in bytes."""
        if self._foreign is not None:
            return self._foreign.counts
        counts = self._forest.arrays.counts
        return {
            "nodes": int(counts[NODES]),
            "leaves": int(counts[ROWS]),
            "split_attempts": int(counts[ATTEMPTS]),
            "splits": int(counts[SPLITS]),
            "bytes": self._forest.nbytes,
        }

    def expect(self, sizes: NDArray[np.int64]) -> None:
        """Prepare for label sets of these sizes, so that `bounded_bytes` includes what they take.

        Training does this itself.
        """
        sizes = np.unique(sizes)
        self._work = with_pairs(self._work, int(min(sizes[-1], self._rules.k)))
        self._prepare(sizes)

    @property
    def bounded_bytes(self) -> int:
        """The upper limit of its memory, including learners, tables and scratch space."""
        learners = self._forest if self._foreign is None else self._foreign
        fixed = (self._forest.trees, self._votes, self._tables, self._work)
        return learners.bounded_bytes + sum(count_bytes(arrays) for arrays in fixed)

    def predict(self, x: ArrayLike, explore: bool = True) -> NDArray[np.int64]:
        """Return the ranking to show for `x`: all labels, best first. Learns nothing.

        The number of the round and the row determine whether and how it explores, so asking twice
        gives the same ranking. With `explore=False` the ranking is that of `rank`, and no round
        begins. Feedback on it would get the weight of a ranking that could have been randomised,
        so `update` refers to the last prediction with `explore=True`.
        """
        row = row_of(x, self.n_features)
        if not explore:
            return self._ranked(row)[0]
        self._show(row)
        self._pending = copied(row)
        return self._work.order.copy()

    def _show(self, row: Features) -> None:
        """Put the ranking to show for a row, and what it follows from, in the scratch space."""
        self._engine.predict(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            row,
            self._round + 1,
            self._work,
        )

    def update(self, feedback: ArrayLike) -> None:
        """Learn from the feedback on the last prediction and start the next round."""
        if self._pending is None:
            raise ValueError("predict must come before update, but no prediction is pending")
        labels, bits = self._feedback_bits(feedback)
        self.expect(np.array([bits.sum()], np.int64))
        while not self._engine.has_room(
            self._forest.trees, self._forest.arrays, bits, bits.size, self._work
        ):
            self._forest.make_room(self._work.more)
        self._round += 1
        self._engine.update(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            self._tables,
            self._round,
            labels,
            bits,
            bits.size,
            self._work,
        )
        self._pending = None

    def run(self, X: ArrayLike, Y: ArrayLike, loops: int = 1) -> Result:
        """Loop over the rows: predict, record the loss, learn from the feedback.

        A top-k booster sees only the bits of the labels in its top-k. The rest of `Y` is used
        only for the reported loss.
        """
        features = rows_of(X, self.n_features)
        n_rows = count_rows(features)
        labels = label_rows(Y, n_rows, self.n_labels)
        loops = whole("loops", loops, 1)
        if n_rows == 0:
            raise ValueError("X must have at least one row, but got none")
        self.expect(labels.sum(axis=1, dtype=np.int64))
        record = np.zeros((loops, 3, n_rows))
        self._pending = None
        self._rounds(features, labels, record[0], 0, 0)  # loads the kernel before the clock starts
        started = time.perf_counter()
        for part in record:
            rounds = partial(self._rounds, features, labels, part)
            self._in_chunks(n_rows, rounds)
        took = time.perf_counter() - started
        self._check_learned()
        return Result.of_record(record, took)

    def _in_chunks(self, n_rows: int, rounds: Callable[[int, int], int]) -> None:
        """Run over all rows; `rounds` takes the first row and the end, and returns where it ended.

        It ends early if the arrays are full.
        """
        row = 0
        while row < n_rows:
            last = min(row + CHUNK, n_rows)
            row = rounds(row, last)
            if row < last:
                self._forest.make_room(self._work.more)

    def _check_learned(self) -> None:
        if self._foreign is None:
            check_numbers(self._state())  # the loss of scores that are nan would look like 0

    def _rounds(
        self,
        features: Features,
        Y: NDArray[np.uint8],
        record: FloatArray,
        first: int,
        last: int,
    ) -> int:
        """Run over some rows; return the row where the available memory ended."""
        reached: int = self._engine.run(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            self._tables,
            features,
            Y,
            first,
            last,
            self._round + 1,
            record,
            self._work,
        )
        self._round += reached - first
        return reached

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the scores of every label for every row, by the expert of the largest weight.

        Learns nothing. (While it learns, an adaptive booster draws its expert at random.)
        """
        return self._scores(rows_of(X, self.n_features))

    def _scores(self, features: Features) -> FloatArray:
        scores = np.empty((count_rows(features), self.n_labels))
        expert = int(self._votes.log_nu.argmax()) if self.adaptive else self.n_learners - 1
        node, active = np.empty((2, self.n_learners), INDEX)
        h = np.empty(self.n_labels)
        self._engine.score(
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            expert,
            features,
            scores,
            node,
            active,
            h,
            blank_row(self.n_features),
            np.empty_like(self._work.hits),
        )
        return scores

    def rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the labels of every row, best first, by `scores`. Never explores or learns."""
        return self._ranked(rows_of(X, self.n_features))

    def _ranked(self, features: Features) -> NDArray[np.int64]:
        scores = self._scores(features)
        orders = np.empty(scores.shape, np.int64)
        kernels.rank_rows(scores, self._work.prior, orders, np.empty(self.n_labels, np.int64))
        return orders

    def evaluate(self, X: ArrayLike, Y: ArrayLike, rate: float | None = None) -> Evaluation:
        """Return the losses of `scores(X)` against `Y`. Learns nothing.

        `rate` is how often the shown ranking would be randomised; `final_rate` by default.
        """
        rate = self.final_rate if rate is None else share("rate", rate)
        features = rows_of(X, self.n_features)
        n_rows = count_rows(features)
        if n_rows == 0:
            raise ValueError("X must have at least one row, but got none")
        labels = label_rows(Y, n_rows, self.n_labels)
        totals = np.zeros(5)
        order, spare = np.empty((2, self.n_labels), np.int64)
        for first in range(0, n_rows, CHUNK):
            part = slice(first, first + CHUNK)
            scores = self._scores(some_rows(features, part))
            if np.isnan(scores).any():
                raise ValueError("scores must be numbers to be compared, but got nan")
            given = (self._rules, rate, scores, self._work.prior, labels[part], order, spare)
            kernels.add_losses(*given, totals)
        return Evaluation(*(totals / n_rows).tolist())

    def evaluate_log(self, log: Log, confidence: float = 0.95, seed: int = 0) -> LogLosses:
        """Estimate the rank loss of `rank` from a log of what any policy has shown. Learns nothing.

        The model of the doubly robust estimate is what the booster itself predicts; see
        `booster.log_model`. `confidence` is that of the intervals, `seed` that of the bootstrap.
        """
        rows = log_rows(log, self.n_features, self.n_labels)
        scores = self._scores(rows.features)
        rates = (self._votes.relevant + 1.0) / (self._votes.seen + 2.0)
        relevance = predicted_relevance(rows, scores, rates)
        ranked = scores_of(self._ranked(rows.features))
        return log_losses(rows, ranked, relevance, confidence=confidence, seed=seed)

    def settled(self) -> Self:
        """Return a copy whose training has ended: it explores at `final_rate` from now on.

        It has no pending prediction, because one made at another rate would get wrong weights.
        """
        other = copy.deepcopy(self)
        other._pending = None
        other._settle()
        return other

    def _state(self) -> State:
        """Return everything that was learned, as arrays."""
        if self._foreign is not None:
            raise ValueError(
                f"a booster to be saved or loaded must have native learners, but got "
                f"learner = {self.learner!r}: other libraries do not keep their state in arrays"
            )
        return State(self._forest.arrays, self._votes)

    def _restore(self, state: State, rounds: int) -> None:
        self._forest.arrays, self._votes = state
        self._recall()
        forget(self._work)
        self._round = rounds

    def _recall(self) -> None:
        """Restore the tie-breaking rates from the counts; see `kernels.ties`."""
        if self._rules.prior:
            self._work.prior[:] = (self._votes.relevant + 1.0) / (self._votes.seen + 2.0)

    def save(self, file: str | Path | BinaryIO) -> None:
        """Write the booster to one file, also mid-stream; see `booster.load`."""
        save(self, file)
