"""What makes a study what it is: fixed when it is made, kept inside it, read back to resume.

What samplers, pruners and metrics demand of each other is checked where a study is made or run
(`topk_tune.engine.rules`): a study can be read where one of them is not installed.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from topk_tune.data.split import DEFAULT_VALIDATION
from topk_tune.training.metrics import Direction
from topk_tune.training.objective import DEFAULT, Objective

Protocol = Literal["validation", "paper"]

BATCH = 8
"""Trials that a deterministic study asks for at a time, whatever the number of workers."""

_BOUNDED = "greedy_loss"
"""The objective when the cost of exploration is bounded: what is shown would be charged twice."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class StudySettings(BaseModel):
    """The settings of a study.

    Parameters
    ----------
    name
        Its name: letters, digits, dot, dash and underscore, at most 100.
    dataset, labels, split
        The data set, as `topk_tune.data.load` takes it.
    fingerprint
        Of the data set, so that a study never goes on with other data.
    space
        The search space, as `Space.to_dict` writes it.
    sampler
        How configurations are chosen; see `topk_tune.engine.samplers`.
    pruner
        How trials that look bad are stopped early; see `topk_tune.engine.pruners`.
    protocol
        "validation" measures on training rows that were held out; "paper" on the test rows while
        learning from them, as the paper picked its parameters.
    holdout
        Which training rows are held out: "tail:SHARE", "random:SHARE:SEED", or
        "folds:NUMBER:SEED" for another part with each seed.
    seeds
        How often each configuration is trained, each time with another seed.
    seed
        Determines the configurations that are tried, and the seeds that they are trained with.
    objective
        The name of the metric that decides what is best; see `topk_tune.training.metrics`.
    direction
        Whether less or more of it is better, as the metric says: kept, so that a study can be read
        where the package of its metric is not installed.
    exploration_cost
        How much more than the greedy loss what is shown may cost at most, where pairs that tie
        count as right in the greedy loss. That is the objective then, and counts them as wrong.
    runtime_objective
        Whether the time is a second objective.
    deterministic
        Whether the same seed gives the same trials on any number of workers.
    first
        Configurations to try before the search begins.
    extra
        What a later version has written beside these.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    dataset: str
    labels: str | None = None
    split: str | None = None
    fingerprint: str
    space: dict[str, Any]
    sampler: str = "tpe"
    pruner: str = "median"
    protocol: Protocol = "validation"
    holdout: Annotated[str, StringConstraints(min_length=1)] = DEFAULT_VALIDATION
    seeds: int = Field(default=1, ge=1, le=1000)
    seed: int = Field(default=0, ge=0, lt=2**31)
    objective: str = DEFAULT
    direction: Direction | None = None
    exploration_cost: float | None = Field(default=None, ge=0, lt=1)
    runtime_objective: bool = False
    deterministic: bool = False
    first: tuple[dict[str, Any], ...] = ()
    extra: dict[str, Any] = Field(default={}, exclude=True, repr=False)

    @property
    def measure(self) -> Literal["read-only", "paper"]:
        """How the rows that measure are used: protocol paper learns from them too."""
        return "paper" if self.protocol == "paper" else "read-only"

    @property
    def directions(self) -> list[Direction]:
        """Of the objective, and of the time if that is one too."""
        time: list[Direction] = ["minimize"] if self.runtime_objective else []
        return [self.goal.direction, *time]

    @property
    def goal(self) -> Objective:
        """What the study is after."""
        return Objective.of(self.objective, self.exploration_cost, self.direction)

    @model_validator(mode="before")
    @classmethod
    def _objective_in_full(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        bounded = given.get("exploration_cost") is not None
        objective = given.get("objective", _BOUNDED if bounded else DEFAULT)
        if given.get("direction") is None and isinstance(objective, str):
            given = {**given, "direction": Objective.of(objective).direction}
        return {**given, "objective": objective}

    @model_validator(mode="after")
    def _consistent(self) -> "StudySettings":
        check_name(self.name)
        if self.exploration_cost is not None and self.objective != _BOUNDED:
            raise ValueError(
                f"with exploration_cost the objective must be {_BOUNDED}, but got {self.objective}"
            )
        if self.deterministic and self.runtime_objective:
            raise ValueError("times differ from run to run: runtime cannot be deterministic")
        return self


def check_name(name: str) -> str:
    """The name, if a folder and a run may be called so."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            "a study's name must have 1 to 100 letters, digits, dots, dashes or underscores and "
            f"start with a letter or digit, but got {name!r}"
        )
    return name
