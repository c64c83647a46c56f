"""Durable studies: a folder with a journal, or a database by its URL, in Optuna's own formats."""

from topk_tune.storage.location import Location
from topk_tune.storage.store import Store, StudyBusyError
from topk_tune.storage.writer import StoreWriter

__all__ = ["Location", "Store", "StoreWriter", "StudyBusyError"]
