"""The steps of a round that do not depend on the kind of learner.

`rounds` compiles them together with the native trees. Learners of other libraries run between
them, one call at a time. Between the steps, `Work` holds the round.
"""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.cost import (
    TOGETHER,
    ada_weights,
    add_votes,
    estimated_rank_loss,
    logistic_slopes,
    opt_weights,
    opt_weights_ahead,
    slope_along,
)
from booster.kernels.losses import wrong_pairs
from booster.kernels.pairs import (
    split_feedback,
    weigh_all,
    weigh_logged,
    weigh_over_experts,
    weigh_seen,
)
from booster.kernels.random import start_round
from booster.kernels.ranking import draw_expert, explore, order_labels
from booster.kernels.schedule import rate, weigh_counts
from booster.kernels.schemes import expected_wrong, keeps_places
from booster.kernels.state import LOSS, SHOWN, TIES
from booster.kernels.ties import notice

_ALPHA_BOUND = 2.0
_SLOPE_BOUND = 1.0


@exact
def choose(rules, votes, t, work):
    """Begin a round: set its exploration rate, the expert that ranks, and the initial scores."""
    start_round(work.rng, rules.key, t, work.row)
    work.rate[0] = rate(rules, t)
    if not rules.full and rules.k < work.scores.size:
        weigh_counts(rules, work.rate[0], work.explored, work.probability, work.inverse_probability)
    work.scores[:] = 0.0
    if rules.adaptive:
        return draw_expert(votes.log_nu, work.rng, work.nu)
    return votes.alpha.size - 1


@exact
def add_vote(alpha, h, scores):
    """Add a learner's vote to the scores."""
    for label in range(h.size):
        scores[label] += alpha * h[label]


@exact
def tally(votes, expert, work):
    """Compute the scores of an expert from the distributions of all learners, `work.h`."""
    for i in range(expert + 1):
        add_vote(votes.alpha[i], work.h[i], work.scores)


@exact
def weighted(wrong, pairs):
    """Return a share of the pairs; 0 if there are none."""
    return wrong / pairs if pairs > 0 else 0.0


@exact
def suffer(rules, y, row, record, work):
    """After the vote: record the losses of the round, show a ranking and get the feedback."""
    wrong, tied, wrong_ranked, pairs = wrong_pairs(work.scores, work.prior, y)
    if not rules.full:
        order_labels(rules, keeps_places(rules), work)
    wrong_shown = expected_wrong(rules, work.rate[0], work.order, y, wrong_ranked, pairs)
    if not rules.full:
        explore(rules, work)
    labels = work.labels if rules.full else work.order
    for place in range(work.scores.size if rules.full else rules.k):
        work.bits[place] = y[labels[place]]
    record[LOSS, row] = weighted(wrong, pairs)
    record[TIES, row] = weighted(tied, pairs)
    record[SHOWN, row] = weighted(wrong_shown, pairs)


@exact
def see(rules, votes, labels, bits, n_seen, work):
    """Store the seen pairs and their weights; return how many labels are relevant and irrelevant.

    Unless there are both, there is nothing to learn.
    """
    pairs = work.pairs
    n_relevant, n_irrelevant = split_feedback(
        labels, bits, n_seen, pairs.relevant, pairs.irrelevant
    )
    relevant, irrelevant = pairs.relevant[:n_relevant], pairs.irrelevant[:n_irrelevant]
    if n_relevant > 0 and n_irrelevant > 0:
        if rules.full:
            weigh_all(n_relevant, n_irrelevant, pairs.weight)
        elif rules.marginal and rules.k < work.scores.size:
            weigh_over_experts(rules, votes, work, relevant, irrelevant)
        else:
            weigh_seen(relevant, irrelevant, work.inside, work.inverse_probability, pairs.weight)
        begin_pairs(rules, n_relevant, n_irrelevant, pairs)
    notice(rules, votes, work.prior, labels, bits, n_seen)
    return n_relevant, n_irrelevant


@exact
def read_shown(shown, bits, into, bits_into):
    """Copy the labels and bits of a row of a log; return how many there are."""
    n_seen = 0
    while n_seen < shown.size and shown[n_seen] >= 0:
        into[n_seen] = shown[n_seen]
        bits_into[n_seen] = bits[n_seen]
        n_seen += 1
    return n_seen


