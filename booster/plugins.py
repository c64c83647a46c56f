"""Named things: what there is of each kind, and what other packages bring along.

A table is data. It has a line for each name: what it is, what it can do, and where it is found,
from where it is imported when it is first used. Everything that lists names (help, completion,
schemas, error messages, the reference) asks the table, so there is no second list.

Some tables are open. A package adds to them by an entry point of their group, as in

    [project.entry-points."topk_tune.algorithms"]
    popularity = "songrank.popularity:Popularity"

and every process of an environment that has the package knows the name: no registration, so that
workers on other machines find it as well. `MODULE:ATTRIBUTE` works in the place of a name too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

PATH = ":"
"""What a name has that is none, but says where to import something from."""


class MissingPackageError(ValueError):
    """A name is known, but what it stands for cannot be imported here."""


@dataclass(frozen=True)
class Plugin:
    """A line of a table.

    Parameters
    ----------
    name
        What it is called.
    target
        Where it is, as MODULE:ATTRIBUTE; or the thing itself, if it costs nothing to have it.
    help
        What it is, in a few words.
    traits
        What it can do, in words that its kind defines.
    install
        The command that installs what it needs, if that may be missing.
    package
        The distribution that brings it, or that it cannot do without; empty if it is ours alone.
    """

    name: str
    target: Any
    help: str = ""
    traits: frozenset[str] = frozenset()
    install: str = ""
    package: str = ""

    def load(self) -> Any:
        """What it stands for, imported if need be."""
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
        What they are, in the singular, for messages.
    plugins
        Our own.
    group
        The group of entry points by which other packages add to it; None if none may.
    paths
        Whether MODULE:ATTRIBUTE works in the place of a name; if left out, where others may add.
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
        """What other packages bring. Ours cannot be replaced, and the first of a name counts."""
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
        # Other packages are looked for only if it is none of ours: that takes a while.
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
        """The name, if there is such a thing; else a ValueError that lists what there is.

        It is a plain word, also for a member of an enumeration.
        """
        if name in self:
            return str(self[name].name)
        raise ValueError(unknown(self.kind, name, self))

    def listed(self, name: Any) -> str:
        """As `named`, but no import path: a file must not say what is to be imported."""
        if isinstance(name, str) and PATH not in name:
            return self.named(name)
        raise ValueError(unknown(self.kind, name, self))

    def load(self, name: str) -> Any:
        """What a name stands for, which is imported now if it was not before."""
        plugin = self[self.named(name)]
        try:
            return plugin.load()
        except Exception as error:  # another package may raise anything while it is imported
            raise MissingPackageError(
                f"{self.kind} {name!r} cannot be imported ({error}){_remedy(plugin)}"
            ) from error

    @property
    def described(self) -> str:
        """Our own and what they are, for the help of an option."""
        return ", ".join(f"{name} ({plugin.help})" for name, plugin in self.own.items())

    def name_of(self, thing: Any) -> str | None:
        """The name that something has here; None if it has none.

        Only what its own package brings is imported for the answer.
        """
        package = thing.__module__.partition(".")[0]
        for plugin in self._plugins():
            home = str(plugin.target).partition(PATH)[0].partition(".")[0]
            with suppress(ImportError, AttributeError):  # a broken one has no name to give
                if home == package and plugin.load() is thing:
                    return plugin.name
        return None

    def _plugins(self) -> Iterator[Plugin]:
        """Ours, and then those of other packages, which are looked for only then."""
        yield from self.own.values()
        yield from self.others.values()

    def with_trait(self, trait: str) -> list[str]:
        """The names of our own that can do something."""
        return [name for name, plugin in self.own.items() if trait in plugin.traits]


def unknown(kind: str, name: Any, options: Iterable[str], beside: str = "") -> str:
    """What to say of a name that nothing has; `beside` is what else may be given.

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
