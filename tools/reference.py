"""Writes docs/reference.md from the code: `python tools/reference.py > docs/reference.md`."""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

import booster
from booster.plugins import Table
from topk_tune.cli.app import app
from topk_tune.cluster import head_folder
from topk_tune.markup import markdown
from topk_tune.plugins.kinds import KINDS
from topk_tune.records.settings import StudySettings
from topk_tune.serving import access
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.schema import schema
from topk_tune.storage import location
from topk_tune.tracking import config as tracking

ROOT = Path(__file__).resolve().parents[1]

HEAD = """\
# Reference

Written by `python tools/reference.py > docs/reference.md` from the code; a test fails if it is
out of date. [Concepts](concepts.md) explains the terms.
"""

NAMED = """\
Names for options, spaces and files, without those of other packages:
`topk-tune plugins` lists those too. How to add one is in [extending.md](extending.md).
"""

EXIT_CODES = {
    0: "done",
    1: "something else failed, such as a disk, a network or a cluster; or a check failed",
    2: "wrong usage: nothing was changed",
    130: "interrupted by Ctrl-C, SIGTERM or SIGHUP: finished trials are stored",
}

VARIABLES = {
    location.ENVIRONMENT: "where studies are kept, if `--storage` is left out",
    head_folder.ENVIRONMENT: "folder on the head of a cluster with the studies of all jobs "
    f"(default: `{head_folder.HOME}`)",
    access.VARIABLE: "token that requests to `serve` must have, if `--token-file` is left out",
    "RAY_ADDRESS": "Ray cluster to run on, if `--address` is left out",
    "RAY_API_SERVER_ADDRESS": "job server of `submit` and `job`, if `--address` is left out",
    "NUMBA_CACHE_DIR": "where compiled kernels are kept (default: the user's cache folder)",
    "XDG_CACHE_HOME": "the user's cache folder on Linux: data sets and compiled kernels",
    "PIP_*": "where the archive of data sets is looked for, as pip would: [data.md](data.md)",
    "MLFLOW_*": "win over `mlflow.yaml`, see [above](#mlflowyaml)",
}


def main() -> Iterator[str]:
    """The page, piece by piece."""
    yield HEAD
    yield "## Commands\n"
    yield "Options of `topk-tune` itself come before the name of the command or after it.\n"
    yield from commands("topk-tune", typer.main.get_command(app))
    yield "## Exit codes\n"
    yield table(("code", "meaning"), EXIT_CODES.items())
    yield "## The settings of a study\n"
    yield "They are fixed when a study is created. `topk_tune.tune` has the same arguments.\n"
    yield table(("setting", "default", "meaning"), model_rows(StudySettings))
    yield "## Named things\n"
    yield NAMED
    for kind, where in KINDS.items():
        yield f"### {kind.capitalize()}\n"
        yield plugins_text(KINDS.load(kind), where.help)
        yield table(("name", "meaning"), plugin_rows(KINDS.load(kind)))
    yield "## Search spaces\n"
    yield "How to write one is in [spaces.md](spaces.md). `when` may be added to every kind.\n"
    yield table(("kind", "keys", "may have"), kind_rows())
    yield "## Parameters of the boosters\n"
    yield "A space may search over all but those marked as given.\n"
    yield table(("parameter", "default", "of", "meaning"), booster_rows())
    yield "## mlflow.yaml\n"
    yield "More about it is in [tracking.md](tracking.md).\n"
    yield table(("key", "default", "variable that wins", "meaning"), tracking_rows())
    yield "## Environment variables\n"
    yield table(("variable", "meaning"), ((f"`{k}`", text) for k, text in VARIABLES.items()))


