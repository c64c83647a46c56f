"""Samplers and pruners given by import path instead of a name.

`optuna.samplers:NSGAIISampler` is imported from a package, which may be your own.
`hub:samplers/auto_sampler:AutoSampler` is downloaded from OptunaHub by the package `optunahub`.
"""

from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

from booster.plugins import PATH, MissingPackageError, Table

HUB = "hub:"


def make(table: Table, name: str, kind: type, **offered: Any) -> Any:
    """Return an instance of a class, made with those offered arguments that it accepts."""
    found = _from_hub(name) if name.startswith(HUB) else table.load(name)
    try:
        made = found(**_taken(found, offered))
    except TypeError as error:
        raise ValueError(f"{table.kind} {name} cannot be made: {error}") from error
    if not isinstance(made, kind):
        raise ValueError(
            f"{table.kind} {name} must be a {kind.__name__} of Optuna, but got a "
            f"{type(made).__name__}"
        )
    return made


def _taken(found: Any, offered: dict[str, Any]) -> dict[str, Any]:
    return {name: offered[name] for name in offered.keys() & signature(found).parameters.keys()}


@cache  # samplers are made for every turn, but downloaded only once
def _from_hub(name: str) -> Any:
    package, _, attribute = name.removeprefix(HUB).partition(PATH)
    if not (package and attribute):
        raise ValueError(f"a name from OptunaHub must be hub:PACKAGE:CLASS, but got {name!r}")
    try:
        hub = import_module("optunahub")
    except ImportError as error:
        raise MissingPackageError(f"{name} needs OptunaHub: run `pip install optunahub`") from error
    try:
        return getattr(hub.load_module(package), attribute)
    except Exception as error:  # from the network, or from a third-party package
        raise RuntimeError(f"{name} cannot be loaded ({type(error).__name__}: {error})") from error
