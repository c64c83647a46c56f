"""Split attempts: whether a leaf may split, and where."""

from __future__ import annotations

import math

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.gain import INVALID, divide, entropy, gain_at, plain_gain_at
from booster.kernels.grow import grow
from booster.kernels.nonzero import divide_nonzero, observed_classes, search_nonzero
from booster.kernels.screen import UNUSABLE, screen
from booster.kernels.state import (
    ATTEMPTS,
    GAUSSIAN,
    LARGEST,
    MIN_GAIN,
    NONE,
    RESOLVED,
    SAME,
    SEARCHED,
    SMALLEST,
    THRESHOLDS,
)


@exact
def observed_slots(forest, row, search):
    """List the classes observed in a leaf, with their slots; count classes with weight."""
    rows = forest.rows
    observed = 0
    weighted = 0
    for label in range(rows.slot.shape[1]):
        if rows.slot[row, label] != NONE:
            search.slots[observed] = rows.slot[row, label]
            search.classes[observed] = label
            search.weight[observed] = forest.slots.weight[rows.slot[row, label]]
            observed += 1
        if rows.weight[row, label] > 0.0:
            weighted += 1
    return observed, weighted


@exact
def place_thresholds(slots, chosen, search):
    """Place thresholds at equal steps between the smallest and the largest observed value.

    They are float32, like the features.
    """
    low, step = search.low, search.step
    low[:] = np.inf
    step[:] = -np.inf
    for c in range(chosen.size):
        limits = slots.limits[chosen[c]]
        for f in range(low.size):
            low[f] = min(low[f], np.float64(limits[SMALLEST, f]))
            step[f] = max(step[f], np.float64(limits[LARGEST, f]))
    for f in range(low.size):
        step[f] = (step[f] - low[f]) / (THRESHOLDS + 1)
    for t in range(THRESHOLDS):
        threshold = search.threshold[t]
        for f in range(low.size):
            threshold[f] = np.float32(low[f] + step[f] * (t + 1))


@exact
def search_plainly(slots, chosen, n_covariates, before, total, search):
    """Compute the gain of every candidate. Used only to check and to measure `search_screened`.

    Returns the best gain, the best gain of another covariate, and the covariate and the
    threshold of the best; INVALID if there is none.
    """
    best, second, best_f, best_t = INVALID, INVALID, 0, 0
    for f in range(n_covariates):
        own, own_t = INVALID, 0
        if search.step[f] > 0.0:
            for t in range(THRESHOLDS):
                threshold = search.threshold[t, f]
                gain = plain_gain_at(slots, chosen, f, threshold, before, total, search.left)
                if gain > own + SAME:
                    own, own_t = gain, t
        if own > best + SAME:
            best, second, best_f, best_t = own, best, f, own_t
        elif own > second:
            second = own
    return best, second, best_f, best_t


@exact
def bound_gains(slots, chosen, n_covariates, before, total, search):
    """Compute screened gains, or exact ones (rounded, with their error) where those are unusable.

    Returns the two largest bounds of covariates and the largest error.
    """
    screen(slots, chosen, total, search)
    lanes = search.bound.size
    best, second, error = INVALID, INVALID, 0.0
    for f in range(n_covariates):
        if search.step[f] <= 0.0:
            search.bound[f] = INVALID
        elif search.error[f] > UNUSABLE:
            search.error[f] = 1e-6
            search.bound[f] = INVALID
            for t in range(THRESHOLDS):
                threshold = search.threshold[t, f]
                gain = gain_at(slots, chosen, f, threshold, before, total, search.logs, search.left)
                search.gain[t * lanes + f] = gain
                search.bound[f] = max(search.bound[f], search.gain[t * lanes + f])
        bound = np.float64(search.bound[f])
        if bound > INVALID:
            error = max(error, np.float64(search.error[f]))
        if bound > best:
            best, second = bound, best
        elif bound > second:
            second = bound
    return best, second, error


