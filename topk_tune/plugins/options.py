"""Options of a study, declared once for the command line, `tune()` and the reference.

A group of options is a frozen dataclass whose fields are made by `option`, with a line of help, a
default and a rule. The groups define the options of commands and the keywords of `tune()`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from booster.plugins import unknown

_OPTION = "option"

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Option:
    """The declaration of an option, besides its name, type and default.

    Parameters
    ----------
    help
        One line of help.
    above, least
        A number must be greater than `above`, and at least `least`.
    flag
        Its name on the command line, if it differs from the field's.
    type
        The type on the command line, if it differs from the field's.
    parse
        Converts the text from the command line; gets the flag for error messages.
    names
        Returns the names to choose from, for completion.
    paths
        Whether it may also be a file, which completion then offers too.
    more
        Further data for its group.
    """

    help: str
    above: float | None = None
    least: float | None = None
    flag: str | None = None
    type: Any = None
    parse: Callable[[str, Any], Any] | None = None
    names: Callable[[], Iterable[str]] | None = None
    paths: bool = False
    more: Any = None


def option(default: Any, help: str, **more: Any) -> Any:
    """Return a field of a group; `more` has further fields of `Option`."""
    metadata = {_OPTION: Option(help, **more)}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def options_of(group: Any) -> dict[str, Option]:
    """Return the options of a group by field name."""
    return {each.name: each.metadata[_OPTION] for each in fields(group) if _OPTION in each.metadata}


def check_options(group: Any) -> None:
    """Raise a ValueError if a number of a group breaks its rule."""
    for name, one in options_of(group).items():
        value = getattr(group, name)
        if value is None:
            continue
        if one.above is not None and not value > one.above:
            raise ValueError(f"{name} must be greater than {one.above:g}, but got {value}")
        if one.least is not None and not value >= one.least:
            raise ValueError(f"{name} must be at least {one.least:g}, but got {value}")


def pack(values: Mapping[str, Any], *groups: type) -> list[Any]:
    """Return an instance of each group with its values; each value must belong to a group."""
    known = {name: group for group in groups for name in options_of(group)}
    for name in values:
        if name not in known:
            raise TypeError(unknown("option", name, known))
    return [group(**{n: v for n, v in values.items() if known[n] is group}) for group in groups]


def seconds(flag: str, text: str) -> float:
    """Return a time like 90, 90s, 30m or 8h in seconds."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        value = float(number) * _UNITS[unit]
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ValueError(f"{flag} must be a time like 90, 90s, 30m or 8h, but got {text!r}")
    return value


def pairs(flag: str, texts: Sequence[str]) -> dict[str, str]:
    """Return the KEY=VALUE texts as a mapping."""
    found = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not (key and separator):
            raise ValueError(f"{flag} must be KEY=VALUE, but got {text!r}")
        found[key] = value
    return found
