"""Packages of others that bring what a study names: sent along, so that a worker can say what it
lacks instead of what it does not know."""

import socket
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from booster.plugins import MissingPackageError
from booster.tables import ALGORITHMS, LEARNERS
from topk_tune.training.metrics import METRICS

_NAMING = (ALGORITHMS, LEARNERS)
"""The tables of which parameters of a configuration name something: they are called alike."""


def needed(config: Mapping[str, Any], objective: str) -> dict[str, str]:
    """What a trial names that is not ours alone, and the package that brings it.

    >>> needed({"algorithm": "topopt", "learner": "river"}, "shown_loss")
    {"learner 'river'": 'river'}
    """
    named = [(table, str(config[table.kind])) for table in _NAMING if table.kind in config]
    named.append((METRICS, objective))
    known = [(table, name, table[name].package) for table, name in named if name in table]
    return {f"{table.kind} {name!r}": package for table, name, package in known if package}


def check_installed(needs: Mapping[str, str]) -> None:
    """Raise a MissingPackageError that says what this machine lacks, if it does."""
    for what, package in needs.items():
        try:
            distribution(package)
        except PackageNotFoundError:
            raise MissingPackageError(
                f"this machine ({socket.gethostname()}) lacks {package}, which brings {what}: "
                "install it on every node"
            ) from None
