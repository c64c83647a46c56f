"""Algorithm 1 of the paper: the loop that the four algorithms fill in."""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.consistency import check_numbers
from booster.foreign import ForeignRounds
from booster.kernels import rounds as kernels
from booster.kernels.state import (
    ATTEMPTS,
    INDEX,
    NODES,
    ROWS,
    SPLITS,
    FloatArray,
    Rules,
    State,
    Tables,
    Votes,
)
from booster.learners import HoeffdingForest, TreeRanges
from booster.learners.weak_learner import make_learners
from booster.parameters import (
    MOST,
    feature_row,
    feature_rows,
    label_rows,
    positive,
    read_only,
    share,
    switch,
    whole,
)
from booster.results import Evaluation, Result
from booster.saving import save
from booster.tables import LEARNERS, NATIVE
from booster.workspace import workspace

CHUNK = 1024
"""Rounds between two looks at the keyboard: a compiled loop cannot be interrupted."""

MAX_NODES = 255
"""Larger trees take more time and memory and mostly rank no better (docs/booster.md)."""

PUBLIC_RANGES = TreeRanges()
"""Those of the public full-information code; an algorithm may have better ones."""


@dataclass(eq=False, kw_only=True)
class Booster(ABC):
    """What the four algorithms share. Parameters are read once, when the booster is made.

    Parameters
    ----------
    n_features, n_labels
        The shape of the stream.
    n_learners
        The number N of weak learners.
    n_covariates
        How many features, chosen at random, each learner looks at.
    seed
        Determines everything random, learners and rankings.
    weight_cap
        The most that max c - c[l] may weigh, before a learner's multiplier; none if None.
    max_nodes
        The most nodes of one tree; see `HoeffdingForest` for what happens then.
    trees
        From where each tree draws its own parameters.
    tie_threshold
        One for all trees, in the place of what they draw.
    prior
        Whether labels of equal scores are ranked by how often they were relevant when seen; if
        not, or if that is equal too, the smaller label comes first, as in the paper.
    paper
        The paper's algorithm with nothing of ours: ties by label, trees without a limit on their
        nodes that draw from the ranges of the public code, no cap on weights. Parameters that are
        part of this must be left alone.
    learner
        Whose trees: one of `booster.tables.LEARNERS`, all with the same parameters. Others than
        the native ones are about a thousand times slower, and cannot be saved (docs/learners.md).
    """

    adaptive: ClassVar[bool]
    full: ClassVar[bool]

    n_features: int
    n_labels: int
    n_learners: int = 50
    n_covariates: int = 20
    seed: int = 0
    weight_cap: float | None = None
    max_nodes: int = MAX_NODES
    trees: TreeRanges = PUBLIC_RANGES
    tie_threshold: float | None = None
    prior: bool = True
    paper: bool = False
    learner: str = NATIVE

    _as_in_the_paper: ClassVar[dict[str, Any]] = {
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
            n_covariates=self.n_covariates,
            max_nodes=self.max_nodes,
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
            self.n_learners, self.n_labels, self._forest.lanes, self._explored_probabilities()
        )
        self._recall()
        self._round = 0
        self._pending: NDArray[np.float32] | None = None
        self._foreign: ForeignRounds | None = None
        if self.learner != NATIVE:
            learners = make_learners(self.learner, self._forest.trees, self.n_labels)
            self._foreign = ForeignRounds(learners)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse a new value for a parameter: `save` would write it, and nothing else use it."""
        if name in self.__dataclass_fields__ and "_forest" in vars(self):
            raise AttributeError(f"{name} is read once: make another booster to change it")
        super().__setattr__(name, value)

    def _check(self) -> None:
        """Raise a ValueError for a parameter that breaks its rule."""
        self.paper = switch("paper", self.paper)
        if self.paper:
            self._follow_the_paper()
        self.n_features = whole("n_features", self.n_features, 1)
        self.n_labels = whole("n_labels", self.n_labels, 2)
        self.n_learners = whole("n_learners", self.n_learners, 1)
        self.n_covariates = whole("n_covariates", self.n_covariates, 1)
        self.max_nodes = whole("max_nodes", self.max_nodes, 1)
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

    def _follow_the_paper(self) -> None:
        for name, value in self._as_in_the_paper.items():
            given = getattr(self, name)
            if given not in (self.__dataclass_fields__[name].default, value):
                raise ValueError(f"paper = True sets {name} itself, but got {given!r}")
            setattr(self, name, value)

    def _ranges(self) -> TreeRanges:
        """`trees`, with the one tie threshold if there is one."""
        one = self.tie_threshold
        return self.trees if one is None else replace(self.trees, tie_threshold=(one, one))

    @abstractmethod
    def _make_rules(self, key: np.uint64) -> Rules:
        """What the kernels need to know of the algorithm."""

    @property
    @abstractmethod
    def final_rate(self) -> float:
        """How often the ranking shown is randomised once exploration has come down."""

    @abstractmethod
    def _settle(self) -> None:
        """Explore at the final rate from the next round on."""

    @abstractmethod
    def _explored_probabilities(self) -> FloatArray:
        """P of a pair with 0, 1 or 2 labels in the top-k, if the ranking is randomised."""

    @abstractmethod
    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The labels that the feedback speaks of, and their bits."""

    @abstractmethod
    def _most_fed(self, sizes: NDArray[np.int64]) -> int:
        """The most labels a learner is fed in a round, if label sets have these sizes."""

    @abstractmethod
    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Make what the kernels need for label sets of these sizes."""

    @property
    def _engine(self) -> Any:
        """What runs the rounds: the kernels, or others around the learners of a library."""
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
        """Nodes and leaves of all trees, split attempts and splits so far; memory in bytes."""
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

    @property
    def bounded_bytes(self) -> int:
        """The most memory that the trees can ever hold."""
        if self._foreign is not None:
            return self._foreign.bounded_bytes
        return self._forest.bounded_bytes()

    def predict(self, x: ArrayLike, explore: bool = True) -> NDArray[np.int64]:
        """The ranking to show for `x`: all labels, best first. Learns nothing.

        Whether and how it explores is fixed by the number of the round and the row: asking twice
        gives the same ranking. With `explore=False` it is that of `rank`, and no round begins:
        feedback on it would be weighed as if it might have been randomised, so `update` goes with
        the last prediction that did explore.
        """
        row = feature_row(x, self.n_features)
        if not explore:
            ranking: NDArray[np.int64] = self.rank(row[np.newaxis])[0]
            return ranking
        self._engine.predict(
            self._rules, self._forest.arrays, self._votes, row, self._round + 1, self._work
        )
        self._pending = row.copy()
        return self._work.order.copy()

    def update(self, feedback: ArrayLike) -> None:
        """Learn from the feedback on the last prediction, and go on to the next round."""
        if self._pending is None:
            raise ValueError("predict must come before update, but no prediction is pending")
        labels, bits = self._feedback_bits(feedback)
        sizes = np.array([bits.sum()], np.int64)
        self._prepare(sizes)
        self._forest.make_room(self._most_fed(sizes))
        self._round += 1
        self._engine.update(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            self._tables,
            read_only(self._pending),
            self._round,
            labels,
            bits,
            bits.size,
            self._work,
        )
        self._pending = None

    def run(self, X: ArrayLike, Y: ArrayLike, loops: int = 1) -> Result:
        """Loop over the rows: predict, suffer the loss, learn from the feedback.

        A top-k booster is shown only the bits of the labels in its top-k; the rest of `Y` is
        used for the reported loss alone.
        """
        features = feature_rows(X, self.n_features)
        labels = label_rows(Y, len(features), self.n_labels)
        loops = whole("loops", loops, 1)
        if len(features) == 0:
            raise ValueError("X must have at least one row, but got none")
        sizes = np.unique(labels.sum(axis=1, dtype=np.int64))
        self._prepare(sizes)
        record = np.zeros((loops, 3, len(features)))
        self._pending = None
        self._rounds(features, labels, 0, 0, record[0])  # loads the kernel, off the clock
        started = time.perf_counter()
        for part in record:
            row = 0
            while row < len(features):
                self._forest.make_room(self._most_fed(sizes))
                row = self._rounds(features, labels, row, min(row + CHUNK, len(features)), part)
        took = time.perf_counter() - started
        if self._foreign is None:
            check_numbers(self._state())  # the loss of what is no number would look like 0
        return Result.of_record(record, took)

    def _rounds(
        self,
        X: NDArray[np.float32],
        Y: NDArray[np.uint8],
        first: int,
        last: int,
        record: FloatArray,
    ) -> int:
        """Run over some rows; returns how far the memory at hand allowed."""
        reached: int = self._engine.run(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            self._tables,
            X,
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
        """The scores of every label for every row, by the expert of the largest weight.

        Reads only. (While it learns, an adaptive booster draws its expert at random.)
        """
        features = feature_rows(X, self.n_features)
        scores = np.empty((len(features), self.n_labels))
        expert = int(self._votes.log_nu.argmax()) if self.adaptive else self.n_learners - 1
        node, active = np.empty((2, self.n_learners), INDEX)
        h = np.empty(self.n_labels)
        self._engine.score(
            self._forest.arrays, self._votes, expert, features, scores, node, active, h
        )
        return scores

    def rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """The labels, best first, for every row, by `scores`; never explores. Reads only."""
        scores = self.scores(X)
        orders = np.empty(scores.shape, np.int64)
        kernels.rank_rows(scores, self._work.prior, orders, np.empty(self.n_labels, np.int64))
        return orders

    def evaluate(self, X: ArrayLike, Y: ArrayLike, rate: float | None = None) -> Evaluation:
        """The losses of `scores(X)` against `Y`. Reads only.

        `rate` is how often what is shown would be randomised; `final_rate` by default.
        """
        rate = self.final_rate if rate is None else share("rate", rate)
        scores = self.scores(X)
        if len(scores) == 0:
            raise ValueError("X must have at least one row, but got none")
        labels = label_rows(Y, len(scores), self.n_labels)
        if np.isnan(scores).any():
            raise ValueError("scores must be numbers to be compared, but got nan")
        order, spare = np.empty((2, self.n_labels), np.int64)
        given = (self._rules, rate, scores, self._work.prior, labels, order, spare)
        return Evaluation(*kernels.losses(*given))

    def settled(self) -> Self:
        """A copy that is done with training: it explores at `final_rate` from now on.

        No prediction is pending in it: one that was made at another rate would be weighed wrongly.
        """
        other = copy.deepcopy(self)
        other._pending = None
        other._settle()
        return other

    def _state(self) -> State:
        """All that was learned, as arrays."""
        if self._foreign is not None:
            raise ValueError(
                f"a booster to be saved or loaded must have native learners, but got "
                f"learner = {self.learner!r}: what other libraries learn is in no arrays"
            )
        return State(self._forest.arrays, self._votes)

    def _restore(self, state: State, rounds: int) -> None:
        self._forest.arrays, self._votes = state
        self._recall()
        self._round = rounds

    def _recall(self) -> None:
        """What decides between equal scores, from what was counted: see `kernels.ties`."""
        if self._rules.prior:
            self._work.prior[:] = (self._votes.relevant + 1.0) / (self._votes.seen + 2.0)

    def save(self, path: str | Path) -> None:
        """Write the booster, in the middle of its stream, to one file; see `booster.load`."""
        save(self, path)
