"""The JSON schema of space files, for editors.

`python -m topk_tune.spaces.schema > search_spaces/schema.json` updates it.
"""

import json
from typing import Any

from booster.tables import ALGORITHMS
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.kinds import DESCRIBED

_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_SCALARS = {"type": "array", "items": _SCALAR, "minItems": 1, "uniqueItems": True}
_WHEN = {
    "description": "The values of other parameters for which this one exists.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": _SCALARS,
}


def schema() -> dict[str, Any]:
    """The schema of a whole file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A search space of topk-tune",
        "type": "object",
        "required": ["default"],
        "additionalProperties": False,
        "properties": {
            "default": {"$ref": "#/$defs/block", "required": ["algorithm", "loops"]},
            **{
                kind: {"$ref": "#/$defs/block", "description": f"Entries for data with {rule}."}
                for kind, rule in DESCRIBED.items()
            },
            "datasets": {
                "description": "Entries for each data set that replace those of the default block.",
                "type": ["object", "null"],
                "additionalProperties": {"$ref": "#/$defs/block"},
            },
        },
        "$defs": {"block": _block(), "parameter": _parameter()},
    }


def _block() -> dict[str, Any]:
    properties = {
        name: {"$ref": "#/$defs/parameter", "description": description}
        for name, description in _descriptions().items()
    }
    return {"type": ["object", "null"], "additionalProperties": False, "properties": properties}


def _descriptions() -> dict[str, str]:
    """Every parameter that a space of ours may have, with the algorithms that take it."""
    descriptions = {
        "algorithm": f"The booster to train: {', '.join(ALGORITHMS.own)}.",
        "loops": "Passes over the training rows.",
    }
    takes = {name: searchable(ALGORITHMS.load(name)) for name in ALGORITHMS.own}
    for parameter in sorted({name for names in takes.values() for name in names}):
        users = [algorithm for algorithm, names in takes.items() if parameter in names]
        descriptions[parameter] = f"A parameter of {', '.join(users)}."
    return descriptions


def _parameter() -> dict[str, Any]:
    kinds = [
        _range("int", {"type": "integer"}),
        _range("float", {"type": "number"}),
        _kind("choice", {"options": _SCALARS}, ["options"]),
        _kind("fixed", {"value": _SCALAR}, ["value"]),
    ]
    return {"oneOf": [_SCALAR, *kinds]}


def _range(kind: str, number: dict[str, Any]) -> dict[str, Any]:
    properties = {
        "low": number,
        "high": number,
        "step": {**number, "exclusiveMinimum": 0},
        "log": {"type": "boolean"},
    }
    logarithmic = {"properties": {"log": {"const": True}}, "required": ["log"]}
    return {
        **_kind(kind, properties, ["low", "high"]),
        "if": logarithmic,
        "then": {"properties": {"low": {"exclusiveMinimum": 0}, "step": False}},
    }


def _kind(kind: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["type", *required],
        "additionalProperties": False,
        "properties": {"type": {"const": kind}, **properties, "when": _WHEN},
    }


def schema_text() -> str:
    """The schema as the file has it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
