"""Parameter files that ship with the project, and how to read them.

At the top level are search spaces; `best` has the parameters that were picked by the paper and by
searching. Files are named by their path inside this package, search spaces also by their name:

>>> names()[:2]
['best/datasets.yaml', 'best/table5.yaml']
>>> spaces()
['fullada', 'fullopt', 'paper', 'table5', 'topada', 'topopt']
>>> paper_parameters("topada", "yeast")["n_learners"]
60
"""

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

__all__ = ["crossed", "load", "names", "paper_parameters", "spaces", "text", "tuned_parameters"]


def names() -> list[str]:
    """List the YAML files of this package, sorted."""
    return sorted(_walk(files(__name__), ""))


def spaces() -> list[str]:
    """List the search spaces, sorted."""
    return [name.removesuffix(".yaml") for name in names() if "/" not in name]


def text(name: str) -> str:
    """Return the text of one of the files that `names` lists."""
    known = names()
    if name not in known:
        raise ValueError(_unknown("file", name, known))
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """Read one of the files that `names` lists."""
    content: dict[str, Any] = yaml.safe_load(text(name))
    return content


def paper_parameters(algorithm: str, dataset: str) -> dict[str, Any]:
    """Return the parameters that the paper picked for an algorithm on a data set.

    The result holds `loops` and the keyword arguments of the booster.
    """
    return _picked("best/table5.yaml", algorithm, dataset)


def tuned_parameters(algorithm: str, dataset: str) -> dict[str, Any]:
    """Return the parameters that were found for an algorithm on a data set of the paper.

    Parameters for single swaps, if they were searched, have the names "topopt-s" and "topada-s".
    The result has the form of that of `paper_parameters`.
    """
    return _picked("best/tuned.yaml", algorithm, dataset)


def crossed(algorithm: str) -> list[dict[str, Any]]:
    """Return configurations of an algorithm that were tried on several data sets.

    Each has a `config`, its `losses` by data set, and if it was tuned, the data set it is `from`.
    """
    content = json.loads(files(__name__).joinpath("best/crossed.json").read_text(encoding="utf-8"))
    entries: list[dict[str, Any]] = content.get(algorithm, [])
    return entries


def _picked(file: str, algorithm: str, dataset: str) -> dict[str, Any]:
    algorithms = load(file)
    if algorithm not in algorithms:
        raise ValueError(_unknown("algorithm", algorithm, algorithms))
    blocks = algorithms[algorithm]
    datasets = [name for name in blocks if name != "default"]
    if dataset not in datasets:
        raise ValueError(_unknown("data set", dataset, datasets))
    return {**blocks.get("default", {}), **blocks[dataset]}


def _walk(folder: Traversable, prefix: str) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            yield prefix + entry.name


def _unknown(kind: str, name: str, options: Iterable[str]) -> str:
    return f"unknown {kind} {name!r} in the parameter files; choose from {', '.join(options)}"
