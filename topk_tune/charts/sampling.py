"""Which trials are drawn when there are more than a picture can show."""

from collections.abc import Sequence

import numpy as np

from topk_tune.records.trials import TrialRecord

DRAWN = 1000
"""Trials that a chart shows at most."""


def drawn(records: Sequence[TrialRecord], most: int = DRAWN) -> list[TrialRecord]:
    """All records, or a random sample with the first, in the order given.

    It is random because trials come in rhythms, of batches or of a grid, that every tenth would
    keep or lose as a whole; and the same every time.
    """
    if len(records) <= most:
        return list(records)
    others = np.random.default_rng(0).choice(len(records) - 1, most - 1, replace=False) + 1
    return [records[i] for i in [0, *sorted(others)]]


def remark(records: Sequence[TrialRecord], most: int = DRAWN) -> str:
    """A sentence about what is not drawn, if anything is not."""
    if len(records) <= most:
        return ""
    return f" Drawn is a random sample of {most:,} of {len(records):,} trials."
