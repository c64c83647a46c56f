"""Checks for authors of metrics, samplers and readers; they need no test framework.

A failed check raises an AssertionError that says what is wrong. Our own plugins pass them too.

>>> from topk_tune.training.metrics import metric
>>> check_metric(metric("coverage"))
>>> check_sampler("optuna.samplers:RandomSampler")
"""

from topk_tune.checks.metrics import check_metric
from topk_tune.checks.readers import check_reader
from topk_tune.checks.samplers import check_sampler

__all__ = ["check_metric", "check_reader", "check_sampler"]
