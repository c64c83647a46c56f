"""YAML text as plain values with their lines."""

import re
from dataclasses import dataclass
from typing import Any

import yaml

Problem = tuple[int, str]
"""A line number, counted from 1, and the problem there."""

_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True)
class Located:
    """A value and its line: a scalar, a list of such, or a mapping of keys to such.

    The line of a value in a mapping is that of its key.
    """

    value: Any
    line: int


class _Loader(yaml.SafeLoader):
    """The safe loader without aliases, which are not needed and can grow exponentially."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(
                problem=f"aliases are not allowed, but got *{event.anchor}",
                problem_mark=event.start_mark,
            )
        return super().compose_node(parent, index)


# YAML 1.1 reads 1e-4 as text because it has no dot; people and editors read it as a number.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def parse_yaml(text: str) -> tuple[Located | None, list[Problem]]:
    """The content of a YAML text (None if empty) and every problem in it."""
    problems: list[Problem] = []
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        return (_located(loader, node, problems) if node else None), problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or str(error)
        return None, [*problems, (line, f"invalid YAML: {problem}")]
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return None, [(line, f"invalid YAML: character {chr(error.character)!r} is not printable")]
    except RecursionError:
        return None, [(1, "invalid YAML: nested too deeply")]


def _located(loader: _Loader, node: yaml.Node, problems: list[Problem]) -> Located:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
        problem = f"tags are not allowed, but got {node.tag}"
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
            problems.append((line, f"{key}: duplicate key, first used in line {first}"))
        else:
            mapping[key] = Located(value, line)
    return mapping


def _scalar(loader: _Loader, node: yaml.Node, problems: list[Problem]) -> Any:
    try:
        return loader.construct_object(node)
    except ValueError:
        line = node.start_mark.line + 1
        problems.append((line, f"invalid value for its tag: {node.value!r}"))
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
