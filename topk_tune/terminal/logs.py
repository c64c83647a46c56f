"""Log files: our records also go to the terminal, those of other libraries do not."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna

from topk_tune.engine import events
from topk_tune.engine.events import Notice, Observer
from topk_tune.records.wording import trial_line

OURS = ("booster", "topk_tune")
_OTHERS = ("optuna", "ray", "mlflow", "alembic", "sqlalchemy", "py.warnings")
_STUDY = "study"
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextmanager
def logging_to(path: Path, debug: bool = False) -> Iterator[Observer]:
    """Append all records to a file, and keep those of other libraries off the terminal.

    Yields an observer that logs the events of a study.
    """
    path.parent.mkdir(parents=True, exist_ok=True)  # a database study may have no folder yet
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_FORMAT))
    optuna.logging.disable_default_handler()
    loggers = [logging.getLogger(name) for name in (*OURS, *_OTHERS, _STUDY)]
    before = [(logger.level, logger.propagate) for logger in loggers]
    logging.captureWarnings(True)
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if debug else logging.INFO)
        logger.propagate = False
    try:
        yield _note
    finally:
        logging.captureWarnings(False)
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
        optuna.logging.enable_default_handler()
        handler.close()


def _note(notice: Notice) -> None:
    logger = logging.getLogger(_STUDY)
    match notice:
        case events.StudyStarted(name, trials, earlier):
            logger.info("%s begins: %s trials, %d exist", name, trials, len(earlier))
        case events.TrialStarted(number, config, attempt):
            logger.info("trial %d starts, attempt %d: %s", number, attempt, dict(config))
        case events.TrialEnded(record):
            logger.info("%s", trial_line(record))
        case events.Waiting(str(reason), None):
            logger.info("%s", reason)
        case events.StudyEnded(reason):
            logger.info("ended: %s", reason)
