"""Parameters to and from plain mappings, as files and studies hold them."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from topk_tune.spaces.parameters import KINDS, Parameter


def to_mapping(parameter: Parameter) -> dict[str, Any]:
    """The type of a parameter, and its values that are not defaults.

    >>> from topk_tune.spaces import Int
    >>> to_mapping(Int(10, 60, step=10))
    {'type': 'int', 'low': 10, 'high': 60, 'step': 10}
    """
    content: dict[str, Any] = {"type": parameter.kind}
    for field in _written_order(type(parameter)):
        value = getattr(parameter, field.name)
        if field.default is MISSING or value != field.default:
            content[field.name] = _plain(value)
    return content


def from_mapping(content: Mapping[str, Any]) -> Parameter:
    """The parameter that a mapping describes; a ValueError names its problem."""
    kind = content.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        got = repr(kind) if "type" in content else "none"
        raise ValueError(f"type must be one of {', '.join(KINDS)}, but got {got}")
    arguments = {key: value for key, value in content.items() if key != "type"}
    for key in arguments:
        if key not in keys(kind):
            options = ", ".join(keys(kind))
            raise ValueError(f"unknown key {key!r} for type {kind}; choose from {options}")
    for field in _written_order(KINDS[kind]):
        if field.default is MISSING and field.name not in arguments:
            raise ValueError(f"{field.name} is missing for type {kind}")
    return KINDS[kind](**arguments)


def keys(kind: str) -> list[str]:
    """The keys that a parameter of a kind may have besides its type.

    >>> keys("choice")
    ['options', 'when']
    """
    return [field.name for field in _written_order(KINDS[kind])]


def _written_order(kind: type[Parameter]) -> Iterator[Field[Any]]:
    """The fields, with the condition last."""
    return iter(sorted(fields(kind), key=lambda field: field.name == "when"))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: list(values) for name, values in value.items()}
    return list(value) if isinstance(value, tuple) else value
