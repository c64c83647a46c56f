"""Selects trials to draw when there are too many for a picture."""

from collections.abc import Sequence

import numpy as np

from topk_tune.records.trials import TrialRecord

DRAWN = 1000
"""The most trials in a chart."""


def drawn(records: Sequence[TrialRecord], most: int = DRAWN) -> list[TrialRecord]:
    """All records, or a random sample that includes the first, in order.

    It is random because trials have patterns, such as batches or a grid, that taking every tenth
    trial would distort. It is the same every time.
    """
    if len(records) <= most:
        return list(records)
    others = np.random.default_rng(0).choice(len(records) - 1, most - 1, replace=False) + 1
    return [records[i] for i in [0, *sorted(others)]]


def remark(records: Sequence[TrialRecord], most: int = DRAWN) -> str:
    """A sentence about trials that are not drawn, if any."""
    if len(records) <= most:
        return ""
    return f" A random sample of {most:,} of {len(records):,} trials is drawn."