def table(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table in Markdown, of cells that may have code in them."""
    cells = ([str(cell).replace("|", "\\|") for cell in row] for row in rows)
    return f"{markdown.table(head, cells)}\n"


def commands(name: str, command: Any) -> Iterator[str]:
    """A command and those below it."""
    yield f"### {name}\n"
    yield help_text(command.help)
    listed = [each for each in command.params if not getattr(each, "hidden", False)]
    if listed:
        yield table(("option", "default", "meaning"), map(option_row, listed))
    for below, each in getattr(command, "commands", {}).items():
        yield from commands(f"{name} {below}", each)


def help_text(text: str | None) -> str:
    """The help of a command, its example as code."""
    plain = re.sub(r"^Example: (.*)$", r"Example: `\1`", inspect.cleandoc(text or ""), flags=re.M)
    return options_as_code(plain) + "\n"


def options_as_code(text: str) -> str:
    """A text with the options that it names as code; what is code already stays."""
    return re.sub(r"(`[^`]*`)|(--[a-z][a-z-]*)", lambda m: m[1] or f"`{m[2]}`", text)


def option_row(parameter: Any) -> tuple[str, str, str]:
    """An option or an argument, its default and what it means."""
    if parameter.param_type_name == "argument":
        name = parameter.name.upper() if parameter.required else f"[{parameter.name.upper()}]"
    else:
        name = ", ".join([*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    meaning = options_as_code(parameter.help or "")
    return f"`{name}`", "" if callable(default) else shown(default), meaning


def shown(value: Any) -> str:
    """A default as it is written; nothing if there is none, or if off is what it means."""
    if value is None or value is False or value in ((), {}, []):
        return ""
    return f"`{str(value).lower() if value is True else value}`"


def model_rows(model: type[BaseModel]) -> Iterator[tuple[str, str, str]]:
    """The fields of a checked model."""
    texts = described(model)
    for name, field in model.model_fields.items():
        if field.exclude:  # kept by the program for itself
            continue
        required = field.default is PydanticUndefined
        text = texts.get(name, "")
        if get_origin(field.annotation) is Literal:
            text += f" One of {', '.join(f'`{each}`' for each in get_args(field.annotation))}."
        yield f"`{name}`", "must be given" if required else shown(field.default), text


def plugins_text(kind: Table, text: str) -> str:
    """What a table holds, and how others add to it."""
    opened = f"; extended by entry points of the group `{kind.group}`" if kind.group else ""
    paths = "; `MODULE:ATTRIBUTE` works instead of a name" if kind.paths else ""
    return f"{text[0].upper()}{text[1:]}{opened}{paths}.\n"


def plugin_rows(kind: Table) -> Iterator[tuple[str, str]]:
    """Our own entries of a table."""
    for plugin in kind.own.values():
        needs = f"; needs `{plugin.install}`" if plugin.install else ""
        yield f"`{plugin.name}`", f"{plugin.help}{needs}"


def kind_rows() -> Iterator[tuple[str, str, str]]:
    """The kinds of a parameter in a space, from the schema."""
    _, *kinds = schema()["$defs"]["parameter"]["oneOf"]
    for kind in kinds:
        needed = [name for name in kind["required"] if name != "type"]
        further = [name for name in kind["properties"] if name not in ("type", "when", *needed)]
        yield f"`{kind['properties']['type']['const']}`", code(needed), code(further)


def code(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(f"`{name}`" for name in names)


def booster_rows() -> Iterator[tuple[str, str, str, str]]:
    """The parameters of all algorithms; one row for those that take it in the same sense."""
    takers: dict[tuple[str, str, str], list[str]] = {}
    for algorithm in booster.ALGORITHMS.own:
        made = booster.ALGORITHMS.load(algorithm)
        texts = described(made)
        for field in fields(made):
            default = shown(field.default) if field.name in searchable(made) else "given"
            row = (f"`{field.name}`", default, texts.get(field.name, ""))
            takers.setdefault(row, []).append(algorithm)
    for (name, default, text), users in takers.items():
        every = len(users) == len(booster.ALGORITHMS.own)
        yield name, default, "all" if every else code(users), text


def described(documented: type) -> dict[str, str]:
    """What the docstrings of a class and of its bases say of each parameter."""
    found: dict[str, str] = {}
    for each in reversed(documented.__mro__):
        text = inspect.cleandoc(each.__dict__.get("__doc__") or "")
        _, _, section = text.partition("Parameters\n----------\n")
        section = re.split(r"^\w+\n-+$", section, flags=re.M)[0]
        for names, lines in re.findall(r"^(\S.*)\n((?:    .*\n?)+)", section, flags=re.M):
            found |= dict.fromkeys(names.split(", "), " ".join(lines.split()))
    return found


def tracking_rows() -> Iterator[tuple[str, str, str, str]]:
    """The keys of mlflow.yaml, explained by the comments of the one in the project's folder."""
    variables = {keys: variable for variable, keys in tracking._OVERRULED.items()}
    comments = yaml_comments((ROOT / tracking.FILE).read_text(encoding="utf-8"))
    for keys, default in leaves(tracking.TrackingConfig):
        variable = f"`{variables[keys]}`" if keys in variables else ""
        yield f"`{'.'.join(keys)}`", shown(default), variable, comments.get(keys, "")


def leaves(
    model: type[BaseModel], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The keys of a model that hold plain values, with their defaults."""
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            yield from leaves(type(field.default), (*above, name))
        else:
            yield (*above, name), field.default


def yaml_comments(text: str) -> dict[tuple[str, ...], str]:
    """The comments behind the keys of a YAML file of at most two levels."""
    found, section = {}, ""
    for indent, key, comment in re.findall(r"^( *)(\w+):[^#\n]*(?:# (.*))?$", text, flags=re.M):
        if not indent:
            section = key
        found[(section, key) if indent else (key,)] = comment
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(main()))