@exact
def see_logged(rules, votes, labels, bits, n_seen, probability, work):
    """Do the same for labels that any policy has shown, from the probabilities of their pairs."""
    pairs = work.pairs
    n_relevant, n_irrelevant = split_feedback(
        labels, bits, n_seen, pairs.relevant, pairs.irrelevant
    )
    if n_relevant > 0 and n_irrelevant > 0:
        weigh_logged(rules, bits, n_seen, work.scores.size, probability, pairs.weight)
        begin_pairs(rules, n_relevant, n_irrelevant, pairs)
    notice(rules, votes, work.prior, labels, bits, n_seen)
    return n_relevant, n_irrelevant


@exact
def begin_pairs(rules, n_relevant, n_irrelevant, pairs):
    """Set the scores of the seen labels before any learner votes."""
    s_relevant, s_irrelevant = pairs.s_relevant[:n_relevant], pairs.s_irrelevant[:n_irrelevant]
    s_relevant[:] = 0.0
    s_irrelevant[:] = 0.0
    if rules.adaptive:
        logistic_slopes(s_relevant, s_irrelevant, pairs)


@exact
def weigh(rules, tables, i, n_learners, n_relevant, n_irrelevant, work):
    """Put the weights of learner i in `work.pairs.fed`, from the votes of those before it."""
    pairs = work.pairs
    if rules.adaptive:
        ada_weights(n_relevant, n_irrelevant, pairs)
    else:
        walk = tables.walks[tables.of_size[n_relevant], n_learners - 1 - i]
        opt_weights(walk, pairs.s_relevant[:n_relevant], pairs.s_irrelevant[:n_irrelevant], pairs)


@exact
def weigh_ahead(tables, votes, i, n_learners, n_relevant, n_irrelevant, work):
    """Put the weights of learner i of an Opt algorithm in `work.pairs.fed`, and add its vote.

    Does what `weigh` and `advance` do, for several learners at a time.
    """
    pairs = work.pairs
    if i % TOGETHER == 0:
        end = min(i + TOGETHER, n_learners)
        walks, last = tables.walks[tables.of_size[n_relevant]], n_learners - 1 - i
        h, alpha = work.h[i:end], votes.alpha[i:end]
        opt_weights_ahead(walks, last, h, alpha, n_relevant, n_irrelevant, pairs)
    for j in range(n_relevant):
        pairs.fed[j] = pairs.ahead[i % TOGETHER, j]


@exact
def fed_weight(fed, cap, multiplier):
    """Return the weight of a label for a learner: max c - c[l], capped and multiplied."""
    return multiplier * min(fed, cap)


@exact
def advance(rules, votes, i, t, n_relevant, n_irrelevant, work):
    """Add the vote of learner i to the scores of the pairs, and adapt its weight."""
    pairs, h = work.pairs, work.h[i]
    relevant, irrelevant = pairs.relevant[:n_relevant], pairs.irrelevant[:n_irrelevant]
    s_relevant, s_irrelevant = pairs.s_relevant[:n_relevant], pairs.s_irrelevant[:n_irrelevant]
    add_votes(votes.alpha[i], h, relevant, s_relevant)
    add_votes(votes.alpha[i], h, irrelevant, s_irrelevant)
    if rules.adaptive:
        logistic_slopes(s_relevant, s_irrelevant, pairs)
        slope = slope_along(h, relevant, irrelevant, pairs.slope)
        loss = estimated_rank_loss(s_relevant, s_irrelevant, pairs.weight)
        adapt(votes, i, step_size(rules, t, work), slope, loss)


@exact
def step_size(rules, t, work):
    """Return the step size; with top-k feedback it is proportional to the rate, as in the paper."""
    fading = 1.0 if rules.full else work.rate[0] / rules.rho
    return rules.step * fading / math.sqrt(t)


@exact
def adapt(votes, i, eta, slope, loss):
    """Move alpha_i along the clipped slope, and update the weight of expert i (Hedge)."""
    slope = min(max(slope, -_SLOPE_BOUND), _SLOPE_BOUND)
    votes.alpha[i] = min(max(votes.alpha[i] - eta * slope, -_ALPHA_BOUND), _ALPHA_BOUND)
    votes.log_nu[i] -= loss
