"""Search spaces from files: the shipped ones by name, others by path."""

from collections.abc import Sequence
from pathlib import Path

import search_spaces
from booster.plugins import unknown
from topk_tune.spaces.blocks import Block, parse_file
from topk_tune.spaces.errors import SpaceError, raise_any
from topk_tune.spaces.kinds import SPARSE, DataKind
from topk_tune.spaces.located import Problem
from topk_tune.spaces.parameters import Fixed
from topk_tune.spaces.space import Space

OBSERVER = "observer"
"""The parameter of a booster that says what its leaves observe."""

LARGEST_FILE = 1_000_000
"""The limit in bytes; usual files have some hundreds."""


def read_space(
    name_or_path: str, dataset: str | None = None, kind: DataKind | None = None
) -> Space:
    """Read a shipped space by its name, or a YAML file by its path, for a data set.

    The blocks for kinds of data apply if `kind` says so.

    The whole file is checked, and one SpaceError reports all of its problems.

    >>> read_space("topada").parameters["algorithm"]
    Fixed(when=None, value='topada')
    """
    source, text = _find(name_or_path)
    return parse_space(text, source, dataset, kind)


def parse_space(
    text: str, source: str, dataset: str | None = None, kind: DataKind | None = None
) -> Space:
    """Read a space from the text of a file; `source` names it in errors.

    A file with a block for sparse data gets the observer that fits the data, unless it names one.
    """
    file = parse_file(text)
    kinds = kind.names if kind else ()
    block = file.block(dataset, kinds)
    parameters = block.readable()
    if file.problems:
        _raise_all(source, file.problems, block)
    if kind and SPARSE in kinds and SPARSE in file.kinds:
        parameters.setdefault(OBSERVER, Fixed(kind.observer))
    return Space(parameters, source, block.lines)


def _raise_all(source: str, problems: Sequence[Problem], block: Block) -> None:
    """Raise a SpaceError with the problems of a file, and those of the boosters with the rest."""
    known = {line for line, _ in problems}
    others = [
        (block.lines[name], f"{name}: {problem}")
        for name, problem in Space(block.readable()).problems()
        if name in block.lines and block.lines[name] not in known
    ]
    raise_any(f"{source}:{line}: {problem}" for line, problem in sorted([*problems, *others]))


def names_file(name_or_path: str) -> bool:
    """Whether a space is a file of the user, not one that is shipped."""
    path = Path(name_or_path)
    looks_like_a_path = path.suffix in (".yaml", ".yml") or len(path.parts) > 1
    return name_or_path not in search_spaces.spaces() and (looks_like_a_path or path.is_file())


def _find(name_or_path: str) -> tuple[str, str]:
    """The name of a space in errors, and its text."""
    if name_or_path in search_spaces.spaces():
        file = f"{name_or_path}.yaml"
        return f"search_spaces/{file}", search_spaces.text(file)
    if names_file(name_or_path):
        return name_or_path, _read(Path(name_or_path))
    raise SpaceError(_unknown(name_or_path))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise SpaceError(f"{path}: a space file must have at most {LARGEST_FILE:,} bytes")
        return content.decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpaceError(f"{path}: cannot read the space file: {reason}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02x}"
        raise SpaceError(f"{path}:{line}: must be UTF-8 text, but got byte {byte}") from None


def _unknown(name: str) -> str:
    return unknown("search space", name, search_spaces.spaces(), ", or the path of a .yaml file")
