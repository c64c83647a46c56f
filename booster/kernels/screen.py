"""All candidate splits of a leaf at once: approximate gains, with a bound on their error.

A split attempt needs (covariates x thresholds x classes) Gaussian integrals and twice as many
logarithms, and nearly every attempt ends without a split. This kernel works in float32 over the
covariates, eight at a time, with three changes that allow vectorisation:

- With p_c the share of class c that goes left, q_c the share of class c in the leaf and
  p = sum q_c p_c, the gain is the mutual information h(p) - sum q_c h(p_c), where h is the entropy
  of a coin. So each class needs one logarithm-like function of one variable: h(Phi(z)).
- Phi(z) and h(Phi(z)) are powers of low polynomials, h a rational function on the allowed
  range of p: no branches, no library calls. The coefficients are least-squares fits, refined
  towards equal errors.
- Positions are measured in steps from the smallest value, so that float32 can resolve them.

The gains only tell which candidates cannot win. `split` asks `gain` for the rest, so the trees are
the same as without this file, bit for bit, provided that `error` bounds the error.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import approximate
from booster.kernels.gain import INVALID
from booster.kernels.state import LARGEST, M2, MEAN, MIN_SHARE, SMALLEST, THRESHOLDS

_f = np.float32
_ZERO, _FIFTH, _HALF, _ONE, _FOUR = _f(0), _f(0.2), _f(0.5), _f(1), _f(4)
_TINY = _f(1e-30)  # a variance below this, in steps, gives no deviation
_STEEP = _f(1e20)  # makes a Gaussian a step function
_NEAR = _f(1e-5)  # steps; float32 resolves larger distances
_FAR = _f(7)  # Phi(-7) is 1e-12: zero in float32

# 1 - Phi(z) = (1 + t1 z + .. + t5 z^5)^-16 / 2, z >= 0; error 1.8e-6 in float32
_T1, _T2, _T3 = _f(0.049872022), _f(0.021104283), _f(0.0033651766)
_T4, _T5 = _f(-4.7755018e-05), _f(8.5002274e-05)
# h(Phi(z)) = (1 + e1 z^2 + e2 z^4 + e3 z^6)^-16; error 4.3e-6
_E1, _E2, _E3 = _f(0.028700311), _f(0.00048222304), _f(5.2345946e-06)
# h(p) as a rational function of v = 4 p (1 - p), 0.009 <= p <= 0.991; error 1.9e-6
_N0, _N1, _N2 = _f(0.00348513797), _f(2.46528926), _f(40.3492136)
_N3, _N4 = _f(78.5473412), _f(11.5111897)
_D1, _D2, _D3 = _f(24.5434401), _f(77.5529646), _f(29.7798902)

# The error of a gain: |h'(p)| <= 6.7 where a split is allowed, times the error of p, plus that
# of the entropies: 3e-5, and 5e-7 for each class in the sum. A Gaussian that is narrow compared
# with the step magnifies the rounding of its mean (1.5e-6 steps): 3.2 times that.
_ERROR = _f(5e-5)
_ERROR_CLASS = _f(1e-6)
_ERROR_SCALE = _f(6e-6)
UNUSABLE = _f(1e-2)  # a larger error decides nothing


@approximate
def _prepare(slots, chosen, total, search):
    """Compute means and deviations of every class and covariate in steps, and the error."""
    low, step, per_step, error = search.low, search.step, search.per_step, search.error
    for f in range(low.size):
        error[f] = _ERROR + _ERROR_CLASS * _f(chosen.size)
        per_step[f] = 1.0 / step[f] if step[f] > 0.0 else 0.0
    for t in range(THRESHOLDS):
        threshold, position = search.threshold[t], search.position[t]
        for f in range(low.size):
            position[f] = _f((np.float64(threshold[f]) - low[f]) * per_step[f])
    for c in range(chosen.size):
        slot = chosen[c]
        weight = slots.weight[slot]
        share = _ERROR_SCALE * _f(weight / total)
        mean, m2 = slots.moments[slot, MEAN], slots.moments[slot, M2]
        smallest, largest = slots.limits[slot, SMALLEST], slots.limits[slot, LARGEST]
        to_mean, to_scale = search.mean[c], search.scale[c]
        per_weight = 1.0 / (weight - 1.0) if weight > 1.0 else 0.0
        for f in range(low.size):
            variance = _f(m2[f] * per_weight * per_step[f] * per_step[f])
            unknown = variance < _TINY
            scale = _ZERO if unknown else _ONE / np.sqrt(variance)
            to_mean[f] = _f((mean[f] - low[f]) * per_step[f])
            to_scale[f] = _STEEP if unknown else scale
            error[f] += share * scale
            # A deviation too small for float32: use the exact gains.
            tiny = unknown and weight > 1.0 and smallest[f] < largest[f]
            error[f] += _ONE if tiny else _ZERO
        if weight <= 1.0:
            _doubt_steps(to_mean, smallest, largest, search)


@approximate
def _doubt_steps(mean, smallest, largest, search):
    """Doubt thresholds near the mean of a class without a deviation, which is a step there."""
    error = search.error
    for t in range(THRESHOLDS):
        position = search.position[t]
        for f in range(mean.size):
            near = abs(position[f] - mean[f]) < _NEAR and smallest[f] < largest[f]
            error[f] += _ONE if near else _ZERO


@approximate
def _sum_classes(slots, chosen, total, search):
    """Sum, for each candidate, the share that goes left and the entropy left in the classes."""
    lanes = search.low.size
    for t in range(THRESHOLDS):
        left = search.share[t * lanes : (t + 1) * lanes]
        within = search.within[t * lanes : (t + 1) * lanes]
        threshold, position = search.threshold[t], search.position[t]
        left[:] = _ZERO
        within[:] = _ZERO
        for c in range(chosen.size):
            slot = chosen[c]
            share = _f(slots.weight[slot] / total)
            mean, scale = search.mean[c], search.scale[c]
            smallest, largest = slots.limits[slot, SMALLEST], slots.limits[slot, LARGEST]
            for f in range(lanes):
                z = (position[f] - mean[f]) * scale[f]
                z = -_FAR if threshold[f] < smallest[f] else z
                z = _FAR if threshold[f] >= largest[f] else z
                u = abs(z)
                u = u if u < _FAR else _FAR
                v = u * u
                a = _ONE + u * (_T1 + u * (_T2 + u * (_T3 + u * (_T4 + u * _T5))))
                b = _ONE + v * (_E1 + v * (_E2 + v * _E3))
                a *= a
                a *= a
                a *= a
                a *= a
                b *= b
                b *= b
                b *= b
                b *= b
                both = share / (a * b)
                tail = _HALF * b * both
                left[f] += tail if z < _ZERO else share - tail
                within[f] += a * both


@approximate
def _to_gains(search):
    """Compute the gains of the candidates, and the largest of each covariate."""
    share, within, gain, bound = search.share, search.within, search.gain, search.bound
    least, invalid = _f(MIN_SHARE), _f(INVALID)
    for j in range(share.size):
        p = share[j]
        q = _ONE - p
        v = _FOUR * p * q
        over = _N0 + v * (_N1 + v * (_N2 + v * (_N3 + v * _N4)))
        under = _ONE + v * (_D1 + v * (_D2 + v * _D3))
        gained = over / under - within[j]
        share[j] = p if p < q else q
        gain[j] = gained if share[j] > least else invalid
    lanes = bound.size
    bound[:] = invalid
    for t in range(THRESHOLDS):
        gains = gain[t * lanes : (t + 1) * lanes]
        for f in range(lanes):
            bound[f] = gains[f] if gains[f] > bound[f] else bound[f]


@approximate
def _doubt(search):
    """Give a covariate an unusable error if the validity of a candidate is uncertain."""
    lanes = search.error.size
    least, error = _f(MIN_SHARE), search.error
    for t in range(THRESHOLDS):
        smaller = search.share[t * lanes : (t + 1) * lanes]
        for f in range(lanes):
            # |h'| > 5 there, so a fifth of the error of the gain bounds that of the share
            doubtful = abs(smaller[f] - least) < error[f] * _FIFTH
            error[f] = _ONE if doubtful else error[f]


@approximate
def screen(slots, chosen, total, search):
    """Fill `search.gain` and `search.bound`; `search.error` bounds their errors.

    An error above `UNUSABLE` means that the gains of a covariate say nothing. The padding gets no
    gains.
    """
    _prepare(slots, chosen, total, search)
    _sum_classes(slots, chosen, total, search)
    _to_gains(search)
    _doubt(search)
