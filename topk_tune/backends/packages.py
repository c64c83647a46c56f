"""Third-party packages that a study needs. Tasks list them, so that a worker without one can name
the missing package instead of reporting an unknown name."""

import socket
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from booster.plugins import MissingPackageError
from booster.tables import ALGORITHMS, LEARNERS
from topk_tune.training.metrics import METRICS

_NAMING = (ALGORITHMS, LEARNERS)
"""The tables whose names appear in a configuration, under a parameter of the same name."""


def needed(config: Mapping[str, Any], objective: str) -> dict[str, str]:
    """Return the names in a trial that need a third-party package, with the package.

    >>> needed({"algorithm": "topopt", "learner": "river"}, "shown_loss")
    {"learner 'river'": 'river'}
    """
    named = [(table, str(config[table.kind])) for table in _NAMING if table.kind in config]
    named.append((METRICS, objective))
    known = [(table, name, table[name].package) for table, name in named if name in table]
    return {f"{table.kind} {name!r}": package for table, name, package in known if package}


def check_installed(needs: Mapping[str, str]) -> None:
    """Raise a MissingPackageError if this machine lacks one of the packages."""
    for what, package in needs.items():
        try:
            distribution(package)
        except PackageNotFoundError:
            raise MissingPackageError(
                f"this machine ({socket.gethostname()}) lacks {package}, which provides {what}: "
                "install it on every node"
            ) from None
