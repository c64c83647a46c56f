"""Kinds of data that need other ranges than most."""

from dataclasses import dataclass

WIDE_FROM = 500
"""The number of features from which data are wide. The paper's data sets have at most 294."""

MANY_FROM = 500
"""The number of labels from which they are many. The published data sets have at most 159."""

WIDE, SPARSE, MANY = "wide", "sparse", "many_labels"

DESCRIBED = {
    WIDE: f"{WIDE_FROM} or more features",
    SPARSE: "features that are mostly zero",
    MANY: f"features that are mostly zero, and {MANY_FROM} or more labels",
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
    n_labels
        The number of labels.
    """

    n_features: int
    sparse: bool
    observer: str
    n_labels: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the blocks."""
        kinds = {
            WIDE: self.n_features >= WIDE_FROM,
            SPARSE: self.sparse,
            MANY: self.sparse and self.n_labels >= MANY_FROM,
        }
        return tuple(name for name, holds in kinds.items() if holds)
