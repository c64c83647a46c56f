"""A search space: named parameters, in the order in which they are decided."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from booster.plugins import unknown
from topk_tune.spaces.conditions import assignments, controls, exists, order_problems
from topk_tune.spaces.errors import SpaceError, raise_any
from topk_tune.spaces.parameters import Fixed, Parameter
from topk_tune.spaces.storing import from_mapping, to_mapping
from topk_tune.spaces.values import Scalar, is_number
from topk_tune.spaces.widening import widening_problems

if TYPE_CHECKING:  # a space is read, checked and stored without Optuna
    from optuna.trial import BaseTrial

LARGEST_GRID = 100_000
"""The limit of configurations in a grid: more cannot be trained, and may not fit into memory."""


@dataclass(frozen=True)
class Space:
    """What a study searches over.

    Parameters
    ----------
    parameters
        The parameters by name; a condition may only name parameters that come earlier.
    source
        Where the space comes from, for errors.
    lines
        The line of each parameter there, if it is a file.

    Examples
    --------
    >>> from topk_tune.spaces import Choice, Fixed, Float, Int, Space
    >>> space = Space({
    ...     "algorithm": Choice(["topopt", "topada"]),
    ...     "loops": Fixed(20),
    ...     "n_learners": Int(10, 60, step=10),
    ...     "gamma": Float(0.1, 0.4, step=0.1, when={"algorithm": ["topopt"]}),
    ... })
    >>> space.size
    30
    >>> space.fixed(algorithm="topada").grid()[0]
    {'algorithm': 'topada', 'loops': 20, 'n_learners': 10}
    """

    parameters: Mapping[str, Parameter]
    source: str = field(default="search space", compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", dict(self.parameters))
        raise_any(f"{self.place(name)}: {name}: {p}" for name, p in order_problems(self.parameters))

    def place(self, name: str) -> str:
        """Where a parameter was written, as `file:line` if it was in a file."""
        return f"{self.source}:{self.lines[name]}" if name in self.lines else self.source

    def suggest(self, trial: "BaseTrial") -> dict[str, Any]:
        """Let an Optuna trial suggest a configuration, without parameters that do not exist."""
        config: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            if exists(parameter, config):
                config[name] = parameter.suggest(trial, name)
        return config

    def fixed(self, **values: Scalar) -> "Space":
        """The same space with these values fixed; conditions are kept."""
        replaced = dict(self.parameters)
        for name, value in values.items():
            replaced[name] = Fixed(value, when=self._known(name).when)
        return Space(replaced, self.source, self.lines)

    @property
    def size(self) -> int | None:
        """The number of configurations; None if there are infinitely many."""
        deciding = controls(self.parameters)
        total = 0
        for world in assignments(self.parameters, deciding):
            sizes = [
                parameter.size
                for name, parameter in self.parameters.items()
                if name not in deciding and exists(parameter, world)
            ]
            if None in sizes:
                return None
            total += math.prod(size for size in sizes if size is not None)
        return total

    def grid(self) -> list[dict[str, Any]]:
        """Every configuration once; the last parameter changes fastest."""
        raise_any(
            f"{self.place(name)}: {name}: needs a step for a grid, but got {p.rule()}"
            for name, p in self.parameters.items()
            if p.size is None and self._can_exist(p)
        )
        size = self.size or 0
        if size > LARGEST_GRID:
            raise SpaceError(
                f"{self.source}: a grid must have at most {LARGEST_GRID:,} configurations, "
                f"but got {size:,}"
            )
        possible = [name for name, p in self.parameters.items() if self._can_exist(p)]
        return assignments(self.parameters, possible)

    def largest(self, name: str) -> float:
        """The largest value that a numeric parameter can have."""
        parameter = self._known(name)
        if not all(is_number(value) for value in parameter.extremes):
            raise SpaceError(
                f"{self.place(name)}: {name}: must be numeric to have a largest value, "
                f"but got {parameter.rule()}"
            )
        largest: float = max(parameter.extremes)
        return largest

    def contains(self, config: Mapping[str, Any]) -> None:
        """Raise a SpaceError if a configuration breaks rules."""
        raise_any(self._misfits(config))

    def allows(self, config: Mapping[str, Any]) -> bool:
        """Whether a configuration breaks no rule."""
        return next(self._misfits(config), None) is None

    def widens(self, older: "Space") -> None:
        """Raise a SpaceError if a study of an older space cannot go on with this one.

        Ranges may change, and parameters may be added, removed or fixed. Types, the options of a
        choice and the scale of a range must stay, because Optuna's storages cannot change them.
        """
        raise_any(widening_problems(self, older))

    def check(self, n_features: int, n_labels: int) -> None:
        """Raise a SpaceError unless every configuration is legal for data of this shape."""
        self._raise(self.problems({"n_features": n_features, "n_labels": n_labels}))

    def check_without_data(self) -> None:
        """Raise a SpaceError if a configuration is legal for no data."""
        self._raise(self.problems())

    def problems(self, shape: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """The problems of its configurations with data of a shape, or with any data.

        Boosters are created to check their own rules, which are written nowhere else.
        """
        from topk_tune.spaces.checking import booster_problems

        return booster_problems(self, shape)

    def to_dict(self) -> dict[str, Any]:
        """The space as a value for JSON, with parameters as a list because their order matters."""
        parameters = self.parameters.items()
        return {"parameters": [{"name": name, **to_mapping(p)} for name, p in parameters]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], source: str = "stored space") -> "Space":
        """The space that `to_dict` wrote."""
        parameters: dict[str, Parameter] = {}
        try:
            for entry in content["parameters"]:
                rest = dict(entry)
                name = rest.pop("name")
                parameters[name] = from_mapping(rest)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(f"{source}: must be a result of to_dict: {error}") from error
        return cls(parameters, source)

    def _raise(self, problems: Iterable[tuple[str, str]]) -> None:
        """Raise one error with all problems by line, if there are any."""
        listed = sorted(problems, key=lambda each: self.lines.get(each[0], 0))
        raise_any(f"{self.place(name)}: {name}: {problem}" for name, problem in listed)

    def _known(self, name: str) -> Parameter:
        if name not in self.parameters:
            raise SpaceError(self._unknown(name))
        return self.parameters[name]

    def _can_exist(self, parameter: Parameter) -> bool:
        worlds = assignments(self.parameters, controls(self.parameters))
        return any(exists(parameter, world) for world in worlds)

    def _misfits(self, config: Mapping[str, Any]) -> Iterator[str]:
        for name, parameter in self.parameters.items():
            place = f"{self.place(name)}: {name}"
            if not exists(parameter, config):
                if name in config:
                    conditions = dict(parameter.when or {})
                    yield f"{place}: exists only for {conditions}, but got {dict(config)}"
            elif name not in config:
                yield f"{place}: is missing; must be {parameter.rule()}"
            elif not parameter.allows(config[name]):
                yield f"{place}: must be {parameter.rule()}, but got {config[name]!r}"
        yield from (self._unknown(name) for name in config if name not in self.parameters)

    def _unknown(self, name: str) -> str:
        return f"{self.source}: {unknown('parameter', name, self.parameters)}"
