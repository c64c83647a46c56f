"""Where log records go: ours to the terminal, everyone else's noise to a file."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OURS = ("booster", "topk_tune")
_OTHERS = ("optuna", "ray", "mlflow", "alembic", "sqlalchemy", "py.warnings")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextmanager
def unannounced() -> Iterator[None]:
    """Keep Optuna from announcing on the terminal the studies that are made here."""
    import optuna

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(verbosity)


@contextmanager
def logging_to(path: Path, debug: bool = False) -> Iterator[None]:
    """Append all records to a file, and keep those of other libraries off the terminal."""
    import optuna

    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_FORMAT))
    optuna.logging.disable_default_handler()
    loggers = [logging.getLogger(name) for name in (*OURS, *_OTHERS)]
    before = [(logger.level, logger.propagate) for logger in loggers]
    logging.captureWarnings(True)
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if debug else logging.INFO)
        logger.propagate = False
    try:
        yield
    finally:
        logging.captureWarnings(False)
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
        optuna.logging.enable_default_handler()
        handler.close()