@exact
def search_screened(slots, chosen, n_covariates, before, total, tie, epsilon, search, counts):
    """Search like `search_plainly`, but use exact gains only where screened ones do not decide.

    Stops early, with INVALID as the best gain, once it is certain that there is no split: on a tie
    because the best gain is too small, otherwise because it is not more than `epsilon` above the
    second. On a tie the second best does not matter, and nothing is better than the first split
    that separates the classes completely.
    """
    best, second, error = bound_gains(slots, chosen, n_covariates, before, total, search)
    margin = best + error - MIN_GAIN if tie else best - max(second, 0.0) + 2.0 * error - epsilon
    if margin <= 0.0:
        return INVALID, INVALID, 0, 0
    counts[RESOLVED] += 1
    lanes = search.bound.size
    whole = before - 0.5 * SAME if tie else np.inf
    reach = (best if tie else second) - 2.0 * error
    best, second, best_f, best_t = INVALID, INVALID, 0, 0
    for f in range(n_covariates):
        own, own_t = INVALID, 0
        if search.bound[f] > INVALID and search.bound[f] >= reach:
            for t in range(THRESHOLDS):
                if search.gain[t * lanes + f] >= search.bound[f] - 2.0 * search.error[f]:
                    threshold = search.threshold[t, f]
                    gain = gain_at(
                        slots, chosen, f, threshold, before, total, search.logs, search.left
                    )
                    if gain > own + SAME:
                        own, own_t = gain, t
                    if own >= whole and own > best + SAME:
                        return own, INVALID, f, own_t
        if own > best + SAME:
            best, second, best_f, best_t = own, best, f, own_t
        elif own > second:
            second = own
    return best, second, best_f, best_t


@exact
def attempt(forest, trees, tree, node, search):
    """Try to split a leaf; return whether it did."""
    slots, counts = forest.slots, forest.counts
    counts[ATTEMPTS] += 1
    row = forest.nodes[node].link
    gaussian = trees.observer == GAUSSIAN
    if gaussian:
        observed, weighted = observed_slots(forest, row, search)
    else:
        observed, weighted = observed_classes(forest.rows, row, search)
    if observed < 2:
        return False
    epsilon = math.log2(max(weighted, 2)) * math.sqrt(
        trees.log_confidence[tree] / (2.0 * forest.rows.total[row])
    )
    tie = epsilon < trees.tie[tree]
    before, total = entropy(search.weight[:observed], search.logs)
    # A gain is at most the entropy of the classes, and at most that of the two sides: one bit.
    if trees.screened and not tie and epsilon >= min(before, 1.0):
        return False

    counts[SEARCHED] += 1
    if gaussian:
        chosen = search.slots[:observed]
        place_thresholds(slots, chosen, search)
        n_covariates = trees.n_covariates
        if trees.screened:
            best, second, f, t = search_screened(
                slots, chosen, n_covariates, before, total, tie, epsilon, search, counts
            )
        else:
            best, second, f, t = search_plainly(slots, chosen, n_covariates, before, total, search)
        feature, threshold = np.int64(trees.covariates[tree, f]), search.threshold[t, f]
    else:
        f = 0
        logs_by_label(search, observed)
        best, second, feature, threshold = search_nonzero(
            forest, trees, row, before, total, tie, epsilon, search
        )
    if not is_enough(best, second, tie, epsilon):
        return False
    if gaussian:
        divide(slots, search.slots[:observed], f, threshold, search.left)
    else:
        divide_nonzero(forest, trees, feature, threshold, observed, search)
    grow(forest, trees, tree, node, feature, threshold, observed, search)  # once, being inlined
    return True


@exact
def is_enough(best, second, tie, epsilon):
    """Whether the best gain justifies a split; no split at all counts as a gain of 0."""
    return best > MIN_GAIN and (tie or best - max(second, 0.0) > epsilon)


@exact
def logs_by_label(search, observed):
    """Move the logarithms of the observed classes to the places of their labels."""
    for c in range(observed - 1, -1, -1):
        search.logs[search.classes[c]] = search.logs[c]
