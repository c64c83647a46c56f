"""The location of the kernels' machine code, and whether all kernels are compiled.

Numba is not imported here, so that a program whose workers train can ask without loading it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

_MARK = "complete"
_CPU = Path("/proc/cpuinfo")
_KIND = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """Return the folder of the machine code, one per version of the kernel sources and of Numba.

    Numba checks only the file of the function it is about to load, not the files of the
    functions that it calls, so it would use stale code after a change in another kernel. A folder
    named after a hash of all sources cannot be stale.
    """
    digest = hashlib.sha256(version("numba").encode())
    for source in sorted(Path(__file__).with_name("kernels").glob("*.py")):
        digest.update(source.read_bytes())
    return user_cache_path("topk-tune") / "kernels" / digest.hexdigest()[:16]


def is_complete() -> bool:
    """Whether all kernels are known to be compiled by this Python for this processor."""
    return not _has_settings() and _mark().exists() and any(map(_is_code, cache_folder().iterdir()))


def mark_complete() -> None:
    """Record that all kernels are compiled."""
    if not _has_settings():
        with suppress(OSError):  # a folder that cannot be written to keeps no mark
            _mark().touch()


def _mark() -> Path:
    machine = "\n".join([platform.machine(), platform.processor(), *_kind_of_cpu()])
    name = hashlib.sha256(machine.encode()).hexdigest()[:16]
    return cache_folder() / f"{_MARK}-{sys.implementation.cache_tag}-{name}"


def _is_code(path: Path) -> bool:
    """Whether a file of the folder is code rather than a mark: code may have been deleted."""
    return not path.name.startswith(_MARK)


def _kind_of_cpu() -> list[str]:
    """Return the lines of Linux's processor description that matter to compilers."""
    try:
        lines = _CPU.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return sorted({line for line in lines if line.startswith(_KIND)})


def _has_settings() -> bool:
    """Whether the user's Numba settings change how or where code is kept; marks ignore these."""
    return any(name.startswith("NUMBA_") for name in os.environ)
