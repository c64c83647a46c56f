"""Whether a study that was begun with one space can go on with another."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from topk_tune.spaces.parameters import Choice, Fixed, Float, Int, Parameter

if TYPE_CHECKING:
    from topk_tune.spaces.space import Space


def widening_problems(newer: "Space", older: "Space") -> Iterator[str]:
    """The changes that Optuna's storages would refuse, a line for each parameter.

    Optuna does not store fixed values, so these may change, come and go.
    """
    for name, parameter in newer.parameters.items():
        before = older.parameters.get(name)
        problem = before and _change(before, parameter)
        if problem:
            yield f"{newer.place(name)}: {name}: {problem}"


def _change(before: Parameter, after: Parameter) -> str | None:
    rule = "a study must keep"
    if isinstance(before, Fixed) or isinstance(after, Fixed):
        return None
    if before.kind != after.kind:
        return f"{rule} the type of a parameter, but got {after.kind} after {before.kind}"
    if isinstance(before, Choice) and isinstance(after, Choice):
        old, new = list(before.options), list(after.options)
        if list(map(repr, old)) != list(map(repr, new)):
            return f"{rule} the options of a choice and their order, but got {new} after {old}"
    if isinstance(before, Int | Float) and isinstance(after, Int | Float):
        scales = f"log {after.log} after {before.log}"
        return None if before.log == after.log else f"{rule} the scale of a range, but got {scales}"
    return None
