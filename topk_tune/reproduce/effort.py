"""How much is spent on a cell."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """The budget of a cell.

    Parameters
    ----------
    trials, seeds
        Of the search.
    finalists, final_seeds
        How many of the best are compared again, with how many other seeds.
    fresh
        Seeds of the winner on the test rows.
    loops
        The most passes over the training rows.
    """

    trials: int
    seeds: int
    finalists: int
    final_seeds: int
    fresh: int
    loops: int


def effort(algorithm: str, dataset: str, quick: bool) -> Effort:
    """What a cell gets; with full information a row takes up to a hundred times as long."""
    full = algorithm.startswith("full")
    if quick:
        return Effort(trials=4, seeds=1, finalists=2, final_seeds=2, fresh=3, loops=2)
    if dataset == "mediamill":
        loops = 2 if full else 20
        return Effort(trials=8 if full else 24, seeds=1, finalists=2, final_seeds=2, fresh=10,
                      loops=loops)  # fmt: skip
    loops = (3 if dataset == "m_reduced" else 10) if full else 20
    return Effort(trials=60, seeds=2, finalists=6, final_seeds=8, fresh=10, loops=loops)
