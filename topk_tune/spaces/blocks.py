"""The blocks of a space file: the default one, those for kinds of data, and one per data set."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from topk_tune.spaces.conditions import order_problems, required_problems
from topk_tune.spaces.kinds import DESCRIBED
from topk_tune.spaces.located import Located, Problem, parse_yaml, without_lines
from topk_tune.spaces.parameters import KINDS, Fixed, Parameter
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
        return block.replaced_by(self.datasets.get(dataset or "", Block()))


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
    found = list(_key_problems(entry))
    if not found:
        try:
            content = without_lines(entry)
            return from_mapping(content) if isinstance(content, dict) else Fixed(content)
        except ValueError as error:
            found.append((entry.line, str(error)))
    problems += [(line, f"{name}: {problem}") for line, problem in found]
    return None


def _key_problems(entry: Located) -> Iterator[Problem]:
    """A problem for each key that the type does not have, with its line."""
    if not isinstance(entry.value, dict) or "type" not in entry.value:
        return
    kind = entry.value["type"].value
    if isinstance(kind, str) and kind in KINDS:
        options = keys(kind)
        for key, item in entry.value.items():
            if key not in ("type", *options):
                yield (
                    item.line,
                    (f"unknown key {key!r} for type {kind}; choose from {', '.join(options)}"),
                )


def _mapping(item: Located, name: str, problems: list[Problem]) -> dict[str, Located]:
    """The entries of a mapping, which may be null if empty; a problem if it is no mapping."""
    value: Any = item.value
    if isinstance(value, dict):
        return value
    if value is not None:
        problems.append((item.line, f"{name} must be a mapping, but got {without_lines(item)!r}"))
    return {}
