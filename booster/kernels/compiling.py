"""How kernels are compiled, and the one message about it.

There are two policies:

- `exact`: IEEE arithmetic as written. All learned state comes from these kernels, so the
  same seed gives the same bits as running the source without compilation.
- `approximate`: multiplications and additions may be fused. Used only for `screen`, whose results
  are bounds that an exact kernel checks.

Both divide like NumPy (no exception on zero), because the check stops LLVM from using
vector instructions. Both are inlined and avoid Numba's reference counting, which would take more
time than the learning. Kernels can therefore neither allocate arrays nor return slices.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from booster.numba_parts import UNCOUNTED, kernel, on_compiling

logger = logging.getLogger("booster")


def _compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda function: kernel(function, {"error_model": "numpy", **UNCOUNTED, **options})


exact = _compiled()
approximate = _compiled(fastmath={"contract"})


@cache
def _say(folder: str) -> None:
    """Tell the user, once per process, why the first call takes long."""
    logger.warning(
        "compiling the kernels for this machine: one to three minutes, once; kept in %s", folder
    )


on_compiling(__package__, _say)
