"""Whole rounds: Algorithm 1 of the paper, and the entry points of the compiled part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.compiling import exact
from booster.kernels.cost import FEW
from booster.kernels.indices import known
from booster.kernels.leaf import learn
from booster.kernels.losses import hinge, wrong_pairs
from booster.kernels.ranking import explore, order_labels, rank
from booster.kernels.room import has_room
from booster.kernels.route import distribution, route_all
from booster.kernels.rows import gather, gather_nonzero, load_row
from booster.kernels.schemes import expected_wrong, keeps_places
from booster.kernels.sparse import naive_bayes
from booster.kernels.state import GAUSSIAN, INDEX, NONE, PAGE
from booster.kernels.steps import (
    add_vote,
    advance,
    choose,
    fed_weight,
    read_shown,
    see,
    see_logged,
    suffer,
    weigh,
    weigh_ahead,
    weighted,
)


def _nothing(dtype: type[Any]) -> NDArray[Any]:
    """Return a read-only array without rows: a kernel is compiled for one kind of array only."""
    array = np.zeros((0, 0), dtype)
    array.flags.writeable = False
    return array


_NO_LABELS = _nothing(np.uint8)
_NO_LOG = _nothing(INDEX), _nothing(np.uint8), _nothing(np.float64)
_NO_RECORD = np.zeros((3, 0))


@exact
def vote(rules, trees, forest, votes, t, work):
    """Compute the distributions of all learners, and the scores of the chosen expert."""
    expert = choose(rules, votes, t, work)
    route_all(forest.nodes, forest.root, work.row.x, work.node, work.active)
    for i in range(forest.root.size):
        h = work.h[i]
        vote_of(trees, forest, i, work.node[i], work.row, work.hits, h)
        if i <= expert:
            add_vote(votes.alpha[i], h, work.scores)


@exact
def vote_of(trees, forest, i, node, row, hits, h):
    """Compute the distribution of learner i at its leaf `node`."""
    leaf = forest.nodes[node].link
    if trees.bayes:
        naive_bayes(forest, leaf, hits, gather_nonzero(trees, i, row, hits), h)
    else:
        distribution(forest.rows, leaf, h)


@exact
def predict(rules, trees, forest, votes, features, t, work):
    """Put the whole ranking to show for the only row of `features` in `work.order`."""
    load_row(features, 0, work.row)
    vote(rules, trees, forest, votes, t, work)
    order_labels(rules, True, work)
    explore(rules, work)


def update(rules, trees, forest, votes, tables, t, labels, bits, n_seen, work):
    """Learn from the relevance `bits` of the first `n_seen` of `labels`, after `vote`.

    Not compiled: its two steps are, because `run` needs them, and inlining them once more would
    take as long again.
    """
    n_relevant, n_irrelevant = see(rules, votes, labels, bits, n_seen, work)
    teach(rules, trees, forest, votes, tables, t, n_relevant, n_irrelevant, work)


@exact
def teach(rules, trees, forest, votes, tables, t, n_relevant, n_irrelevant, work):
    """Let all learners learn from the pairs that were seen, if there are any."""
    if n_relevant == 0 or n_irrelevant == 0:
        return
    n_learners = forest.root.size
    if trees.observer != GAUSSIAN and not trees.bayes:
        touch(forest, n_relevant, work)
    ahead = not rules.adaptive and n_irrelevant >= FEW
    for i in range(n_learners):
        if ahead:
            weigh_ahead(tables, votes, i, n_learners, n_relevant, n_irrelevant, work)
        else:
            weigh(rules, tables, i, n_learners, n_relevant, n_irrelevant, work)
        feed(rules, trees, forest, i, n_relevant, work)
        if not ahead:
            advance(rules, votes, i, t, n_relevant, n_irrelevant, work)


@exact
def touch(forest, n_relevant, work):
    """Read what all learners are about to change in their leaves.

    These places are all over the memory. Here the processor waits for many of them at once, later
    it would wait for one after another. Their sum is stored, or nothing would be read.
    """
    total = 0.0
    for i in range(forest.root.size):
        if not forest.frozen[i]:
            row = forest.nodes[work.node[i]].link
            for j in range(n_relevant):
                total += forest.rows.observed[row, known(work.pairs.relevant[j])]
            if forest.rows.page[row] != NONE:
                at = 1 + forest.rows.words[row] % (PAGE - 1)
                total += forest.notes.word[forest.rows.last[row], at]
    work.touched[0] = total


@exact
def feed(rules, trees, forest, i, n_relevant, work):
    """Feed learner i the labels known to be relevant, one after another, with their weights."""
    if trees.bayes or not forest.frozen[i]:  # otherwise it learns class weights only
        if trees.observer == GAUSSIAN:
            gather(trees, i, work.row, work.x)
        else:
            look(trees, i, work)
    node = np.int64(work.node[i])  # as `learn` returns it, or it would be compiled twice
    for j in range(n_relevant):
        weight = fed_weight(work.pairs.fed[j], rules.weight_cap, trees.multiplier[i])
        if weight > 0.0:
            label = work.pairs.relevant[j]
            node = learn(forest, trees, i, node, label, weight, work)


@exact
def look(trees, i, work):
    """Put what a tree may observe of the row in `work.hits`, which no leaf has noted yet."""
    work.n_hits[0] = gather_nonzero(trees, i, work.row, work.hits)
    work.noted[0] = NONE


def run(rules, trees, forest, votes, tables, features, Y, first, last, t, record, work):
    """Run rounds t, t + 1, .. over the rows first .. last - 1: predict, record the loss, learn.

    Fills `record` (LOSS, TIES and SHOWN) for these rows, and returns the next row: less than
    `last` if the arrays have no room left. That row has been ranked, which changes nothing.
    """
    state = rules, trees, forest, votes, tables
    return run_rows(*state, features, Y, *_NO_LOG, first, last, t, record, work)


def run_log(
    rules, trees, forest, votes, tables, features, shown, bits, pairs, first, last, t, work
):
    """Run rounds t, t + 1, .. over rows first .. last - 1 of a log: learn what it shows.

    A row of `shown` ends where it is negative. Returns the next row, like `run`.
    """
    state = rules, trees, forest, votes, tables
    return run_rows(
        *state, features, _NO_LABELS, shown, bits, pairs, first, last, t, _NO_RECORD, work
    )


@exact
def run_rows(
    rules,
    trees,
    forest,
    votes,
    tables,
    features,
    Y,
    shown,
    bits,
    pairs,
    first,
    last,
    t,
    record,
    work,
):
    """Do what `run` and `run_log` do: one kernel, because compiling takes long."""
    logged = shown.shape[1] > 0
    n_seen = work.scores.size if rules.full else rules.k
    labels = work.labels if rules.full else work.order
    for row in range(first, last):
        load_row(features, row, work.row)
        vote(rules, trees, forest, votes, t, work)
        if logged:
            n_seen = read_shown(shown[row], bits[row], work.order, work.bits)
        else:
            suffer(rules, Y[row], row, record, work)
        if not has_room(trees, forest, work.bits, n_seen, work):
            return row
        if logged:
            n_relevant, n_irrelevant = see_logged(
                rules, votes, work.order, work.bits, n_seen, pairs[row], work
            )
        else:
            n_relevant, n_irrelevant = see(rules, votes, labels, work.bits, n_seen, work)
        teach(rules, trees, forest, votes, tables, t, n_relevant, n_irrelevant, work)
        t += 1
    return last


@exact
def score(trees, forest, votes, expert, features, scores, node, active, h, row, hits):
    """Compute the scores of an expert for many rows; changes only its scratch space."""
    for i in range(scores.shape[0]):
        scores[i] = 0.0
        load_row(features, i, row)
        route_all(forest.nodes, forest.root[: expert + 1], row.x, node, active)
        for j in range(expert + 1):
            vote_of(trees, forest, j, node[j], row, hits, h)
            add_vote(votes.alpha[j], h, scores[i])


@exact
def rank_rows(scores, prior, orders, spare):
    """Rank every row without randomisation."""
    for row in range(scores.shape[0]):
        rank(scores[row], prior, orders[row], spare)


@exact
def add_losses(rules, rate, scores, prior, Y, order, spare, totals):
    """Add the losses of many rows to `totals`.

    These are the weighted rank loss, the share of ties, the rank loss, the hinge loss, and the
    weighted rank loss of the shown rankings when exploring at a rate.
    """
    for row in range(Y.shape[0]):
        y = Y[row]
        wrong, tied, wrong_ranked, pairs = wrong_pairs(scores[row], prior, y)
        if keeps_places(rules):
            rank(scores[row], prior, order, spare)
        totals[0] += weighted(wrong, pairs)
        totals[1] += weighted(tied, pairs)
        totals[2] += wrong
        totals[3] += hinge(scores[row], y)
        totals[4] += weighted(expected_wrong(rules, rate, order, y, wrong_ranked, pairs), pairs)
