"""How much is spent on a cell."""

from dataclasses import dataclass

from topk_tune.records.settings import Protocol
from topk_tune.reproduce.cells import LARGEST


@dataclass(frozen=True)
class Effort:
    """The budget of a cell.

    Parameters
    ----------
    trials, seeds
        Of the search.
    finalists
        How many of the best are ranked anew.
    fresh
        Seeds with which they are, and with which the winner is tested.
    loops
        The most passes over the training rows.
    pruner
        What ends trials of the search early.
    """

    trials: int
    seeds: int
    finalists: int
    fresh: int
    loops: int
    pruner: str = "median"


_FULL_LOOPS = {"emotions": 20, "scene": 20, "yeast": 6, "m_reduced": 5, "mediamill": 3}
"""With full information a row takes up to a hundred times as long."""

_SEARCH = {
    "emotions": (40, 4, 4),
    "scene": (40, 2, 4),
    "yeast": (40, 2, 4),
    "m_reduced": (40, 2, 4),
}
"""Trials, seeds and finalists: where there are few rows, a loss says least and costs least."""

_UNPRUNED = ("scene", "yeast")
"""Where trials take seconds: on Scene most of FullAda's had been ended after a few loops."""


def effort(algorithm: str, dataset: str, protocol: Protocol, quick: bool) -> Effort:
    """What a cell gets; a search by protocol paper is for comparison, and gets a fifth."""
    if quick:
        return Effort(trials=4, seeds=1, finalists=2, fresh=3, loops=2)
    full = algorithm.startswith("full")
    loops = _FULL_LOOPS[dataset] if full else 20
    if dataset == LARGEST:
        return Effort(trials=10, seeds=1, finalists=2, fresh=10, loops=loops)
    trials, seeds, finalists = _SEARCH[dataset]
    pruner: str = "none" if dataset in _UNPRUNED else "median"
    if protocol == "paper":
        return Effort(trials // 5, seeds, 2, fresh=10, loops=loops, pruner=pruner)
    return Effort(trials, seeds, finalists, fresh=10, loops=loops, pruner=pruner)
