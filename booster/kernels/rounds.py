"""Whole rounds: Algorithm 1 of the paper, and the entry points of the compiled part."""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.cost import (
    ada_weights,
    estimated_rank_loss,
    logistic_slopes,
    opt_weights,
    slope_along,
)
from booster.kernels.leaf import gather, learn
from booster.kernels.losses import hinge, wrong_pairs, wrong_pairs_shown
from booster.kernels.pairs import split_feedback, weigh_all, weigh_over_experts, weigh_seen
from booster.kernels.random import start_round
from booster.kernels.ranking import draw_expert, show
from booster.kernels.route import distribution, route_all
from booster.kernels.state import FREE, LOSS, NODES, ROWS, SHOWN, SLOTS, TIES
from booster.kernels.ties import lead, notice

_ALPHA_BOUND = 2.0
_SLOPE_BOUND = 1.0


@exact
def vote(rules, forest, votes, x, t, work):
    """The distributions of all learners, and the scores of the chosen expert."""
    start_round(work.rng, rules.key, t)
    n_learners = forest.root.size
    expert = draw_expert(votes.log_nu, work.rng, work.nu) if rules.adaptive else n_learners - 1
    lead(votes, work.scores)
    route_all(forest.nodes, forest.root, x, work.node, work.active)
    for i in range(n_learners):
        h = work.h[i]
        distribution(forest.rows, forest.nodes[work.node[i]].link, h)
        if i <= expert:
            for label in range(h.size):
                work.scores[label] += votes.alpha[i] * h[label]


@exact
def predict(rules, forest, votes, x, t, work):
    """A whole ranking to show for `x`, in `work.order`."""
    vote(rules, forest, votes, x, t, work)
    show(rules, work.scores, work.rng, True, work.order, work.inside, work.spare)


@exact
def update(rules, trees, forest, votes, tables, x, t, labels, bits, n_seen, work):
    """Learn from the relevance `bits` of the first `n_seen` of `labels`, after `vote`."""
    pairs = work.pairs
    n_relevant, n_irrelevant = split_feedback(
        labels, bits, n_seen, pairs.relevant, pairs.irrelevant
    )
    if n_relevant == 0 or n_irrelevant == 0:
        notice(votes, labels, bits, n_seen)
        return
    relevant, irrelevant = pairs.relevant[:n_relevant], pairs.irrelevant[:n_irrelevant]
    if rules.full:
        weigh_all(n_relevant, n_irrelevant, pairs.weight)
    elif rules.marginal:
        weigh_over_experts(votes, work, rules.k, relevant, irrelevant)
    else:
        weigh_seen(relevant, irrelevant, work.inside, work.inverse_probability, pairs.weight)
    notice(votes, labels, bits, n_seen)
    s_relevant, s_irrelevant = pairs.s_relevant[:n_relevant], pairs.s_irrelevant[:n_irrelevant]
    s_relevant[:] = 0.0
    s_irrelevant[:] = 0.0
    eta = rules.step / math.sqrt(t)
    if rules.adaptive:
        logistic_slopes(s_relevant, s_irrelevant, pairs)
    n_learners = forest.root.size
    for i in range(n_learners):
        if rules.adaptive:
            ada_weights(n_relevant, n_irrelevant, pairs)
        else:
            walk = tables.walks[tables.of_size[n_relevant], n_learners - 1 - i]
            opt_weights(walk, s_relevant, s_irrelevant, pairs)
        feed(rules, trees, forest, i, x, relevant, work)
        h = work.h[i]
        for j in range(n_relevant):
            s_relevant[j] += votes.alpha[i] * h[relevant[j]]
        for j in range(n_irrelevant):
            s_irrelevant[j] += votes.alpha[i] * h[irrelevant[j]]
        if rules.adaptive:
            logistic_slopes(s_relevant, s_irrelevant, pairs)
            slope = slope_along(h, relevant, irrelevant, pairs.slope)
            loss = estimated_rank_loss(s_relevant, s_irrelevant, pairs.weight)
            adapt(votes, i, eta, slope, loss)


