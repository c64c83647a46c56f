"""Rounds around learners of other libraries.

The same steps as in `booster.kernels.rounds`, one call after another, with the learners of a list
in the place of the native trees: what they say of a row, and what they are fed, is all that
happens here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from booster.kernels import steps
from booster.kernels.ranking import explore, order_labels
from booster.kernels.state import FloatArray, Forest, Rules, Tables, Trees, Votes, Work
from booster.learners.weak_learner import WeakLearner


class ForeignRounds:
    """Has the entry points of `booster.kernels.rounds`, with their arguments.

    Parameters
    ----------
    learners
        The weak learners, which are also all that is learned besides the votes: the native trees
        among the arguments are only asked what they were born with.
    """

    def __init__(self, learners: Sequence[WeakLearner]) -> None:
        self.learners = learners

    @property
    def counts(self) -> dict[str, int]:
        """Nodes and leaves, split attempts and splits so far; about the memory in bytes."""
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
        """About the most memory that the learners can ever hold."""
        return sum(learner.bounded_bytes for learner in self.learners)

    def predict(
        self, rules: Rules, forest: Forest, votes: Votes, x: NDArray[Any], t: int, work: Work
    ) -> None:
        """A whole ranking to show for `x`, in `work.order`."""
        self._vote(rules, votes, x, t, work)
        order_labels(rules, True, work)
        explore(rules, work)

    def update(
        self,
        rules: Rules,
        trees: Trees,
        forest: Forest,
        votes: Votes,
        tables: Tables,
        x: NDArray[Any],
        t: int,
        labels: NDArray[Any],
        bits: NDArray[Any],
        n_seen: int,
        work: Work,
    ) -> None:
        """Learn from the relevance `bits` of the first `n_seen` of `labels`, after `predict`."""
        n_relevant, n_irrelevant = steps.see(rules, votes, labels, bits, n_seen, work)
        if n_relevant == 0 or n_irrelevant == 0:
            return
        row = x.tolist()
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
        X: NDArray[Any],
        Y: NDArray[Any],
        first: int,
        last: int,
        t: int,
        record: FloatArray,
        work: Work,
    ) -> int:
        """Rounds t, t + 1, .. over the rows first .. last - 1; returns the row it came to."""
        labels = work.labels if rules.full else work.order
        n_seen = work.scores.size if rules.full else rules.k
        given = (rules, trees, forest, votes, tables)
        for row in range(first, last):
            self._vote(rules, votes, X[row], t, work)
            steps.suffer(rules, Y[row], row, record, work)
            self.update(*given, X[row], t, labels, work.bits, n_seen, work)
            t += 1
        return last

    def score(
        self,
        forest: Forest,
        votes: Votes,
        expert: int,
        X: NDArray[Any],
        scores: FloatArray,
        node: NDArray[Any],
        active: NDArray[Any],
        h: FloatArray,
    ) -> None:
        """The scores of an expert for many rows; changes nothing but its scratch space."""
        for x, into in zip(X, scores, strict=True):
            into[:] = 0.0
            row = x.tolist()
            for i in range(expert + 1):
                h[:] = self.learners[i].distribution(row)
                steps.add_vote(votes.alpha[i], h, into)

    def _vote(self, rules: Rules, votes: Votes, x: NDArray[Any], t: int, work: Work) -> None:
        expert = steps.choose(rules, votes, x, t, work)
        row = x.tolist()
        for i, learner in enumerate(self.learners):
            work.h[i] = learner.distribution(row)
        steps.tally(votes, expert, work)
