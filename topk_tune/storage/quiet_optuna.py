"""Optuna's studies as parts of ours: they are not announced on the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

import optuna


@contextmanager
def unannounced() -> Iterator[None]:
    """Keep Optuna from announcing on the terminal the studies that are made here."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(verbosity)
