"""Kinds of data that need other ranges than most."""

from dataclasses import dataclass

WIDE_FROM = 500
"""The number of features from which data are wide. The paper's data sets have at most 294."""

WIDE, SPARSE = "wide", "sparse"

DESCRIBED = {
    WIDE: f"{WIDE_FROM} or more features",
    SPARSE: "features that are mostly zero",
}
"""The kinds, in the order in which their blocks apply, and what data of each have."""


@dataclass(frozen=True)
class DataKind:
    """What decides which blocks of a space file apply.

    Parameters
    ----------
    n_features
        The number of features.
    sparse
        Whether most values are zero.
    observer
        The observer that fits the features; see `booster.tables.OBSERVERS`.
    """

    n_features: int
    sparse: bool
    observer: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the blocks."""
        wide = (WIDE,) if self.n_features >= WIDE_FROM else ()
        return (*wide, SPARSE) if self.sparse else wide
