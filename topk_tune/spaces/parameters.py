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
    """The base class of the four kinds.

    Parameters
    ----------
    when
        The values of other parameters for which this one exists; None if it always exists.
    """

    kind: ClassVar[str]

    when: When | None = field(default=None, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", frozen_conditions(self.when))

    @abstractmethod
    def suggest(self, trial: "BaseTrial", name: str) -> Any:
        """Let an Optuna trial suggest a value."""

    @abstractmethod
    def allows(self, value: object) -> bool:
        """Whether this is one of its values."""

    @abstractmethod
    def rule(self) -> str:
        """A description of its values, such as "one of 1, 2"."""

    @property
    @abstractmethod
    def extremes(self) -> tuple[Any, ...]:
        """Values to check: if these are legal for a booster, all values are."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """The number of values; None if there are infinitely many."""

    @abstractmethod
    def values(self) -> Sequence[Any]:
        """All values in order, if `size` is not None."""


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
            require(is_whole(value), f"{name} must be a whole number", value)
        check_range(self.low, self.high, None if self.step == 1 else self.step, self.log)

    def suggest(self, trial: "BaseTrial", name: str) -> int:
        """Let an Optuna trial suggest a whole number."""
        return trial.suggest_int(name, self.low, self.high, step=self.step, log=self.log)

    def allows(self, value: object) -> bool:
        """Whether it is a whole number of the range."""
        return is_whole(value) and value in self.values()

    def rule(self) -> str:
        """The range as a text."""
        steps = "" if self.step == 1 else f" in steps of {self.step}"
        return f"a whole number from {self.low} to {self.high}{steps}"

    @property
    def extremes(self) -> tuple[int, ...]:
        """The ends."""
        return (self.low, self.high)

    @property
    def size(self) -> int:
        """The number of values."""
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
                require(is_number(value), f"{name} must be a finite number", value)
                object.__setattr__(self, name, float(value))
        check_range(self.low, self.high, self.step, self.log)

    def suggest(self, trial: "BaseTrial", name: str) -> float:
        """Let an Optuna trial suggest a number; with steps, it is the exact decimal."""
        value = trial.suggest_float(name, self.low, self.high, step=self.step, log=self.log)
        return float(value if self.step is None else nearest_step(value, self.low, self.step))

    def allows(self, value: Any) -> bool:
        """Whether it is a number of the range; rounding errors of float steps are accepted."""
        if not is_number(value) or not self.low <= value <= self.high:
            return False
        steps = 0.0 if self.step is None else (value - self.low) / self.step
        return bool(abs(steps - round(steps)) < 1e-8)

    def rule(self) -> str:
        """The range as a text."""
        steps = "" if self.step is None else f" in steps of {self.step}"
        return f"a number from {self.low} to {self.high}{steps}"

    @property
    def extremes(self) -> tuple[float, ...]:
        """The ends."""
        return (self.low, self.high)

    @property
    def size(self) -> int | None:
        """The number of values, if the range has steps or is a single point."""
        if self.step is None:
            return 1 if self.low == self.high else None
        return n_steps(self.low, self.high, self.step) + 1

    def values(self) -> Sequence[float]:
        """The numbers of the range, as exact decimals.

        >>> Float(0.05, 0.08, step=0.01).values()
        [0.05, 0.06, 0.07, 0.08]
        """
        step = self.step or 0.0
        return [nth_step(self.low, step, i) for i in range(self.size or 0)]


@dataclass(frozen=True)
class Choice(Parameter):
    """One of several values, without order.

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
        """The options as a text."""
        return "one of " + ", ".join(map(repr, self.options))

    @property
    def extremes(self) -> tuple[Scalar, ...]:
        """All options: without an order, none stands for the others."""
        return tuple(self.options)

    @property
    def size(self) -> int:
        """The number of options."""
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
        """The value; Optuna is not asked."""
        return self.value

    def allows(self, value: object) -> bool:
        """Whether it is the value."""
        return same(value, self.value)

    def rule(self) -> str:
        """The value as a text."""
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
"""The kinds by their `type` in files."""
