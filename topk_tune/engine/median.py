"""The median as a pruner: Optuna's decisions, without a look at every trial after every loop."""

import math
from bisect import insort

from optuna.pruners import BasePruner
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState


class KnownMedian(BasePruner):
    """Prunes a trial whose best value so far is worse than the median at its last step.

    It decides like Optuna's MedianPruner, which goes through all trials of a study at each report:
    with thousands of trials, this was most of the time of a study. This one is told of trials.

    Parameters
    ----------
    startup
        The number of complete trials until anything is pruned.
    warm_up
        The step until which nothing is pruned.
    """

    def __init__(self, startup: int, warm_up: int) -> None:
        self._startup = startup
        self._warm_up = warm_up
        self._complete = 0
        self._values: dict[int, list[float]] = {}

    def learn(self, trial: FrozenTrial) -> None:
        """Take note of a finished trial."""
        if trial.state != TrialState.COMPLETE:
            return
        self._complete += 1
        for step, value in trial.intermediate_values.items():
            if not math.isnan(value):
                insort(self._values.setdefault(step, []), value)

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether to stop a trial after its last report."""
        step, reports = trial.last_step, trial.intermediate_values
        if step is None or step < self._warm_up:
            return False
        if not self._complete or self._complete < self._startup:
            return False
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        values = [sign * value for value in reports.values() if not math.isnan(value)]
        if not values:
            return True
        known = self._values.get(step)
        return known is not None and min(values) > sign * _median(known)


def _median(values: list[float]) -> float:
    """Return the median of sorted values, rounded like that of numpy."""
    middle, odd = divmod(len(values), 2)
    upper = values[middle]
    return upper if odd else upper - (upper - values[middle - 1]) * 0.5
