"""Whole rounds: Algorithm 1 of the paper, and the entry points of the compiled part."""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.leaf import gather, learn
from booster.kernels.losses import hinge, wrong_pairs
from booster.kernels.ranking import explore, order_labels, rank
from booster.kernels.route import distribution, route_all
from booster.kernels.schemes import expected_wrong, keeps_places
from booster.kernels.state import FREE, NODES, ROWS, SLOTS
from booster.kernels.steps import (
    add_vote,
    advance,
    choose,
    fed_weight,
    see,
    suffer,
    weigh,
    weighted,
)


@exact
def vote(rules, forest, votes, x, t, work):
    """Compute the distributions of all learners, and the scores of the chosen expert."""
    expert = choose(rules, votes, x, t, work)
    route_all(forest.nodes, forest.root, x, work.node, work.active)
    for i in range(forest.root.size):
        h = work.h[i]
        distribution(forest.rows, forest.nodes[work.node[i]].link, h)
        if i <= expert:
            add_vote(votes.alpha[i], h, work.scores)


@exact
def predict(rules, forest, votes, x, t, work):
    """Put the whole ranking to show for `x` in `work.order`."""
    vote(rules, forest, votes, x, t, work)
    order_labels(rules, True, work)
    explore(rules, work)


@exact
def update(rules, trees, forest, votes, tables, x, t, labels, bits, n_seen, work):
    """Learn from the relevance `bits` of the first `n_seen` of `labels`, after `vote`."""
    n_relevant, n_irrelevant = see(rules, votes, labels, bits, n_seen, work)
    if n_relevant == 0 or n_irrelevant == 0:
        return
    n_learners = forest.root.size
    for i in range(n_learners):
        weigh(rules, tables, i, n_learners, n_relevant, n_irrelevant, work)
        feed(rules, trees, forest, i, x, n_relevant, work)
        advance(rules, votes, i, t, n_relevant, n_irrelevant, work)


@exact
def feed(rules, trees, forest, i, x, n_relevant, work):
    """Feed learner i the labels known to be relevant, one after another, with their weights."""
    gather(trees, i, x, work.x)
    node = work.node[i]
    for j in range(n_relevant):
        weight = fed_weight(work.pairs.fed[j], rules.weight_cap, trees.multiplier[i])
        if weight > 0.0:
            label = work.pairs.relevant[j]
            node = learn(forest, trees, i, node, x, work.x, label, weight, work.search)


@exact
def count(y):
    """Return the number of relevant labels."""
    n_relevant = 0
    for label in range(y.size):
        n_relevant += y[label]
    return n_relevant


@exact
def has_room(forest, n_fed):
    """Whether the arrays have room for a round in which each learner is fed `n_fed` labels."""
    most = forest.root.size * n_fed
    return (
        forest.counts[NODES] + 2 * most <= forest.nodes.size
        and forest.counts[ROWS] + most <= forest.rows.total.size
        and forest.counts[SLOTS] - forest.counts[FREE] + most <= forest.slots.weight.size
    )


@exact
def run(rules, trees, forest, votes, tables, X, Y, first, last, t, record, work):
    """Run rounds t, t + 1, .. over the rows first .. last - 1: predict, record the loss, learn.

    Fills `record` (LOSS, TIES and SHOWN) for these rows, and returns the next row: less than
    `last` if the forest has no room left.
    """
    n_seen = work.scores.size if rules.full else rules.k
    for row in range(first, last):
        x, y = X[row], Y[row]
        if not has_room(forest, count(y) if rules.full else rules.k):
            return row
        vote(rules, forest, votes, x, t, work)
        suffer(rules, y, row, record, work)
        labels = work.labels if rules.full else work.order
        update(rules, trees, forest, votes, tables, x, t, labels, work.bits, n_seen, work)
        t += 1
    return last


@exact
def score(forest, votes, expert, X, scores, node, active, h):
    """Compute the scores of an expert for many rows; changes only its scratch space."""
    for row in range(X.shape[0]):
        scores[row] = 0.0
        route_all(forest.nodes, forest.root[: expert + 1], X[row], node, active)
        for i in range(expert + 1):
            distribution(forest.rows, forest.nodes[node[i]].link, h)
            add_vote(votes.alpha[i], h, scores[row])


@exact
def rank_rows(scores, prior, orders, spare):
    """Rank every row without randomisation."""
    for row in range(scores.shape[0]):
        rank(scores[row], prior, orders[row], spare)


@exact
def losses(rules, rate, scores, prior, Y, order, spare):
    """Return the mean losses over many rows.

    These are the weighted rank loss, the share of ties, the rank loss, the hinge loss, and the
    weighted rank loss of the shown rankings when exploring at a rate.
    """
    loss, ties, wrongs, hinges, shown = 0.0, 0.0, 0.0, 0.0, 0.0
    for row in range(Y.shape[0]):
        y = Y[row]
        wrong, tied, wrong_ranked, pairs = wrong_pairs(scores[row], prior, y)
        if keeps_places(rules):
            rank(scores[row], prior, order, spare)
        loss += weighted(wrong, pairs)
        ties += weighted(tied, pairs)
        wrongs += wrong
        hinges += hinge(scores[row], y)
        shown += weighted(expected_wrong(rules, rate, order, y, wrong_ranked, pairs), pairs)
    n = Y.shape[0]
    return loss / n, ties / n, wrongs / n, hinges / n, shown / n
