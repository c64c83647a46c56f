"""Algorithm 1 of the paper in plain Python, for all four algorithms.

What was drawn at random when a booster was made (its key; each tree's covariates and
parameters) is read off the booster; everything else is worked out here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from naive.cost import (
    Pair,
    competitor,
    estimated_rank_loss,
    learner_weight,
    logistic_gradient,
    opt_costs,
    slope_along,
)
from naive.draws import Draws
from naive.estimator import CLIP, pair_probability, pair_weight
from naive.leaves import covariates_of
from naive.nonzero import NonzeroTree
from naive.ranking import draw_expert, explore, rank
from naive.schedule import rate
from naive.tree import HoeffdingTree


class NaiveBooster:
    def __init__(self, booster: Any) -> None:
        self.parameters = booster
        self.adaptive, self.full = booster.adaptive, booster.full
        self.m, self.n = booster.n_labels, booster.n_learners
        self.key = int(booster._rules.key)
        born = booster._forest.trees
        self.multiplier = [float(multiplier) for multiplier in born.multiplier]
        self.trees = [tree_of(booster, born, i) for i in range(self.n)]
        self.alpha = [0.0 if self.adaptive else 1.0] * self.n
        self.log_nu = [0.0] * self.n
        self.seen = [0] * self.m
        self.relevant = [0] * self.m
        self.t = 1
        self.unfed: list[set[int]] = []
        """The labels that the leaf of each tree knew nothing of in the last round."""
        self.pairs: list[Pair] = []
        """Seen in the last round."""
        self.experts: list[list[float]] = []
        """The scores of the first 0, 1, .. learners in the last round."""

    def predict(self, x: Sequence[float]) -> list[float]:
        """The scores by which this round ranks."""
        self.x = x
        self.draws = Draws.of_round(self.key, self.t, x)
        self.h = [tree.predict(x) for tree in self.trees]
        self.unfed = [
            {label for label, weight in enumerate(tree.leaf(x).weights) if weight == 0}
            for tree in self.trees
        ]
        self.heard = self.alpha, self.h
        """By what the experts that were not drawn are ranked."""
        expert = draw_expert(self.log_nu, self.draws) if self.adaptive else self.n - 1
        return add_votes(self.alpha, self.h[: expert + 1], self.m)

    def scores(self, x: Sequence[float]) -> list[float]:
        """By the expert of the largest weight, the first of equals."""
        expert = self.log_nu.index(max(self.log_nu)) if self.adaptive else self.n - 1
        votes = [tree.predict(x) for tree in self.trees[: expert + 1]]
        return add_votes(self.alpha, votes, self.m)

    @property
    def prior(self) -> list[float]:
        """The rate of relevance, which decides between labels of equal votes."""
        if not self.full and not self.parameters.prior:
            return [0.0] * self.m
        return [(r + 1) / (s + 2) for r, s in zip(self.relevant, self.seen, strict=True)]

    @property
    def rate(self) -> float:
        """How much this round explores."""
        return 0.0 if self.full else rate(self.parameters, self.t)

    def show(self, scores: Sequence[float]) -> list[int]:
        """The ranking to show; scores are those of `predict`."""
        self.ranking = rank(scores, self.prior)
        if self.full:
            return self.ranking
        p = self.parameters
        shown, _ = explore(self.ranking, p.exploration, p.k, self.rate, self.draws)
        return shown

    def update(
        self, seen: dict[int, bool], likely: dict[frozenset[int], float] | None = None
    ) -> None:
        """Learn from labels and whether they are relevant, in the order they were shown.

        `likely` is how likely another policy was to show each pair, if it has shown them.
        """
        relevant = [label for label, bit in seen.items() if bit]
        irrelevant = [label for label, bit in seen.items() if not bit]
        self.pairs = [
            (a, b, self.weight_of(a, b, seen))
            if likely is None
            else (a, b, inverse(likely[frozenset((a, b))], self.parameters, len(seen)))
            for a in relevant
            for b in irrelevant
        ]
        for label, bit in seen.items():
            self.seen[label] += 1
            self.relevant[label] += bit
        # With the alphas that the round began with: each is adapted only once it has voted.
        self.experts = [add_votes(self.alpha, self.h[:j], self.m) for j in range(self.n + 1)]
        for i in range(self.n if self.pairs else 0):
            self.feed(i, self.costs(i, relevant), relevant)
            if self.adaptive:
                self.adapt(i)
        self.t += 1

    def feed(self, i: int, costs: Sequence[float], relevant: Sequence[int]) -> None:
        """Tell learner i the labels known to be relevant, one after another."""
        for label in relevant:
            weight = learner_weight(costs, label)
            if self.parameters.weight_cap is not None:
                weight = min(weight, self.parameters.weight_cap)
            if weight > 0:
                self.trees[i].learn(self.x, label, self.multiplier[i] * weight)

    def weight_of(self, a: int, b: int, seen: dict[int, bool]) -> float:
        if self.full:
            size = sum(seen.values())
            return 1 / (size * (self.m - size))
        p = self.parameters
        if not (self.adaptive and p.marginal) or p.k == self.m:
            return self.weight_given(self.ranking, a, b)
        nu = [math.exp(value - max(self.log_nu)) for value in self.log_nu]
        alpha, h = self.heard
        votes = [add_votes(alpha, h[: i + 1], self.m) for i in range(self.n)]
        rankings = [rank(scores, self.prior) for scores in votes]
        inside = [len({a, b} & set(ranking[: p.k])) for ranking in rankings]
        likely = [pair_probability(p.exploration, self.m, p.k, self.rate, n) for n in inside]
        over_all = sum(v * q for v, q in zip(nu, likely, strict=True)) / sum(nu)
        return inverse(over_all, p, p.k)

    def weight_given(self, ranking: Sequence[int], a: int, b: int) -> float:
        """The weight of a pair if a ranking was about to be shown."""
        p = self.parameters
        inside = sum(label in ranking[: p.k] for label in (a, b))
        return pair_weight(p.exploration, self.m, p.k, self.rate, inside, p.least_probability)

    def costs(self, i: int, relevant: Sequence[int]) -> list[float]:
        """The cost vector of learner i, from the votes of those before it."""
        before = self.experts[i]
        if self.adaptive:
            return logistic_gradient(before, self.pairs)
        gamma = self.parameters.gamma
        us = {a: competitor(self.m, gamma, relevant if self.full else [a]) for a in relevant}
        return opt_costs(before, self.pairs, self.n - 1 - i, us.__getitem__)

    def adapt(self, i: int) -> None:
        """A gradient step of alpha_i, and Hedge."""
        scores = self.experts[i + 1]
        slope = slope_along(self.h[i], scores, self.pairs)
        step = 1.0 if self.full else 8 * self.rate * math.sqrt(2) / self.m**2
        step *= self.parameters.step_scale
        self.alpha[i] = moved_alpha(self.alpha[i], step / math.sqrt(self.t), slope)
        self.log_nu[i] -= estimated_rank_loss(scores, self.pairs)


def inverse(probability: float, parameters: Any, n_shown: int) -> float:
    """1 / P, with P clipped; only if all labels are shown, it may be certain that two are."""
    most = 1.0 if n_shown == parameters.n_labels else CLIP[1]
    return 1 / min(max(probability, parameters.least_probability), most)


def tree_of(booster: Any, born: Any, i: int) -> HoeffdingTree:
    """The twin of a new tree."""
    parameters = {
        "grace": float(born.grace[i]),
        "log_confidence": float(born.log_confidence[i]),
        "tie": float(born.tie[i]),
        "max_nodes": booster.max_nodes,
    }
    if booster.observer == "gaussian":
        covariates = [int(f) for f in born.covariates[i, : born.n_covariates]]
        return HoeffdingTree(booster.n_labels, covariates, **parameters)
    covariates = covariates_of(born, i, booster.n_features)
    kind = {"observer": booster.observer, "bayes": booster.leaves == "bayes"}
    return NonzeroTree(booster.n_labels, covariates, **kind, **parameters)


def add_votes(alpha: Sequence[float], votes: Sequence[Sequence[float]], m: int) -> list[float]:
    """The sum of alpha_i h_i over the votes given."""
    scores = [0.0] * m
    for weight, h in zip(alpha, votes, strict=False):
        scores = [score + weight * share for score, share in zip(scores, h, strict=True)]
    return scores


def moved_alpha(alpha: float, eta: float, slope: float) -> float:
    return clip(alpha - eta * clip(slope, 1.0), 2.0)


def clip(value: float, bound: float) -> float:
    return max(-bound, min(value, bound))
