"""Several threads that send at the same time, as far as the server can take it."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from topk_tune.tracking.uris import sqlite_file

THREADS = 6
"""Requests at the same time: more are no faster on a server with a few processes."""

Work = TypeVar("Work")


def threads_for(uri: str) -> int:
    """The number of threads for an address; a sqlite file has one writer at a time."""
    return 1 if sqlite_file(uri) is not None else THREADS


def each(threads: int, do: Callable[[Work], None], work: Sequence[Work]) -> None:
    """Do each piece of work; the first error is raised when what has begun is done."""
    if threads == 1 or len(work) < 2:
        for one in work:
            do(one)
        return
    with ThreadPoolExecutor(min(threads, len(work))) as pool:
        futures = [pool.submit(do, one) for one in work]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
