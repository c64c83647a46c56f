"""Tables of named things, with our own entries and those of other packages.

A table is data. Each line has a name, a description, traits, and the place it is imported from on
first use. Everything that lists names (help, completion, schemas, error messages, the reference)
asks the table, so there is no second list.

Some tables are open. A package adds to them with an entry point in their group, for example

    [project.entry-points."topk_tune.algorithms"]
    popularity = "songrank.popularity:Popularity"

and every process of an environment with that package knows the name. There is no registration
call, so workers on other machines find it too. `MODULE:ATTRIBUTE` can be used instead of a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

PATH = ":"
"""The character that marks an import path and occurs in no name."""


class MissingPackageError(ValueError):
    """A name is known, but its target cannot be imported here."""


@dataclass(frozen=True)
class Plugin:
    """A line of a table.

    Parameters
    ----------
    name
        The name.
    target
        The import path, MODULE:ATTRIBUTE; or the object itself, if it is cheap to create.
    help
        A short description.
    traits
        What it can do; each kind defines its own traits.
    install
        The command that installs its dependencies, if they may be missing.
    package
        The distribution that provides or requires it; empty if it is part of this project.
    """

    name: str
    target: Any
    help: str = ""
    traits: frozenset[str] = frozenset()
    install: str = ""
    package: str = ""

    def load(self) -> Any:
        """Return the object, importing it if necessary."""
        if not isinstance(self.target, str):
            return self.target
        from importlib import import_module

        module, _, attribute = self.target.partition(PATH)
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        return found


class Table(Mapping[str, Plugin]):
    """The named things of a kind.

    Parameters
    ----------
    kind
        The singular noun for messages.
    plugins
        Our own entries.
    group
        The entry point group with which other packages add to it; None if it is closed.
    paths
        Whether MODULE:ATTRIBUTE is accepted instead of a name; by default, if it is open.
    """

    def __init__(
        self,
        kind: str,
        plugins: Iterable[Plugin],
        group: str | None = None,
        paths: bool | None = None,
    ) -> None:
        self.kind = kind
        self.group = group
        self.paths = group is not None if paths is None else paths
        self.own = {plugin.name: plugin for plugin in plugins}

    @cached_property
    def others(self) -> dict[str, Plugin]:
        """Entries of other packages. They cannot replace ours, and the first of a name wins."""
        if self.group is None:
            return {}
        from importlib.metadata import entry_points

        found: dict[str, Plugin] = {}
        for point in sorted(entry_points(group=self.group), key=lambda each: each.value):
            if point.name not in self.own:
                package = "" if point.dist is None else point.dist.name
                plugin = Plugin(point.name, point.value, f"from {package}", package=package)
                found.setdefault(point.name, plugin)
        return found

    def __getitem__(self, name: str) -> Plugin:
        # Searching other packages takes a while, so our own entries come first.
        if name in self.own:
            return self.own[name]
        if self.paths and PATH in name:
            return Plugin(name, name, f"imported from {name}")
        return self.others[name]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self[name])
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter([*self.own, *self.others])

    def __len__(self) -> int:
        return len(self.own) + len(self.others)

    def named(self, name: Any) -> str:
        """Return the name if it is known, otherwise raise a ValueError that lists the choices.

        A member of an enumeration becomes a plain string.
        """
        if name in self:
            return str(self[name].name)
        raise ValueError(unknown(self.kind, name, self))

    def listed(self, name: Any) -> str:
        """Like `named`, but refuse import paths: a file must not choose what is imported."""
        if isinstance(name, str) and PATH not in name:
            return self.named(name)
        raise ValueError(unknown(self.kind, name, self))

    def load(self, name: str) -> Any:
        """Return the object with this name, importing it if necessary."""
        plugin = self[self.named(name)]
        try:
            return plugin.load()
        except Exception as error:  # another package may raise anything on import
            raise MissingPackageError(
                f"{self.kind} {name!r} cannot be imported ({error}){_remedy(plugin)}"
            ) from error

    @property
    def described(self) -> str:
        """Our own names and their descriptions, for the help of an option."""
        return ", ".join(f"{name} ({plugin.help})" for name, plugin in self.own.items())

    def name_of(self, thing: Any) -> str | None:
        """Return the name of an object, or None if it is not in the table.

        Only entries of the object's own package are imported to find out.
        """
        package = thing.__module__.partition(".")[0]
        for plugin in self._plugins():
            home = str(plugin.target).partition(PATH)[0].partition(".")[0]
            with suppress(ImportError, AttributeError):  # a broken entry cannot match
                if home == package and plugin.load() is thing:
                    return plugin.name
        return None

    def _plugins(self) -> Iterator[Plugin]:
        """Yield our own entries first; other packages are searched only after them."""
        yield from self.own.values()
        yield from self.others.values()

    def with_trait(self, trait: str) -> list[str]:
        """Return our own names that have a trait."""
        return [name for name, plugin in self.own.items() if trait in plugin.traits]


def unknown(kind: str, name: Any, options: Iterable[str], beside: str = "") -> str:
    """Return the error message about an unknown name; `beside` says what else is accepted.

    >>> unknown("study", "dmeo", ["demo", "other"])
    "unknown study 'dmeo'; choose from demo, other. Did you mean 'demo'?"
    """
    names = list(options)
    if not names:
        return f"unknown {kind} {name!r}; there is none yet"
    nearest = get_close_matches(str(name).lower(), names, n=1)
    question = f". Did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {name!r}; choose from {', '.join(names)}{beside}{question}"


def _remedy(plugin: Plugin) -> str:
    if plugin.install:
        return f": run `{plugin.install}`"
    return f": install {plugin.package} again" if plugin.package else ""
