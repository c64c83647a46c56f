"""Data sets by name."""

from collections.abc import Callable
from difflib import get_close_matches

from topk_tune.data.dataset import Dataset
from topk_tune.data.yeast import load_yeast

_LOADERS: dict[str, Callable[[], Dataset]] = {"yeast": load_yeast}


def names() -> list[str]:
    """List the data sets that `load` knows."""
    return sorted(_LOADERS)


def load(name: str) -> Dataset:
    """Load a data set by its name.

    >>> load("yeast").X_train.shape
    (1500, 103)
    """
    if name not in _LOADERS:
        raise ValueError(_unknown(name))
    return _LOADERS[name]()


def _unknown(name: str) -> str:
    nearest = get_close_matches(name.lower(), names(), n=1)
    question = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"No data set is called {name!r}; there is: {', '.join(names())}.{question}"