@exact
def feed(rules, trees, forest, i, x, relevant, work):
    """Feed learner i the labels known to be relevant, one after another, by their weights."""
    gather(trees, i, x, work.x)
    node = work.node[i]
    for j in range(relevant.size):
        weight = trees.multiplier[i] * min(work.pairs.fed[j], rules.weight_cap)
        if weight > 0.0:
            node = learn(forest, trees, i, node, x, work.x, relevant[j], weight, work.search)


@exact
def adapt(votes, i, eta, slope, loss):
    """The step of alpha_i along the clipped slope, and of the weight of expert i (Hedge)."""
    slope = min(max(slope, -_SLOPE_BOUND), _SLOPE_BOUND)
    votes.alpha[i] = min(max(votes.alpha[i] - eta * slope, -_ALPHA_BOUND), _ALPHA_BOUND)
    votes.log_nu[i] -= loss


@exact
def count(y):
    """The number of relevant labels."""
    n_relevant = 0
    for label in range(y.size):
        n_relevant += y[label]
    return n_relevant


@exact
def has_room(forest, n_fed):
    """Whether the arrays can take a round in which each learner is fed `n_fed` labels."""
    most = forest.root.size * n_fed
    return (
        forest.counts[NODES] + 2 * most <= forest.nodes.size
        and forest.counts[ROWS] + most <= forest.rows.total.size
        and forest.counts[SLOTS] - forest.counts[FREE] + most <= forest.slots.weight.size
    )


@exact
def _weighted(wrong, pairs):
    return wrong / pairs if pairs > 0 else 0.0


@exact
def run(rules, trees, forest, votes, tables, X, Y, first, last, t, record, work):
    """Rounds t, t + 1, .. over the rows first .. last - 1: predict, suffer, learn.

    Fills `record` (LOSS, TIES and SHOWN) for these rows, and returns the row it came to: less
    than `last` where the forest has no room left.
    """
    bits = work.bits
    n_seen = work.scores.size if rules.full else rules.k
    for row in range(first, last):
        x, y = X[row], Y[row]
        if not has_room(forest, count(y) if rules.full else rules.k):
            return row
        vote(rules, forest, votes, x, t, work)
        wrong, tied, wrong_shown, pairs = wrong_pairs(work.scores, y)
        if not rules.full and show(
            rules, work.scores, work.rng, False, work.order, work.inside, work.spare
        ):
            wrong_shown = wrong_pairs_shown(work.order, y)
        labels = work.labels if rules.full else work.order
        for place in range(n_seen):
            bits[place] = y[labels[place]]
        update(rules, trees, forest, votes, tables, x, t, labels, bits, n_seen, work)
        record[LOSS, row] = _weighted(wrong, pairs)
        record[TIES, row] = _weighted(tied, pairs)
        record[SHOWN, row] = _weighted(wrong_shown, pairs)
        t += 1
    return last


@exact
def score(forest, votes, expert, X, scores, node, active, h):
    """The scores of an expert for many rows; changes nothing but its scratch space."""
    for row in range(X.shape[0]):
        lead(votes, scores[row])
        route_all(forest.nodes, forest.root[: expert + 1], X[row], node, active)
        for i in range(expert + 1):
            distribution(forest.rows, forest.nodes[node[i]].link, h)
            for label in range(h.size):
                scores[row, label] += votes.alpha[i] * h[label]


@exact
def losses(scores, Y):
    """Mean weighted rank loss, share of ties, rank loss and hinge loss over many rows."""
    weighted, ties, rank, hinges = 0.0, 0.0, 0.0, 0.0
    for row in range(Y.shape[0]):
        wrong, tied, _, pairs = wrong_pairs(scores[row], Y[row])
        weighted += _weighted(wrong, pairs)
        ties += _weighted(tied, pairs)
        rank += wrong
        hinges += hinge(scores[row], Y[row])
    n = Y.shape[0]
    return weighted / n, ties / n, rank / n, hinges / n
