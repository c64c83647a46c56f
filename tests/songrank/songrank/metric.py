"""A metric: how often the first label is right."""

from topk_tune.training.metrics import Measured, Metric


def _hits(measured: Measured) -> float:
    assert measured.Z is not None
    return float(measured.Z[:, 0].mean())


HITS = Metric("hits", "maximize", "rankings", "share of rows whose first label is relevant", _hits)
