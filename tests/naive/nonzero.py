"""A Hoeffding tree that observes only what is not zero, and naive Bayes in its leaves.

A leaf keeps the rows that it has seen, and works out all that it is asked from these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from naive.tree import (
    MIN_GAIN,
    MIN_SHARE,
    SAME,
    THRESHOLDS,
    Candidate,
    Gaussian,
    HoeffdingTree,
    Node,
    add_up,
    entropy,
    first_best,
)

BINARY, SPARSE = "binary", "sparse"


@dataclass
class Leaf(Node):
    """A leaf, until it gets children."""

    seen: list[tuple[Sequence[float], int, float]] = field(default_factory=list)
    """Rows, each with a label and its weight."""

    def observed_weights(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for _, label, weight in self.seen:
            found[label] = found.get(label, 0.0) + weight
        return dict(sorted(found.items()))

    def gaussians(self, feature: int) -> dict[int, Gaussian]:
        """Of the values that are not zero, by class."""
        found: dict[int, Gaussian] = {}
        for x, label, weight in self.seen:
            if x[feature] != 0:
                found.setdefault(label, Gaussian()).observe(x[feature], weight)
        return found

    def has_zeros(self, feature: int) -> bool:
        return any(x[feature] == 0 for x, _, _ in self.seen)


class NonzeroTree(HoeffdingTree):
    """Its first covariate is the smallest, whatever the order in which they were drawn."""

    def __init__(
        self,
        n_classes: int,
        covariates: Sequence[int],
        *,
        observer: str,
        bayes: bool,
        **others: Any,
    ) -> None:
        super().__init__(n_classes, sorted(covariates), **others)
        self.observer, self.bayes = observer, bayes
        self.root: Leaf = Leaf([0.0] * n_classes)

    def leaf(self, x: Sequence[float]) -> Leaf:
        found = super().leaf(x)
        assert isinstance(found, Leaf)
        return found

    def hits(self, x: Sequence[float]) -> list[int]:
        return [f for f in self.covariates if x[f] != 0]

    def touched(self, leaf: Leaf) -> list[int]:
        """The covariates that were not zero in some row."""
        return [f for f in self.covariates if any(x[f] != 0 for x, _, _ in leaf.seen)]

    def predict(self, x: Sequence[float]) -> list[float]:
        if not self.bayes:
            return super().predict(x)
        leaf = self.leaf(x)
        likely = [
            (1 + weight) * math.prod(self.chances(leaf, self.hits(x), label))
            for label, weight in enumerate(leaf.weights)
        ]
        total = sum(likely)
        return [value / total for value in likely]

    def chances(self, leaf: Leaf, features: Sequence[int], label: int) -> list[float]:
        """That a word of a class is this one, for each of some (multinomial, each starting at 1).

        A class without words counts as if it had as many as the others, in the geometric mean.
        """
        words = self.words(leaf, label)
        total = len(self.covariates) + sum(words.values())
        if not any(words.values()):
            others = [sum(self.words(leaf, other).values()) for other in range(len(leaf.weights))]
            logs = [math.log(len(self.covariates) + other) for other in others if other > 0]
            total = math.exp(sum(logs) / len(logs)) if logs else 1
        return [(1 + words[feature]) / total for feature in features]

    def words(self, leaf: Leaf, label: int) -> dict[int, float]:
        """The weight of each word of a class."""
        return {
            f: sum(w for x, own, w in leaf.seen if own == label and x[f] != 0)
            for f in self.covariates
        }

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        leaf = self.leaf(x)
        leaf.weights[label] += weight
        leaf.total += weight
        if not self.frozen or self.bayes:
            leaf.seen.append((tuple(x), label, weight))
        if not self.frozen and leaf.total - leaf.tried >= self.grace:
            leaf.tried = leaf.total
            self.attempt(leaf)

    def attempt(self, leaf: Leaf) -> None:
        if len(leaf.observed_weights()) < 2:
            return
        weighted = sum(weight > 0 for weight in leaf.weights)
        bound = math.log2(max(2, weighted)) * math.sqrt(self.log_confidence / (2 * leaf.total))
        bests = [self.best_of(leaf, f) for f in self.touched(leaf)]
        found = [candidate for candidate in bests if candidate is not None]
        if not found:
            return
        # Not one after another, as among Gaussians: features come in the order of the stream, and
        # gains that each count as the same as the next would make the winner hang on it.
        largest = max(candidate.gain for candidate in found)
        best = next(candidate for candidate in found if candidate.gain >= largest - SAME)
        if best.gain <= MIN_GAIN:
            return
        second = max((other.gain for other in found if other is not best), default=0.0)
        if bound < self.tie or best.gain - max(second, 0) > bound:
            self.split(leaf, best)

    def best_of(self, leaf: Leaf, feature: int) -> Candidate | None:
        """The best split by a feature, the first of equals."""
        found = []
        weights, gaussians = leaf.observed_weights(), leaf.gaussians(feature)
        for place, threshold in enumerate(self.thresholds(leaf, feature)):
            gain = gain_of(list(weights.values()), self.left(weights, gaussians, threshold))
            if gain is not None:
                found.append(Candidate(gain, feature, threshold, place))
        return first_best(found)

    def thresholds(self, leaf: Leaf, feature: int) -> list[float]:
        """The one that sets zeros apart, then equal steps through all values."""
        if self.observer == BINARY:
            return [0.0]
        gaussians = leaf.gaussians(feature).values()
        values = [g.smallest for g in gaussians] + [g.largest for g in gaussians]
        edge = 0.0 if max(values) > 0 else max(values)
        if leaf.has_zeros(feature):
            values.append(0.0)
        step = (max(values) - min(values)) / (THRESHOLDS + 1)
        if step == 0:
            return []
        steps = [float(np.float32(min(values) + step * (t + 1))) for t in range(THRESHOLDS)]
        return [edge, *steps]

    def left(
        self, weights: dict[int, float], gaussians: dict[int, Gaussian], threshold: float
    ) -> list[float]:
        """The weight of each observed class at or below a threshold."""
        found = []
        for label, weight in weights.items():
            g = gaussians.get(label, Gaussian())
            if self.observer == BINARY:
                share = 0.0
            else:
                share = g.share_at_or_below(threshold) if g.weight else 0.0
            # Zeros are on one side; what is on the other is subtracted from the whole class, so
            # that a class that is all on one side has no weight on the other by rounding.
            found.append(weight - g.weight * (1 - share) if threshold >= 0 else g.weight * share)
        return found

    def split(self, leaf: Leaf, at: Candidate) -> None:
        left, right = [0.0] * len(leaf.weights), [0.0] * len(leaf.weights)
        weights = leaf.observed_weights()
        shares = self.left(weights, leaf.gaussians(at.covariate), at.threshold)
        for (label, weight), part in zip(weights.items(), shares, strict=True):
            left[label], right[label] = part, weight - part
        leaf.feature, leaf.threshold = at.covariate, at.threshold
        leaf.children = (Leaf(left), Leaf(right))
        leaf.seen = []
        self.n_nodes += 2
        if self.n_nodes + 2 > self.max_nodes:
            self.frozen = True
            for node in self.root.leaves():
                if not self.bayes:
                    node.seen = []


def gain_of(weights: Sequence[float], left: Sequence[float]) -> float | None:
    """In bits; None if one side gets too little weight."""
    right = [weight - part for weight, part in zip(weights, left, strict=True)]
    total, weight_left = add_up(weights), add_up(left)
    if min(weight_left, total - weight_left) <= MIN_SHARE * total:
        return None
    after = weight_left * entropy(left) + (total - weight_left) * entropy(right)
    return entropy(weights) - after / total
