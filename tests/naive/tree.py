"""A Hoeffding tree of node objects.

Running sums are added up one after another, in the order of the stream or of the labels: what
depends on whether a sum has reached a limit must not hang on its rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

THRESHOLDS = 10
MIN_SHARE = 0.01
MIN_GAIN = 1e-3
SAME = 1e-9


@dataclass
class Gaussian:
    """What a leaf knows of one covariate of one class."""

    weight: float = 0.0
    mean: float = 0.0
    m2: float = 0.0
    smallest: float = math.inf
    largest: float = -math.inf

    def observe(self, value: float, weight: float) -> None:
        self.weight += weight
        before = value - self.mean
        self.mean += before * (weight / self.weight)
        self.m2 += weight * before * (value - self.mean)
        self.smallest = min(self.smallest, value)
        self.largest = max(self.largest, value)

    def share_at_or_below(self, threshold: float) -> float:
        if threshold < self.smallest:
            return 0.0
        if threshold >= self.largest:
            return 1.0
        if self.weight <= 1 or self.m2 <= 0:
            return float(threshold >= self.mean)
        deviation = math.sqrt(self.m2 / (self.weight - 1))
        # As it is written in textbooks, on purpose: the far tail is nothing at all, and a class
        # without weight does not count as one.
        return (1 + math.erf((threshold - self.mean) / (deviation * math.sqrt(2)))) / 2


@dataclass
class Node:
    """A leaf, until it gets children."""

    weights: list[float]
    """Of every class: inherited and observed."""
    total: float = 0.0
    tried: float = 0.0
    observed: dict[int, list[Gaussian]] = field(default_factory=dict)
    """A Gaussian for each covariate, by class."""
    feature: int | None = None
    threshold: float = math.nan
    children: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        for weight in self.weights:
            self.total += weight
        self.tried = self.total

    def leaves(self) -> Iterator[Node]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


@dataclass
class Candidate:
    gain: float
    covariate: int
    threshold: float
    place: int = 0
    """Which of the thresholds it is."""


class HoeffdingTree:
    def __init__(
        self,
        n_classes: int,
        covariates: Sequence[int],
        *,
        grace: float,
        log_confidence: float,
        tie: float,
        max_nodes: int,
    ) -> None:
        self.covariates = covariates
        self.grace, self.log_confidence, self.tie = grace, log_confidence, tie
        self.max_nodes = max_nodes
        self.root = Node([0.0] * n_classes)
        self.n_nodes = 1
        self.frozen = self.n_nodes + 2 > max_nodes

    def leaf(self, x: Sequence[float]) -> Node:
        node = self.root
        while node.feature is not None:
            left, right = node.children
            node = left if x[node.feature] <= node.threshold else right
        return node

    def predict(self, x: Sequence[float]) -> list[float]:
        started = [1 + weight for weight in self.leaf(x).weights]
        total = sum(started)
        return [weight / total for weight in started]

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        leaf = self.leaf(x)
        leaf.weights[label] += weight
        leaf.total += weight
        if self.frozen:
            return
        gaussians = leaf.observed.setdefault(label, [Gaussian() for _ in self.covariates])
        for gaussian, feature in zip(gaussians, self.covariates, strict=True):
            gaussian.observe(float(x[feature]), weight)
        if leaf.total - leaf.tried >= self.grace:
            leaf.tried = leaf.total
            self.attempt(leaf)

    def attempt(self, leaf: Node) -> None:
        if len(leaf.observed) < 2:
            return
        weighted = sum(weight > 0 for weight in leaf.weights)
        bound = math.log2(max(2, weighted)) * math.sqrt(self.log_confidence / (2 * leaf.total))
        best, second = search(leaf.observed, len(self.covariates))
        if best is None or best.gain <= MIN_GAIN:
            return
        if bound < self.tie or best.gain - max(second, 0) > bound:
            self.split(leaf, best)

    def split(self, leaf: Node, at: Candidate) -> None:
        """Children inherit what was observed, as estimated; not what the leaf inherited."""
        left, right = [0.0] * len(leaf.weights), [0.0] * len(leaf.weights)
        for label, gaussians in leaf.observed.items():
            gaussian = gaussians[at.covariate]
            left[label] = gaussian.weight * gaussian.share_at_or_below(at.threshold)
            right[label] = gaussian.weight - left[label]
        leaf.feature, leaf.threshold = self.covariates[at.covariate], at.threshold
        leaf.children = (Node(left), Node(right))
        leaf.observed = {}
        self.n_nodes += 2
        if self.n_nodes + 2 > self.max_nodes:
            self.frozen = True
            for node in self.root.leaves():
                node.observed = {}


def search(
    observed: dict[int, list[Gaussian]], n_covariates: int
) -> tuple[Candidate | None, float]:
    """The best split, and the best gain of another covariate (0 if there is none)."""
    classes = [observed[label] for label in sorted(observed)]
    bests = []
    for f in range(n_covariates):
        own = first_best(candidates([gaussians[f] for gaussians in classes], f))
        if own is not None:
            bests.append(own)
    best = first_best(bests)
    return best, max((other.gain for other in bests if other is not best), default=0.0)


def first_best(found: Sequence[Candidate]) -> Candidate | None:
    """The first whose gain none exceeds by more than what counts as the same."""
    best = None
    for candidate in found:
        if best is None or candidate.gain > best.gain + SAME:
            best = candidate
    return best


def candidates(gaussians: Sequence[Gaussian], covariate: int) -> list[Candidate]:
    """The splits that send enough weight to either side."""
    found = []
    for place, threshold in enumerate(thresholds(gaussians)):
        gain = information_gain(gaussians, threshold)
        if gain is not None:
            found.append(Candidate(gain, covariate, threshold, place))
    return found


def thresholds(gaussians: Sequence[Gaussian]) -> list[float]:
    """Equal steps through what was observed, rounded to float32 as the features are."""
    low = min(gaussian.smallest for gaussian in gaussians)
    high = max(gaussian.largest for gaussian in gaussians)
    if low == high:
        return []
    step = (high - low) / (THRESHOLDS + 1)
    return [float(np.float32(low + step * (t + 1))) for t in range(THRESHOLDS)]


def information_gain(gaussians: Sequence[Gaussian], threshold: float) -> float | None:
    """In bits; None if one side gets too little weight."""
    left = [g.weight * g.share_at_or_below(threshold) for g in gaussians]
    right = [g.weight - weight for g, weight in zip(gaussians, left, strict=True)]
    total = add_up(g.weight for g in gaussians)
    weight_left = add_up(left)
    if min(weight_left, total - weight_left) <= MIN_SHARE * total:
        return None
    after = weight_left * entropy(left) + (total - weight_left) * entropy(right)
    return entropy([g.weight for g in gaussians]) - after / total


def entropy(weights: Sequence[float]) -> float:
    total = add_up(weights)
    return add_up(-w / total * math.log2(w / total) for w in weights if w > 0)


def add_up(values) -> float:
    """One after another: the built-in sum corrects rounding errors, from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total
