"""Where the machine code of the kernels is kept, and whether it is all there.

Without Numba, so that a program whose workers train need not import it for the answer.
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
    """The folder of the machine code: one for each version of the kernels' sources, and of Numba.

    Numba looks only at the file of the function it is about to load, not at the files of the
    functions called from it, and so would go on using stale code after a change in another
    kernel. A folder named after all sources cannot be stale.
    """
    digest = hashlib.sha256(version("numba").encode())
    for source in sorted(Path(__file__).with_name("kernels").glob("*.py")):
        digest.update(source.read_bytes())
    return user_cache_path("topk-tune") / "kernels" / digest.hexdigest()[:16]


def is_complete() -> bool:
    """Whether all kernels were compiled by this Python for this processor, as far as is known."""
    return not _has_settings() and _mark().exists() and any(map(_is_code, cache_folder().iterdir()))


def mark_complete() -> None:
    """Remember that they were."""
    if not _has_settings():
        with suppress(OSError):  # nothing is kept then
            _mark().touch()


def _mark() -> Path:
    machine = "\n".join([platform.machine(), platform.processor(), *_kind_of_cpu()])
    name = hashlib.sha256(machine.encode()).hexdigest()[:16]
    return cache_folder() / f"{_MARK}-{sys.implementation.cache_tag}-{name}"


def _is_code(path: Path) -> bool:
    """Whether a file of the folder is no mark: code may have been cleared away since."""
    return not path.name.startswith(_MARK)


def _kind_of_cpu() -> list[str]:
    """What Linux says of the processor that compilers look at."""
    try:
        lines = _CPU.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return sorted({line for line in lines if line.startswith(_KIND)})


def _has_settings() -> bool:
    """Whether the user has Numba keep or make its code in another way, of which no mark tells."""
    return any(name.startswith("NUMBA_") for name in os.environ)
