"""What everything of a kind must do, for whoever writes one: checks without a test framework.

Each raises an AssertionError whose sentence says what is wrong. Ours pass them in our own tests.

>>> from topk_tune.training.metrics import metric
>>> check_metric(metric("coverage"))
>>> check_sampler("optuna.samplers:RandomSampler")
"""

from topk_tune.checks.metrics import check_metric
from topk_tune.checks.readers import check_reader
from topk_tune.checks.samplers import check_sampler

__all__ = ["check_metric", "check_reader", "check_sampler"]
