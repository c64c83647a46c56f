"""Rounds with learners of other libraries.

The steps are those of `booster.kernels.rounds`, called one after another, with a list of learners
instead of the native trees. This module only asks the learners for their distributions and feeds
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from booster.kernels import steps
from booster.kernels.ranking import explore, order_labels
from booster.kernels.rows import load_row
from booster.kernels.state import (
    Features,
    FloatArray,
    Forest,
    Row,
    Rules,
    Tables,
    Trees,
    Votes,
    Work,
)
from booster.learners.weak_learner import WeakLearner


class ForeignRounds:
    """The entry points of `booster.kernels.rounds`, with the same arguments.

    Parameters
    ----------
    learners
        The weak learners. Apart from the votes they hold everything that is learned; the native
        trees among the arguments only provide the initial parameters of each tree.
    """

    def __init__(self, learners: Sequence[WeakLearner]) -> None:
        self.learners = learners

    @property
    def counts(self) -> dict[str, int]:
        """Nodes, leaves, split attempts and splits so far, and the approximate memory in bytes."""
        nodes = sum(learner.n_nodes for learner in self.learners)
        leaves = (nodes + len(self.learners)) // 2
        return {
            "nodes": nodes,
            "leaves": leaves,
            "split_attempts": sum(learner.n_attempts for learner in self.learners),
            "splits": nodes - leaves,
            "bytes": sum(learner.nbytes for learner in self.learners),
        }

    @property
    def bounded_bytes(self) -> int:
        """The approximate upper limit of the learners' memory."""
        return sum(learner.bounded_bytes for learner in self.learners)

    def predict(
        self,
        rules: Rules,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        features: Features,
        t: int,
        work: Work,
    ) -> None:
        """Put the whole ranking to show for the only row of `features` into `work.order`."""
        load_row(features, 0, work.row)
        self._vote(rules, votes, t, work)
        order_labels(rules, True, work)
        explore(rules, work)

    def update(
        self,
        rules: Rules,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        tables: Tables,
        t: int,
        labels: NDArray[Any],
        bits: NDArray[Any],
        n_seen: int,
        work: Work,
    ) -> None:
        """Learn from the relevance `bits` of the first `n_seen` of `labels`, after `predict`."""
        n_relevant, n_irrelevant = steps.see(rules, votes, labels, bits, n_seen, work)
        self._teach(rules, trees, votes, tables, t, n_relevant, n_irrelevant, work)

    def _teach(
        self,
        rules: Rules,
        trees: Trees,
        votes: Votes,
        tables: Tables,
        t: int,
        n_relevant: int,
        n_irrelevant: int,
        work: Work,
    ) -> None:
        if n_relevant == 0 or n_irrelevant == 0:
            return
        row = work.row.x.tolist()
        relevant = work.pairs.relevant[:n_relevant].tolist()
        for i, learner in enumerate(self.learners):
            steps.weigh(rules, tables, i, len(self.learners), n_relevant, n_irrelevant, work)
            for label, fed in zip(relevant, work.pairs.fed.tolist(), strict=False):
                weight = steps.fed_weight(fed, rules.weight_cap, trees.multiplier[i])
                learner.learn(row, label, weight)
            steps.advance(rules, votes, i, t, n_relevant, n_irrelevant, work)

    def run(
        self,
        rules: Rules,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        tables: Tables,
        features: Features,
        Y: NDArray[Any],
        first: int,
        last: int,
        t: int,
        record: FloatArray,
        work: Work,
    ) -> int:
        """Run rounds t, t + 1, .. over rows first .. last - 1; return the next row."""
        labels = work.labels if rules.full else work.order
        n_seen = work.scores.size if rules.full else rules.k

        def see(row: int) -> tuple[int, int]:
            steps.suffer(rules, Y[row], row, record, work)
            return steps.see(rules, votes, labels, work.bits, n_seen, work)

        return self._run(rules, trees, votes, tables, features, first, last, t, see, work)

    def run_log(
        self,
        rules: Rules,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        tables: Tables,
        features: Features,
        shown: NDArray[Any],
        bits: NDArray[Any],
        pairs: NDArray[Any],
        first: int,
        last: int,
        t: int,
        work: Work,
    ) -> int:
        """Run rounds t, t + 1, .. over rows first .. last - 1 of a log; return the next row."""

        def see(row: int) -> tuple[int, int]:
            n_seen = steps.read_shown(shown[row], bits[row], work.order, work.bits)
            return steps.see_logged(rules, votes, work.order, work.bits, n_seen, pairs[row], work)

        return self._run(rules, trees, votes, tables, features, first, last, t, see, work)

    def _run(
        self,
        rules: Rules,
        trees: Trees,
        votes: Votes,
        tables: Tables,
        features: Features,
        first: int,
        last: int,
        t: int,
        see: Callable[[int], tuple[int, int]],
        work: Work,
    ) -> int:
        """Vote for each row, `see` what is told about it, and learn that; return the next row.

        `see` returns how many relevant and irrelevant labels were seen.
        """
        for row in range(first, last):
            load_row(features, row, work.row)
            self._vote(rules, votes, t, work)
            n_relevant, n_irrelevant = see(row)
            self._teach(rules, trees, votes, tables, t, n_relevant, n_irrelevant, work)
            t += 1
        return last

    def score(
        self,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        expert: int,
        features: Features,
        scores: FloatArray,
        node: NDArray[Any],
        active: NDArray[Any],
        h: FloatArray,
        row: Row,
        hits: NDArray[Any],
    ) -> None:
        """Compute the scores of an expert for many rows; changes only its scratch space."""
        for index, into in enumerate(scores):
            into[:] = 0.0
            load_row(features, index, row)
            x = row.x.tolist()
            for i in range(expert + 1):
                h[:] = self.learners[i].distribution(x)
                steps.add_vote(votes.alpha[i], h, into)

    def has_room(self, *state: Any) -> bool:
        """Return True: these learners keep their observations themselves."""
        return True

    def _vote(self, rules: Rules, votes: Votes, t: int, work: Work) -> None:
        expert = steps.choose(rules, votes, t, work)
        row = work.row.x.tolist()
        for i, learner in enumerate(self.learners):
            work.h[i] = learner.distribution(row)
        steps.tally(votes, expert, work)
