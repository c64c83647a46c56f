"""Reads the log of Ray's first autoscaler to find machines that it has given up.

An on-premise machine whose setup failed goes back to "uninitialized", as if its setup were about to
start. But Ray does not try it again as long as the head runs, and records the failure nowhere else.
"""

import re

from topk_tune.backends.ray_parts import log_folder

_GIVEN_UP = re.compile(rb"and ip (\S+)\. \(launch failed\)")
_MOST = 16 * 2**20
"""Bytes to read from the end of the log, which grows by some 10 MB a day."""


def given_up() -> set[str]:
    """Return the addresses of these machines; empty if this machine is not the head."""
    log = log_folder() / "monitor.log"
    if not log.exists():
        return set()
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _MOST))
        return {found.decode() for found in _GIVEN_UP.findall(file.read())}
