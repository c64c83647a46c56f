"""The feedback of a study: of how many labels at the top of a ranking the booster learns.

It is part of the task and not of the search, so it is the same for all trials.
"""

from collections.abc import Sequence

from booster.protocol import parameters_of
from booster.tables import ALGORITHMS, SCHEMES
from topk_tune.spaces import Choice, Fixed, Parameter, Space
from topk_tune.spaces.values import is_whole

K = "k"
"""The parameter of an algorithm with top-k feedback."""

_EXPLORATION = "exploration"


def with_feedback(space: Space, k: int | None, n_labels: int, *, shipped: bool) -> Space:
    """Return a space with feedback on k labels; by default with its own k, or 3.

    A default is reduced to the number of labels. A space that is shipped leaves out exploration
    schemes that do not suit k; one of the user is checked as it is.
    """
    takers = _takers(space)
    if k is not None:
        _check(k, n_labels, space, takers)
    if not takers or (k is None and K in space.parameters and not shipped):
        return space
    now = feedback_of(space)
    wanted = k or (now and min(now, n_labels))
    if wanted is None:
        return space
    made = space if wanted == now else _fixed(space, wanted, takers)
    return _with_suitable_schemes(made, wanted, n_labels) if shipped else made


def feedback_of(space: Space) -> int | None:
    """Return the k of all trials; None if it is searched, or if all labels are seen."""
    if K in space.parameters:
        found = space.parameters[K]
        value = found.value if isinstance(found, Fixed) else None
    else:
        defaults = {parameters_of(ALGORITHMS.load(name))[K] for name in _takers(space)}
        value = defaults.pop() if len(defaults) == 1 else None
    return value if isinstance(value, int) and is_whole(value) else None


def _takers(space: Space) -> list[str]:
    """Return the algorithms of a space that have a k."""
    named = space.parameters.get("algorithm")
    names = named.extremes if isinstance(named, Choice | Fixed) else ()
    known = [str(name) for name in names if name in ALGORITHMS]
    return [name for name in known if K in parameters_of(ALGORITHMS.load(name))]


def _check(k: int, n_labels: int, space: Space, takers: Sequence[str]) -> None:
    if not takers:
        names = ", ".join(map(str, space.parameters["algorithm"].extremes))
        raise ValueError(f"k cannot be set for {names}, which learns from all labels: got {k}")
    if not is_whole(k) or not 2 <= k <= n_labels:
        raise ValueError(f"k must be between 2 and {n_labels}, the number of labels, but got {k!r}")


def _fixed(space: Space, k: int, takers: Sequence[str]) -> Space:
    if K in space.parameters:
        return space.fixed(**{K: k})
    every = space.parameters["algorithm"].extremes
    when = None if len(takers) == len(every) else {"algorithm": takers}
    return _replaced(space, K, Fixed(k, when=when))


def _with_suitable_schemes(space: Space, k: int, n_labels: int) -> Space:
    schemes = space.parameters.get(_EXPLORATION)
    if not isinstance(schemes, Choice):
        return space
    kept = [name for name in schemes.options if SCHEMES.load(str(name)).suits(n_labels, k)]
    if len(kept) == len(schemes.options):
        return space
    fewer = Choice(kept, when=schemes.when) if len(kept) > 1 else Fixed(kept[0], when=schemes.when)
    return _replaced(space, _EXPLORATION, fewer)


def _replaced(space: Space, name: str, parameter: Parameter) -> Space:
    return Space({**space.parameters, name: parameter}, space.source, space.lines)
