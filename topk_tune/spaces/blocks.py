"""The blocks of a space file: the default one, those for kinds of data, and one per data set."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import PurePath
from typing import Any

from topk_tune.spaces.conditions import order_problems, required_problems
from topk_tune.spaces.kinds import DESCRIBED
from topk_tune.spaces.located import Located, Problem, parse_yaml, without_lines
from topk_tune.spaces.parameters import KINDS, Choice, Fixed, Parameter
from topk_tune.spaces.storing import from_mapping, keys

BLOCKS = ("default", *DESCRIBED, "datasets")


@dataclass
class Block:
    """Parameters by name (None if one could not be read) and their lines."""

    parameters: dict[str, Parameter | None] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def replaced_by(self, other: "Block") -> "Block":
        """This block updated with the entries of another; new ones come last."""
        return Block({**self.parameters, **other.parameters}, {**self.lines, **other.lines})

    def readable(self) -> dict[str, Parameter]:
        """The parameters that could be read, and whose conditions are about such ones."""
        found: dict[str, Parameter] = {}
        for name, parameter in self.parameters.items():
            if parameter and all(
                isinstance(found.get(o), Choice | Fixed) for o in parameter.when or ()
            ):
                found[name] = parameter
        return found


@dataclass
class SpaceFile:
    """The blocks of a file, and its problems."""

    default: Block = field(default_factory=Block)
    kinds: dict[str, Block] = field(default_factory=dict)
    datasets: dict[str, Block] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def block(self, dataset: str | None, kinds: Collection[str] = ()) -> Block:
        """The default block updated with those of the kinds of data and of the data set."""
        block = self.default
        for kind in DESCRIBED:
            if kind in kinds:
                block = block.replaced_by(self.kinds.get(kind, Block()))
        return block.replaced_by(self._dataset(dataset or ""))

    def _dataset(self, dataset: str) -> Block:
        """The block of a data set: by its name, or by as many last parts of its path as it has."""
        if dataset in self.datasets or not os.path.isabs(dataset):
            return self.datasets.get(dataset, Block())
        parts = PurePath(dataset).parts
        found = {key: _path_parts(key) for key in self.datasets}
        fitting = [key for key, last in found.items() if last and parts[-len(last) :] == last]
        return self.datasets[max(fitting, key=lambda key: len(found[key]))] if fitting else Block()


def _path_parts(key: str) -> tuple[str, ...]:
    """The parts of a relative path; none of a plain name, which may also be that of a folder."""
    path = PurePath(key)
    is_path = os.sep in key or bool(path.suffix)
    return tuple(part for part in path.parts if part != os.pardir) if is_path else ()


def parse_file(text: str) -> SpaceFile:
    """Read and check the whole text, for all data sets."""
    content, problems = parse_yaml(text)
    file = SpaceFile(problems=problems)
    if problems and content is None:
        return file
    top = _mapping(content or Located({}, 1), "the file", problems)
    problems += _block_problems(top)
    if "default" in top:
        file.default = _block(top["default"], "default", problems)
        for kind in DESCRIBED:
            if kind in top:
                file.kinds[kind] = _block(top[kind], kind, problems)
        datasets = _mapping(top.get("datasets", Located({}, 1)), "datasets", problems)
        for name, item in datasets.items():
            file.datasets[name] = _block(item, name, problems)
        problems += _condition_problems(file, top["default"].line)
    return file


def _block_problems(top: dict[str, Located]) -> Iterator[Problem]:
    options = ", ".join(BLOCKS)
    for name, item in top.items():
        if name not in BLOCKS:
            yield item.line, f"unknown block {name!r}; choose from {options}"
    if "default" not in top:
        yield 1, "the default block is missing"


def _condition_problems(file: SpaceFile, default_line: int) -> Iterator[Problem]:
    alone = [(kind,) for kind in file.kinds]
    together = [tuple(file.kinds)] if len(alone) > 1 else []
    for dataset, kinds in product((None, *file.datasets), ((), *alone, *together)):
        block = file.block(dataset, kinds)
        for check in (required_problems, order_problems):
            for name, problem in check(block.parameters):
                yield block.lines.get(name, default_line), f"{name}: {problem}"


def _block(item: Located, name: str, problems: list[Problem]) -> Block:
    block = Block()
    for parameter, entry in _mapping(item, name, problems).items():
        block.lines[parameter] = entry.line
        block.parameters[parameter] = _parameter(parameter, entry, problems)
    return block


def _parameter(name: str, entry: Located, problems: list[Problem]) -> Parameter | None:
    """The parameter, or None and its problems."""
    found, content = dict(_key_problems(entry)), without_lines(entry)
    try:
        if not isinstance(content, dict):
            return Fixed(content)
        made = from_mapping({key: value for key, value in content.items() if key not in found})
        if not found:
            return made
    except ValueError as error:
        problems.append((entry.line, f"{name}: {error}"))
    problems += [(line, f"{name}: {problem}") for line, problem in found.values()]
    return None


def _key_problems(entry: Located) -> Iterator[tuple[str, Problem]]:
    """Each key that the type does not have, with its problem."""
    if not isinstance(entry.value, dict) or "type" not in entry.value:
        return
    kind = entry.value["type"].value
    if isinstance(kind, str) and kind in KINDS:
        options = keys(kind)
        for key, item in entry.value.items():
            if key not in ("type", *options):
                problem = f"unknown key {key!r} for type {kind}; choose from {', '.join(options)}"
                yield key, (item.line, problem)


def _mapping(item: Located, name: str, problems: list[Problem]) -> dict[str, Located]:
    """The entries of a mapping, which may be null if empty; a problem if it is no mapping."""
    value: Any = item.value
    if isinstance(value, dict):
        return value
    if value is not None:
        problems.append((item.line, f"{name} must be a mapping, but got {without_lines(item)!r}"))
    return {}
