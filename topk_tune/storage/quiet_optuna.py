"""Keeps messages of Optuna off the terminal."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import optuna
from optuna.exceptions import ExperimentalWarning


@contextmanager
def unannounced() -> Iterator[None]:
    """Keep Optuna from logging the studies that are created here."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(verbosity)


@contextmanager
def experimental() -> Iterator[None]:
    """Keep Optuna from warning users of what we have chosen to rely on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        yield
