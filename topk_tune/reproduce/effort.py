"""The budget of a cell."""

from dataclasses import dataclass

from topk_tune.records.settings import Protocol
from topk_tune.reproduce.cells import LARGEST


@dataclass(frozen=True)
class Effort:
    """The budget of a cell.

    Parameters
    ----------
    trials, seeds
        The trials of the search.
    finalists
        The number of best configurations that are ranked again.
    fresh
        The seeds for ranking them, and for testing the winner.
    loops
        The most loops over the training rows.
    pruner
        The pruner of the search.
    """

    trials: int
    seeds: int
    finalists: int
    fresh: int
    loops: int
    pruner: str = "median"


_FULL_LOOPS = {"emotions": 20, "scene": 20, "yeast": 6, "m_reduced": 5, "mediamill": 3}
"""For full information, where a row takes up to a hundred times as long."""

_SEARCH = {
    "emotions": (24, 4, 3),
    "scene": (24, 2, 3),
    "yeast": (24, 2, 3),
    "m_reduced": (24, 2, 3),
}
"""Trials, seeds and finalists for small data sets, where losses are noisy and cheap."""

_UNPRUNED = ("scene", "yeast")
"""No pruning where trials take seconds: on Scene, most trials of FullAda would be pruned early."""


def effort(algorithm: str, dataset: str, protocol: Protocol, quick: bool) -> Effort:
    """The budget of a cell; a search by protocol paper is for comparison and gets a fifth."""
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
