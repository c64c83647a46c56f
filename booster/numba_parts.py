"""The private parts of Numba in use: the location of machine code, and compilation events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numba

from booster.machine_code import cache_folder
from booster.private_parts import Library

NUMBA = Library("numba", "0.68", "0.69")

_settings = NUMBA.part("numba.core.config").get()
_events = NUMBA.part("numba.core.event").get()
_Listener: Any = NUMBA.part("numba.core.event:Listener").get()
_Locator: Any = NUMBA.part("numba.core.caching:UserProvidedCacheLocator").get()
NUMBA.part("numba.core.config:CACHE_DIR").get()
NUMBA.part("numba.core.config:CACHE_LOCATOR_CLASSES").get()
NUMBA.part("numba.core.caching:UserProvidedCacheLocator.get_suitable_cache_subpath").get()

UNCOUNTED = {"forceinline": True, "_nrt": False}
"""Options of kernels that are inlined and do without Numba's reference counting."""

# If the folder cannot be written to, Numba chooses another one itself.
_LOCATORS = f"{__name__}.SharedLocator,InTreeCacheLocator,UserWideCacheLocator"


class SharedLocator(_Locator):  # type: ignore[misc]
    """Lets copies of the same sources share their machine code, wherever they are installed.

    Numba names a folder after the path of the sources, so a second environment would recompile.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the folder of a file, below the folder of all machine code."""
        return cache_folder().name


def kernel(function: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a compiled function whose machine code is cached."""
    # Numba reads the settings once, when it decorates. Set them for our kernels only; the user's
    # own NUMBA_CACHE_DIR takes precedence.
    chosen = _settings.CACHE_DIR, _settings.CACHE_LOCATOR_CLASSES
    _settings.CACHE_DIR = _settings.CACHE_DIR or str(cache_folder().parent)
    _settings.CACHE_LOCATOR_CLASSES = _LOCATORS
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, **options)(function)
        return compiled
    finally:
        _settings.CACHE_DIR, _settings.CACHE_LOCATOR_CLASSES = chosen


def on_compiling(package: str, tell: Callable[[str], None]) -> None:
    """Call `tell` with the folder of the machine code when functions of a package are compiled."""

    class Listener(_Listener):  # type: ignore[misc]
        def on_start(self, started: Any) -> None:
            if started.data["dispatcher"].py_func.__module__.startswith(package):
                tell(str(_settings.CACHE_DIR or cache_folder()))

        def on_end(self, ended: Any) -> None:
            pass

    _events.register("numba:compile", Listener())
