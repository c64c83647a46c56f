"""What an environment has started on this machine, and the end of it."""

import json
import sys
from typing import Any

import psutil

_GRACE = 10.0
"""Seconds in which what is told to end must have ended."""


def end_all() -> None:
    """End every process of this environment but this one; prints those that stay, as JSON."""
    found = running()
    for process in found:
        _tell(process, "terminate")
    _, alive = psutil.wait_procs(found, _GRACE)
    for process in alive:
        _tell(process, "kill")
    _, alive = psutil.wait_procs(alive, _GRACE)
    print(json.dumps({"ended": len(found) - len(alive), "left": [_words(p) for p in alive]}))


def running() -> list[psutil.Process]:
    """The processes of this environment, without this one and those that it was started by."""
    me = psutil.Process()
    around = {me.pid, *(parent.pid for parent in me.parents())}
    found = psutil.process_iter(["uids"])
    mine = [p for p in found if p.pid not in around and p.info["uids"] == me.uids()]
    return [process for process in mine if _is_ours(process)]


def _is_ours(process: psutil.Process) -> bool:
    """Ray's workers have other names than their commands, but the variables of their node."""
    try:
        words = process.cmdline()
        return any(word.startswith(sys.prefix) for word in words) or (
            process.environ().get("VIRTUAL_ENV") == sys.prefix
        )
    except psutil.Error:
        return False


def _tell(process: psutil.Process, what: str) -> None:
    try:
        getattr(process, what)()
    except psutil.NoSuchProcess:
        return


def _words(process: psutil.Process) -> str:
    told: Any = process.as_dict(["pid", "name"])
    return f"{told['name']} ({told['pid']})"
