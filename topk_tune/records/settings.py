"""The settings of a study: fixed when it is created, stored with it, and read to resume it.

How samplers, pruners and metrics fit together is checked only when a study is created or run
(`topk_tune.engine.rules`), so that a study can be read where one of them is not installed.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from topk_tune.data.split import DEFAULT_VALIDATION
from topk_tune.training.metrics import Direction
from topk_tune.training.objective import DEFAULT, Objective

Protocol = Literal["validation", "paper"]

BATCH = 8
"""The batch size of a deterministic study, for any number of workers."""

_BOUNDED = "greedy_loss"
"""The objective with a bounded exploration cost; the shown loss would count the cost twice."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class StudySettings(BaseModel):
    """The settings of a study.

    Parameters
    ----------
    name
        Its name: letters, digits, dot, dash and underscore, at most 100.
    dataset, labels, split
        The data set, as `topk_tune.data.load` takes it; files by their absolute path.
    k
        The number of labels at the top of a ranking that get feedback; None if it is searched, or
        if all labels get feedback.
    fingerprint
        The fingerprint of the data set, so that a study never continues with other data.
    space
        The search space, as `Space.to_dict` writes it.
    sampler
        How configurations are chosen; see `topk_tune.engine.samplers`.
    pruner
        How unpromising trials are stopped early; see `topk_tune.engine.pruners`.
    protocol
        "validation" measures on held-out training rows; "paper" on the test rows while learning
        from them, which is how the paper picked its parameters.
    holdout
        Which training rows are held out: "tail:SHARE", "random:SHARE:SEED", or
        "folds:NUMBER:SEED" for a different part with each seed.
    seeds
        How often each configuration is trained, each time with a different seed.
    seed
        Determines the configurations to try and the seeds to train them with.
    objective
        The name of the metric to optimise; see `topk_tune.training.metrics`.
    direction
        Whether lower or higher is better, copied from the metric so that a study can be read
        where the metric's package is not installed.
    exploration_cost
        The largest allowed difference between the shown loss and the greedy loss, where ties
        count as right in the greedy loss. With it the objective is the greedy loss, in which ties
        count as wrong.
    runtime_objective
        Whether training time is a second objective.
    deterministic
        Whether the same seed gives the same trials for any number of workers.
    first
        Configurations to try first.
    origins
        The data sets and studies on which the last of these did well, if they were chosen by that.
    extra
        Unknown fields, written by a later version.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    dataset: str
    labels: str | None = None
    split: str | None = None
    k: int | None = Field(default=None, ge=2)
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
    origins: tuple[str, ...] = ()
    extra: dict[str, Any] = Field(default={}, exclude=True, repr=False)

    @property
    def data_name(self) -> str:
        """The data set in tables and titles: its name, or the last part of its path."""
        return self.dataset.rstrip("/").rpartition("/")[2] or self.dataset

    @property
    def measure(self) -> Literal["read-only", "paper"]:
        """How the measuring rows are used: with protocol paper they are learned from too."""
        return "paper" if self.protocol == "paper" else "read-only"

    @property
    def asked_for(self) -> dict[str, Any]:
        """The settings without what was chosen by earlier results, which may change with them."""
        asked = self.model_copy(update={"first": self.first[: len(self.first) - len(self.origins)]})
        return asked.model_dump(mode="json", exclude={"origins"})

    @property
    def directions(self) -> list[Direction]:
        """The directions of the objective and, if it is a second one, of the time."""
        time: list[Direction] = ["minimize"] if self.runtime_objective else []
        return [self.goal.direction, *time]

    @property
    def goal(self) -> Objective:
        """The objective of the study."""
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
            raise ValueError("runtime cannot be an objective of a deterministic study: times vary")
        return self


def checked_settings(values: Mapping[str, Any]) -> StudySettings:
    """Return the settings with these values, or raise a ValueError with every broken rule."""
    try:
        return StudySettings.model_validate(dict(values))
    except ValidationError as error:
        raise ValueError("; ".join(map(_sentence, error.errors()))) from None


def _sentence(problem: Any) -> str:
    """Return an error of pydantic as a rule and the value; rules of ours state it themselves."""
    if problem["type"] == "value_error":
        return str(problem["msg"].removeprefix("Value error, "))
    place, rule = ".".join(map(str, problem["loc"])), problem["msg"].removeprefix("Input ")
    return f"{place} {rule}, but got {problem['input']!r}"


def check_name(name: str) -> str:
    """Return the name, or raise a ValueError if a folder and a run cannot have it."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            "a study's name must have 1 to 100 letters, digits, dots, dashes or underscores and "
            f"start with a letter or digit, but got {name!r}"
        )
    return name
