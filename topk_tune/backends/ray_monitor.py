"""What only the log of Ray's first autoscaler tells: machines that it has given up.

A machine of one's own whose setup failed goes back to "uninitialized", as if it was about to be set
up. But Ray does not try it again as long as the head runs, and keeps no record of the failure.
"""

import re

from topk_tune.backends.ray_parts import log_folder

_GIVEN_UP = re.compile(rb"and ip (\S+)\. \(launch failed\)")
_MOST = 16 * 2**20
"""Bytes of the log that are read, from its end; it grows by some 10 MB a day."""


def given_up() -> set[str]:
    """The addresses of the machines; none if this machine is not the head, which has the log."""
    log = log_folder() / "monitor.log"
    if not log.exists():
        return set()
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _MOST))
        return {found.decode() for found in _GIVEN_UP.findall(file.read())}
