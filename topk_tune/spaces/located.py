"""YAML text as plain values that know their lines."""

import re
from dataclasses import dataclass
from typing import Any

import yaml

Problem = tuple[int, str]
"""A line, from 1, and what is wrong there."""

_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True)
class Located:
    """A value and its line: a scalar, a list of such, or a mapping of keys to such.

    The line of a value in a mapping is that of its key.
    """

    value: Any
    line: int


class _Loader(yaml.SafeLoader):
    """The safe loader, without aliases: nothing here needs them, and they can explode."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(
                problem=f"no aliases must be used, but got *{event.anchor}",
                problem_mark=event.start_mark,
            )
        return super().compose_node(parent, index)


# YAML 1.1 takes 1e-4 for text, for want of a dot; people and editors take it for a number.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def parse_yaml(text: str) -> tuple[Located | None, list[Problem]]:
    """The content of a YAML text, None if it has none, and every problem found on the way."""
    problems: list[Problem] = []
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        return (_located(loader, node, problems) if node else None), problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or str(error)
        return None, [*problems, (line, f"YAML must be well formed, but got: {problem}")]
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return None, [(line, f"YAML must be printable text, but got {chr(error.character)!r}")]
    except RecursionError:
        return None, [(1, "YAML must be well formed, but is nested too deeply")]


def _located(loader: _Loader, node: yaml.Node, problems: list[Problem]) -> Located:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
        problem = f"no tags must be used, but got {node.tag}"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    if isinstance(node, yaml.MappingNode):
        return Located(_mapping(loader, node, problems), line)
    if isinstance(node, yaml.SequenceNode):
        return Located([_located(loader, item, problems) for item in node.value], line)
    return Located(_scalar(loader, node, problems), line)


def _mapping(
    loader: _Loader, node: yaml.MappingNode, problems: list[Problem]
) -> dict[str, Located]:
    mapping: dict[str, Located] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = _located(loader, key_node, problems).value
        value = _located(loader, value_node, problems).value
        if not isinstance(key, str):
            problems.append((line, f"keys must be text, but got {_shown(key)}"))
        elif key in mapping:
            first = mapping[key].line
            problems.append(
                (line, f"{key}: each key must come once, but got it in line {first} too")
            )
        else:
            mapping[key] = Located(value, line)
    return mapping


def _scalar(loader: _Loader, node: yaml.Node, problems: list[Problem]) -> Any:
    try:
        return loader.construct_object(node)
    except ValueError:
        line = node.start_mark.line + 1
        problems.append((line, f"values must suit their tag, but got {node.value!r}"))
        return None


def _shown(value: Any) -> str:
    return "a list or mapping" if isinstance(value, list | dict) else repr(value)


def without_lines(located: Located) -> Any:
    """The plain value."""
    if isinstance(located.value, dict):
        return {key: without_lines(item) for key, item in located.value.items()}
    if isinstance(located.value, list):
        return [without_lines(item) for item in located.value]
    return located.value
