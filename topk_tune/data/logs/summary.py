"""How much a log tells: what was seen, how likely it was, and what can never be known from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from booster.log_losses import by_width
from booster.logs import LogRows
from booster.parameters import CLIP
from topk_tune.data.logs.file import LogFile

_MOST_LABELS = 4096
"""With more labels, it is not recorded which pairs were shown: a bit for each is much memory."""

_FULL = 0.9
"""If pairs weigh less than this share of what is expected, the policy cannot show all of them."""


@dataclass(frozen=True)
class LogSummary:
    """The figures of a log.

    Parameters
    ----------
    rows
        The number of rounds.
    fewest, most
        How many labels a round shows.
    pairs
        The pairs of labels that were seen.
    told
        Those of them of which one label was relevant: only these say anything about an order.
    effective_rows
        The number of rounds of equal weight that would tell as much.
    least
        The least probability of a pair.
    below_clip
        The pairs that were less likely than the least probability that boosters use.
    certain
        The pairs with a probability of 1.
    label_pairs
        The pairs that all labels form.
    never
        Those of them that no row shows; None if it was not recorded.
    support
        The weight of the pairs seen, relative to that of a policy that can show every pair. It is 1
        but for chance if it can.
    all_labels
        Whether every row shows all labels.
    """

    rows: int
    fewest: int
    most: int
    pairs: int
    told: int
    effective_rows: float
    least: float
    below_clip: int
    certain: int
    label_pairs: int
    never: int | None
    support: float
    all_labels: bool

    @property
    def deterministic(self) -> bool:
        """Whether the policy always shows the same labels of a row, and not all of them."""
        return self.certain == self.pairs and not self.all_labels

    def findings(self) -> Iterator[str]:
        """Yield what limits the use of the log, in sentences."""
        if self.deterministic:
            yield (
                "every pair was certain to be shown: the policy never explores (a rate of 0), so "
                "nothing is ever known about labels outside what it shows, and no other ranking "
                "can be learned or measured; log some rounds with exploration"
            )
            return
        if self.told == 0:
            yield (
                "no row shows a relevant beside an irrelevant label, so there is nothing to learn"
            )
        if self.below_clip:
            share = 100 * self.below_clip / self.pairs
            yield (
                f"{self.below_clip:,} pairs ({share:.2g}%) were less likely than {CLIP[0]}, the "
                "least probability that boosters use, so they count less than they should when "
                "boosters learn; they count fully when losses are estimated, and make them unsure"
            )
        if self.never:
            yield (
                f"{self.never:,} of {self.label_pairs:,} pairs of labels are never shown: nothing "
                "is known about their order"
            )
        if self.support < _FULL:
            yield (
                f"the pairs seen weigh {100 * self.support:.3g}% of what they would if the policy "
                "could show every pair in every row: losses count only the pairs that it can show"
            )


def summarise_log(log: LogFile) -> LogSummary:
    """Read a whole log and sum it up; raise a `DataError` at the first row that breaks a rule."""
    return summarise_rounds((batch.rows for batch in log.batches()), log.header.n_labels)


def summarise_rounds(batches: Iterable[LogRows], n_labels: int) -> LogSummary:
    """Sum up rounds, some at a time."""
    counts = dict.fromkeys(("rows", "pairs", "told", "below", "certain"), 0)
    fewest, most, least = n_labels, 0, 1.0
    weight, squares = 0.0, 0.0
    recorded = n_labels <= _MOST_LABELS
    together = np.zeros((n_labels, n_labels) if recorded else (0, 0), np.bool_)
    for batch in batches:
        counts["rows"] += batch.n_rows
        for rows, n_shown in by_width(batch):
            first, second = np.triu_indices(n_shown, 1)
            likely, bits = batch.pairs[rows, : first.size], batch.bits[rows]
            shown = batch.shown[rows]
            counts["pairs"] += likely.size
            counts["told"] += int((bits[:, first] != bits[:, second]).sum())
            counts["below"] += int((likely < CLIP[0]).sum())
            counts["certain"] += int((likely == 1.0).sum())
            fewest, most = min(fewest, n_shown), max(most, n_shown)
            least = min(least, float(likely.min()))
            weights = (1.0 / likely).sum(axis=1)
            weight, squares = weight + float(weights.sum()), squares + float((weights**2).sum())
            if recorded:
                together[shown[:, first], shown[:, second]] = True
    label_pairs = math.comb(n_labels, 2)
    seen = int(np.triu(together | together.T, 1).sum())
    return LogSummary(
        rows=counts["rows"],
        fewest=fewest,
        most=most,
        pairs=counts["pairs"],
        told=counts["told"],
        effective_rows=weight**2 / squares,
        least=least,
        below_clip=counts["below"],
        certain=counts["certain"],
        label_pairs=label_pairs,
        never=label_pairs - seen if recorded else None,
        support=weight / counts["rows"] / label_pairs,
        all_labels=fewest == n_labels,
    )
