"""Writes to a store in a background thread, in order, and retries if the storage fails."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from optuna.exceptions import StorageInternalError
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_delay,
    wait_exponential,
)

logger = logging.getLogger("topk_tune.storage")

T = TypeVar("T")

PATIENCE = 600.0
"""Seconds that a storage may be locked or unavailable before the study gives up."""


class StoreWriter:
    """One thread that calls the store, one operation after another.

    While the storage is unavailable, results are in memory only. A trial counts as finished when
    its operation has succeeded.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="storage")
        self._retrying = Retrying(
            retry=retry_if_exception(_passing),
            wait=wait_exponential(0.1, max=5.0),
            stop=stop_after_delay(patience),
            before_sleep=_say,
            reraise=True,
        )

    def later(self, operation: Callable[..., T], *arguments: Any) -> "Future[T]":
        """Call an operation after the earlier ones."""
        return self._thread.submit(self._retrying, operation, *arguments)

    def close(self) -> None:
        """Wait until everything is written."""
        self._thread.shutdown(wait=True)


def _passing(error: BaseException) -> bool:
    """Whether a retry may help."""
    from sqlalchemy.exc import SQLAlchemyError  # slow to import, and most studies are in files

    return isinstance(error, OSError | StorageInternalError | SQLAlchemyError)


def _say(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    if state.attempt_number == 5:  # short interruptions are not reported
        reason = str(error).splitlines()[0] if error else ""
        logger.warning("the storage does not answer (%s); retrying", reason)
