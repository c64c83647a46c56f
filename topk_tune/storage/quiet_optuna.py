"""Optuna as a part of ours: what it would tell its users is not for the terminal."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import optuna
from optuna.exceptions import ExperimentalWarning


@contextmanager
def unannounced() -> Iterator[None]:
    """Keep Optuna from announcing on the terminal the studies that are made here."""
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
