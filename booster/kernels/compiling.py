"""How kernels are compiled, where the machine code is kept, and the one message about it.

Two policies, nothing else:

- `exact`: IEEE arithmetic as written. All learned state comes from these kernels, so the
  same seed gives the same bits as a plain reading of the source.
- `approximate`: multiplications and additions may fuse. Only for `screen`, whose results
  are bounds that an exact kernel checks.

Both divide like NumPy (no exception on zero), because the check stops LLVM from using
vector instructions. Both are inlined and do without Numba's reference counting, which would
take more time than the learning: kernels cannot allocate arrays, nor return slices.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event
from numba.core.caching import UserProvidedCacheLocator

from booster.machine_code import cache_folder

logger = logging.getLogger("booster")

# Numba makes both at import, where a type checker cannot see them.
_settings: Any = numba.config
_events: Any = event

# Where the folder cannot be written to, Numba's own choices.
_LOCATORS = f"{__name__}.SharedLocator,InTreeCacheLocator,UserWideCacheLocator"

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
}


class SharedLocator(UserProvidedCacheLocator):
    """Has copies of the same sources, wherever they lie, share their machine code.

    Numba names a folder after the path of the sources: a second environment would compile again.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder of a file below that of all machine code."""
        return cache_folder().name


def _compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        # Numba reads the settings once, when it decorates: set them for ours only, and let the
        # user's own NUMBA_CACHE_DIR win.
        chosen = _settings.CACHE_DIR, _settings.CACHE_LOCATOR_CLASSES
        _settings.CACHE_DIR = _settings.CACHE_DIR or str(cache_folder().parent)
        _settings.CACHE_LOCATOR_CLASSES = _LOCATORS
        try:
            kernel: Callable[..., Any] = numba.njit(**_OPTIONS, **options)(function)
            return kernel
        finally:
            _settings.CACHE_DIR, _settings.CACHE_LOCATOR_CLASSES = chosen

    return decorate


exact = _compiled()
approximate = _compiled(fastmath={"contract"})


class _SayOnce(event.Listener):
    """Tells the user, once a process, why the first call takes long."""

    said = False

    def on_start(self, started: event.Event) -> None:
        kernel = started.data["dispatcher"].py_func.__module__
        if not self.said and kernel.startswith(__package__):
            type(self).said = True
            logger.warning(
                "compiling the kernels for this machine: about a minute, once; kept in %s",
                _settings.CACHE_DIR or cache_folder(),
            )

    def on_end(self, ended: event.Event) -> None:
        pass


_events.register("numba:compile", _SayOnce())
