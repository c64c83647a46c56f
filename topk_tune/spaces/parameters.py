"""The four kinds of parameters of a search space, checked when they are made."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from topk_tune.spaces.values import (
    Scalar,
    check_range,
    frozen_conditions,
    frozen_values,
    is_number,
    is_whole,
    n_steps,
    nearest_step,
    nth_step,
    require,
    same,
    scalar,
)

if TYPE_CHECKING:  # a space is read, checked and stored without Optuna
    from optuna.trial import BaseTrial

When = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True)
class Parameter(ABC):
    """What the kinds share.

    Parameters
    ----------
    when
        Maps other parameters to the values for which this one exists; None: it always does.
    """

    kind: ClassVar[str]

    when: When | None = field(default=None, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", frozen_conditions(self.when))

    @abstractmethod
    def suggest(self, trial: "BaseTrial", name: str) -> Any:
        """The value that an Optuna trial is to have."""

    @abstractmethod
    def allows(self, value: object) -> bool:
        """Whether it can have this value."""

    @abstractmethod
    def rule(self) -> str:
        """What its values satisfy, in words."""

    @property
    @abstractmethod
    def extremes(self) -> tuple[Any, ...]:
        """Values that obey every rule for one parameter only if all its values do."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """How many values it has; None if they cannot be counted."""

    @abstractmethod
    def values(self) -> Sequence[Any]:
        """All values, in order; for a size that is not None."""


@dataclass(frozen=True)
class Int(Parameter):
    """A whole number from `low` to `high`, both included, in steps or on a logarithmic scale.

    >>> list(Int(10, 40, step=10).values())
    [10, 20, 30, 40]
    """

    kind: ClassVar[str] = "int"

    low: int
    high: int
    step: int = 1
    log: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("low", self.low), ("high", self.high), ("step", self.step)):
            require(is_whole(value), f"{name} whole", value)
        check_range(self.low, self.high, None if self.step == 1 else self.step, self.log)

    def suggest(self, trial: "BaseTrial", name: str) -> int:
        """A whole number of the range."""
        return trial.suggest_int(name, self.low, self.high, step=self.step, log=self.log)

    def allows(self, value: object) -> bool:
        """Whether it is a whole number of the range."""
        return is_whole(value) and value in self.values()

    def rule(self) -> str:
        """The range in words."""
        steps = "" if self.step == 1 else f" in steps of {self.step}"
        return f"a whole number from {self.low} to {self.high}{steps}"

    @property
    def extremes(self) -> tuple[int, ...]:
        """The ends."""
        return (self.low, self.high)

    @property
    def size(self) -> int:
        """How many whole numbers the range has."""
        return (self.high - self.low) // self.step + 1

    def values(self) -> Sequence[int]:
        """The numbers of the range."""
        return range(self.low, self.high + 1, self.step)


@dataclass(frozen=True)
class Float(Parameter):
    """A number from `low` to `high`, both included, in steps or on a logarithmic scale.

    >>> Float(0.02, 0.06, step=0.02).size
    3
    """

    kind: ClassVar[str] = "float"

    low: float
    high: float
    step: float | None = None
    log: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high", "step"):
            value = getattr(self, name)
            if name != "step" or value is not None:
                require(is_number(value), f"{name} a finite number", value)
                object.__setattr__(self, name, float(value))
        check_range(self.low, self.high, self.step, self.log)

    def suggest(self, trial: "BaseTrial", name: str) -> float:
        """A number of the range; of a range with steps the decimal, not what floats add up to."""
        value = trial.suggest_float(name, self.low, self.high, step=self.step, log=self.log)
        return float(value if self.step is None else nearest_step(value, self.low, self.step))

    def allows(self, value: Any) -> bool:
        """Whether it is a number of the range; steps are added with the errors of floats."""
        if not is_number(value) or not self.low <= value <= self.high:
            return False
        steps = 0.0 if self.step is None else (value - self.low) / self.step
        return bool(abs(steps - round(steps)) < 1e-8)

    def rule(self) -> str:
        """The range in words."""
        steps = "" if self.step is None else f" in steps of {self.step}"
        return f"a number from {self.low} to {self.high}{steps}"

    @property
    def extremes(self) -> tuple[float, ...]:
        """The ends."""
        return (self.low, self.high)

    @property
    def size(self) -> int | None:
        """How many numbers the range has, if it goes in steps or is a single point."""
        if self.step is None:
            return 1 if self.low == self.high else None
        return n_steps(self.low, self.high, self.step) + 1

    def values(self) -> Sequence[float]:
        """The numbers of the range, as the decimals that one would write.

        >>> Float(0.05, 0.08, step=0.01).values()
        [0.05, 0.06, 0.07, 0.08]
        """
        step = self.step or 0.0
        return [nth_step(self.low, step, i) for i in range(self.size or 0)]


@dataclass(frozen=True)
class Choice(Parameter):
    """One of some values, without order.

    >>> Choice([None, 1, 10]).rule()
    'one of None, 1, 10'
    """

    kind: ClassVar[str] = "choice"

    options: Sequence[Scalar]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "options", frozen_values("options", self.options))

    def suggest(self, trial: "BaseTrial", name: str) -> Scalar:
        """One of the options."""
        return trial.suggest_categorical(name, self.options)

    def allows(self, value: object) -> bool:
        """Whether it is one of the options."""
        return any(same(value, option) for option in self.options)

    def rule(self) -> str:
        """The options in words."""
        return "one of " + ", ".join(map(repr, self.options))

    @property
    def extremes(self) -> tuple[Scalar, ...]:
        """The options: no order says which of them obey a rule if others do."""
        return tuple(self.options)

    @property
    def size(self) -> int:
        """How many options there are."""
        return len(self.options)

    def values(self) -> Sequence[Scalar]:
        """The options."""
        return self.options


@dataclass(frozen=True)
class Fixed(Parameter):
    """A value that is not searched over.

    >>> Fixed(3).rule()
    'exactly 3'
    """

    kind: ClassVar[str] = "fixed"

    value: Scalar

    def __post_init__(self) -> None:
        super().__post_init__()
        scalar("value", self.value)

    def suggest(self, trial: "BaseTrial", name: str) -> Scalar:
        """The value; Optuna need not know of it."""
        return self.value

    def allows(self, value: object) -> bool:
        """Whether it is the value."""
        return same(value, self.value)

    def rule(self) -> str:
        """The value in words."""
        return f"exactly {self.value!r}"

    @property
    def extremes(self) -> tuple[Scalar, ...]:
        """The value."""
        return (self.value,)

    @property
    def size(self) -> int:
        """One."""
        return 1

    def values(self) -> Sequence[Scalar]:
        """The value."""
        return (self.value,)


KINDS: dict[str, type[Parameter]] = {kind.kind: kind for kind in (Int, Float, Choice, Fixed)}
"""The kinds by the name that files use as their type."""
