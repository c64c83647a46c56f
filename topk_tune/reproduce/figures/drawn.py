"""What the figures have in common: a picture, its table, and how curves are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

from topk_tune.charts.curves import Curve
from topk_tune.charts.figure import Axis, Chart, Figure, Key, Marks
from topk_tune.charts.scales import spanning
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.tables import PaperTable

DATASET = "yeast"
"""That of the paper's figure; so all figures are about one task."""


@dataclass(frozen=True)
class Drawn:
    """A figure.

    Parameters
    ----------
    table, figure
        Its values as a table, and the picture.
    note
        How it was measured.
    """

    table: PaperTable
    figure: Figure
    note: str


@dataclass(frozen=True)
class Series:
    """A named curve with the positions of its points."""

    name: str
    x: Sequence[float]
    curve: Curve


def panel(title: str, x: str, y: str, series: Sequence[Series], *, small: bool = False) -> Chart:
    """Return curves as lines with dots, and bands of one standard deviation."""
    layers = [
        layer
        for i, each in enumerate(series)
        for layer in (
            *each.curve.layers(each.x, f"series{i}"),
            Marks(each.x, each.curve.mean, f"series{i}"),
        )
    ]
    edges = [edge for each in series for edge in each.curve.low + each.curve.high]
    across = [place for each in series for place in each.x]
    return Chart(
        title,
        Axis(x, spanning(across, log=False)),
        Axis(y, spanning(edges, log=False)),
        layers,
        small=small,
    )


def keys(series: Sequence[Series]) -> list[Key]:
    """Return the legend of a panel."""
    return [Key("line", f"series{i}", each.name) for i, each in enumerate(series)]


def rounds(record: TrialRecord) -> list[int]:
    """Return the number of rounds after each loop."""
    return [report.rounds for report in record.runs[0].reports]


def averages(record: TrialRecord) -> list[list[float]]:
    """Return the average loss of what was shown until the end of each loop, one row per run."""
    if not record.curve_of("stream_loss"):
        raise ValueError(
            f"trial {record.number} of the figure must have a stream_loss of every run, which an "
            "earlier version did not measure: choose another --storage, or remove the study"
        )
    return [[report.metrics["stream_loss"] for report in run.reports] for run in record.runs]
