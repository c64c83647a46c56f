"""Cells of the tables: an algorithm, with its exploration, on a data set."""

from collections.abc import Sequence
from dataclasses import dataclass

from topk_tune.records.settings import Protocol
from topk_tune.reproduce.paper import LOSSES, TITLES
from topk_tune.spaces import Space, read_space

UNIFORM = (("topopt", "uniform"), ("topada", "uniform"), ("fullopt", None), ("fullada", None))
SWAPS = (("topopt", "single-swap"), ("topada", "single-swap"))
TOP = UNIFORM[:2]
LARGEST = "mediamill"

# The cells of each table; Table 6 describes the data, and figures have their own studies.
COLUMNS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "table1": UNIFORM,
    "table2": (*SWAPS, *UNIFORM),
    "table3": TOP,
    "table4": TOP,
    "table5": TOP,
    "table6": (),
    "figure1": (),
    "figure2": (),
    "figure3": (),
}


@dataclass(frozen=True)
class Cell:
    """An algorithm on a data set; algorithms with full information do not explore."""

    dataset: str
    algorithm: str
    exploration: str | None

    def study(self, protocol: Protocol) -> str:
        """The name of its study."""
        parts = [self.dataset, self.algorithm, self.exploration, _SUFFIX[protocol]]
        return "-".join(filter(None, parts))

    @property
    def title(self) -> str:
        """Its algorithm in the paper's notation, with -S for single swaps."""
        return TITLES[self.algorithm] + ("-S" if self.exploration == "single-swap" else "")

    @property
    def paper_protocol(self) -> bool:
        """Whether it is also searched by protocol paper: Table 1 except the largest data set."""
        return (self.algorithm, self.exploration) in UNIFORM and self.dataset != LARGEST

    @property
    def paper(self) -> float | None:
        """The paper's loss."""
        return LOSSES[self.algorithm, self.exploration].get(self.dataset)

    def space(self, loops: int) -> Space:
        """Its search space: that of the algorithm, with its exploration."""
        space = read_space(self.algorithm, self.dataset).fixed(loops=loops)
        return space if self.exploration is None else space.fixed(exploration=self.exploration)


_SUFFIX: dict[Protocol, str] = {"validation": "", "paper": "by-test"}
"""How the names of studies end; those of earlier versions must be found again."""


def cells(tables: Sequence[str], datasets: Sequence[str]) -> list[Cell]:
    """The cells of these tables without duplicates, ordered by data set."""
    columns = dict.fromkeys(column for table in tables for column in COLUMNS[table])
    return [Cell(dataset, *column) for dataset in datasets for column in columns]
