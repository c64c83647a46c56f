"""When a study is done."""

from dataclasses import dataclass
from typing import Any

from topk_tune.records.trials import TrialRecord, ranked


@dataclass(frozen=True)
class StopRule:
    """The limits of a study; the first that is reached ends it.

    Parameters
    ----------
    trials
        So many finished trials in all, earlier ones included.
    seconds
        So much time since this run began.
    target
        A value of the objective as good as this.
    patience
        So many finished trials in a row without a new best.
    failures
        So many failed trials in a row: something is wrong that more trials will not mend.
    """

    trials: int | None = None
    seconds: float | None = None
    target: float | None = None
    patience: int | None = None
    failures: int = 10

    def __post_init__(self) -> None:
        for name in ("trials", "seconds", "patience", "failures"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be greater than 0, but got {value}")

    def room(self, finished: int, running: int) -> bool:
        """Whether one more trial may start."""
        return self.trials is None or finished + running < self.trials

    def reason(self, finished: list[TrialRecord], elapsed: float) -> str | None:
        """Why to stop now, or None. `finished` is in the order in which they ended."""
        if self.trials is not None and len(finished) >= self.trials:
            return f"all {self.trials} trials are done"
        if self.seconds is not None and elapsed >= self.seconds:
            return f"the time of {self.seconds:g} s is over"
        if self.target is not None and any(_as_good_as(r, self.target) for r in ranked(finished)):
            return f"the target of {self.target:g} is reached"
        if self.patience is not None and _since_best(finished) >= self.patience:
            return f"no better trial in {self.patience} trials"
        last = finished[-self.failures :]
        if len(last) == self.failures and all(r.state == "failed" for r in last):
            return f"the last {self.failures} trials failed; the last said: {last[-1].error}"
        return None

    def as_dict(self) -> dict[str, Any]:
        """By name, for storage; the time is left out, since it is this run's alone."""
        return {"trials": self.trials, "target": self.target, "patience": self.patience}


def _as_good_as(record: TrialRecord, target: float) -> bool:
    return record.key <= (0.0, record.objective.signed(target))


def _since_best(finished: list[TrialRecord]) -> int:
    best = ranked(finished)
    if not best:
        return 0
    return len(finished) - 1 - finished.index(best[0])
