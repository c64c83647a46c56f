"""The exploration rate of a round, and how likely it is to show a pair.

The rate depends only on the number of the round, so a stream, a compiled run and a booster that
was saved in between explore alike.
"""

from __future__ import annotations

import math

from booster.kernels.compiling import exact

CONSTANT, EXPLORE_FIRST, LINEAR, GEOMETRIC, POWER = range(5)
"""The exploration schedules, in `Rules.schedule`."""


@exact
def rate(rules, t):
    """Return the probability that round `t`, counted from 1, shows a randomised ranking."""
    if rules.schedule == CONSTANT:
        return rules.rho
    if t > rules.horizon:
        return rules.rho_end
    if rules.schedule == LINEAR:
        return rules.rho + (rules.rho_end - rules.rho) * ((t - 1) / rules.horizon)
    if rules.schedule == GEOMETRIC:
        return rules.rho * math.exp(rules.fall * (t - 1))
    if rules.schedule == POWER:
        return rules.rho * math.exp(rules.fall * math.log(t))
    return rules.rho


@exact
def weigh_counts(rules, rate, explored, probability, inverse_probability):
    """Compute P of a pair with 0, 1 or 2 labels in the top-k before randomisation, and its weight.

    `explored` has the probabilities given a randomised ranking. If every label is seen anyway, all
    weights are 1.
    """
    for count in range(3):
        unchanged = 1.0 if count == 2 else 0.0
        probability[count] = (1.0 - rate) * unchanged + rate * explored[count]
        inverse_probability[count] = inverse(rules, probability[count])


@exact
def inverse(rules, p):
    """Return the weight of a pair: 1 / P, with P clipped to bound the variance."""
    return 1.0 / min(max(p, rules.least_probability), rules.most_probability)
