"""The options of `topk-tune` itself, which are also accepted after the name of a command."""

from copy import copy
from typing import Any

from topk_tune.commands.terminal import console

GENERAL = ("quiet", "verbose", "log_file", "debug")


def with_general_options(program: Any) -> Any:
    """Let every command of a program take the general options; they are hidden in its help."""
    _add(program, [_anywhere(each) for each in program.params if each.name in GENERAL])
    return program


def _add(group: Any, general: list[Any]) -> None:
    for command in getattr(group, "commands", {}).values():
        command.params = [*command.params, *general]
        _add(command, general)


def _anywhere(option: Any) -> Any:
    again = copy(option)
    again.hidden, again.expose_value, again.callback = True, False, _adjust
    return again


def _adjust(context: Any, option: Any, value: Any) -> None:
    if value:
        console.adjust(**{option.name: value})
