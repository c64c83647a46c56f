"""Optuna's PED-ANOVA, without the scikit-learn that Optuna loads with all other importances.

Loading it takes longer than the rest of a report. That the module needs nothing of its package's
beginning is known of some versions of Optuna only.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

from optuna.study import Study

from topk_tune.storage.journal import OPTUNA

_PACKAGE = "optuna.importance"
_EVALUATOR = OPTUNA.part(f"{_PACKAGE}._ped_anova.evaluator:PedAnovaImportanceEvaluator")


def ped_anova(study: Study) -> dict[str, float]:
    """Return the shares of the parameters, the largest first."""
    with _unopened():
        evaluator = _EVALUATOR.get()()
    found: dict[str, float] = evaluator.evaluate(study)
    total = sum(found.values())
    return {name: value / total if total else 1 / len(found) for name, value in found.items()}


@contextmanager
def _unopened() -> Iterator[None]:
    """Have the package stand open for its modules, unless it is loaded."""
    if _PACKAGE in sys.modules:
        yield
        return
    spec = find_spec(_PACKAGE)
    package = ModuleType(_PACKAGE)
    package.__path__ = list(spec.submodule_search_locations or ()) if spec else []
    sys.modules[_PACKAGE] = package
    try:
        yield
    finally:
        if sys.modules.get(_PACKAGE) is package:
            del sys.modules[_PACKAGE]
