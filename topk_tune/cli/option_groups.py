"""Groups of options as parameters of commands.

A command takes a group as one parameter, `resources: ResourceOptions`, and its command line has
the group's options. `Annotated[..., Without("name")]` leaves some out; with
`Annotated[Changes, StopOptions]` they have no defaults, and the command gets those that were given.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer

from topk_tune.cli.completion import completion
from topk_tune.plugins.options import Option, options_of

Command = TypeVar("Command", bound=Callable[..., None])

Changes = dict[str, Any]
"""The options of a group that were given, by name."""


@dataclass(frozen=True)
class Without:
    """Leaves options out of a group."""

    names: frozenset[str]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", frozenset(names))


def with_groups(command: Command) -> Command:
    """The command with the options of its groups in their place."""
    signature = inspect.signature(command, eval_str=True)
    groups = {name: _Group.of(each.annotation) for name, each in signature.parameters.items()}
    parameters = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for name, each in signature.parameters.items()
        for parameter in (groups[name] or [each])
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        made = {name: group.packed(given) for name, group in groups.items() if group}
        rest = {name: value for name, value in given.items() if name in signature.parameters}
        command(**rest, **made)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run  # type: ignore[return-value]


@dataclass(frozen=True)
class _Group:
    """A group as a command takes it."""

    group: Any
    names: tuple[str, ...]
    changes: bool

    @classmethod
    def of(cls, annotation: Any) -> "_Group | None":
        """The group that a parameter stands for, if it does."""
        kind, *marks = get_args(annotation) if get_origin(annotation) is Annotated else [annotation]
        group = next((each for each in (kind, *marks) if _is_group(each)), None)
        if group is None:
            return None
        left_out = {name for mark in marks if isinstance(mark, Without) for name in mark.names}
        names = tuple(name for name in options_of(group) if name not in left_out)
        return cls(group, names, changes=kind is Changes)

    def __iter__(self) -> Iterator[inspect.Parameter]:
        """A parameter for each option."""
        known = {each.name: each for each in fields(self.group)}
        for name in self.names:
            one, field = options_of(self.group)[name], known[name]
            # What has another form on the command line has no default there.
            default = None if self.changes or one.type else field.default
            kind: Any = one.type or field.type
            shown = _typer_option(name, one, is_flag=kind is bool)
            optional = kind | None if default is None else kind
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[optional, shown],
            )

    def packed(self, given: dict[str, Any]) -> Any:
        """The group with the values of a command line; what was left out takes its default."""
        found = {}
        for name in self.names:
            one, value = options_of(self.group)[name], given[name]
            if value is not None:
                found[name] = one.parse(_flag(name, one), value) if one.parse else value
        return found if self.changes else self.group(**found)


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and kind is not Without


def _typer_option(name: str, one: Option, *, is_flag: bool) -> Any:
    # Without a name of its own, a flag would get one for its opposite too.
    words = [_flag(name, one)] if is_flag or one.flag else []
    complete = None if one.names is None else completion(one.names, paths=one.paths)
    return typer.Option(*words, help=one.help, autocompletion=complete)


def _flag(name: str, one: Option) -> str:
    return one.flag or f"--{name.replace('_', '-')}"
