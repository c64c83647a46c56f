"""Ends the processes that an environment has started on this machine."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import psutil

_GRACE = 10.0
"""Seconds that processes have to end."""
_TICK = 0.1


def end_all() -> None:
    """End every other process of this environment; prints those that remain, as JSON."""
    alive = running()
    for what in ("terminate", "kill"):
        for process in alive:
            _tell(process, what)
        alive = _outlasting(alive)
    print(json.dumps({"left": [_words(process) for process in alive]}))


def running() -> list[psutil.Process]:
    """The processes of this environment, without this one and its parents."""
    me = psutil.Process()
    around = {me.pid, *(parent.pid for parent in me.parents())}
    found = psutil.process_iter(["uids"])
    mine = [p for p in found if p.pid not in around and p.info["uids"] == me.uids()]
    return [process for process in mine if _is_ours(process)]


def _is_ours(process: psutil.Process) -> bool:
    """Ray's workers have other names than their commands, but the variables of their node."""
    try:
        if process.environ().get("VIRTUAL_ENV") == sys.prefix:
            return True
        program = process.cmdline()[0]
        is_path = os.sep in program
        return is_path and Path(process.cwd(), program).is_relative_to(sys.prefix)
    except (psutil.Error, IndexError):
        return False


def _tell(process: psutil.Process, what: str) -> None:
    try:
        getattr(process, what)()
    except psutil.NoSuchProcess:
        return


def _outlasting(processes: list[psutil.Process]) -> list[psutil.Process]:
    """The processes that still run after the time limit."""
    deadline = time.monotonic() + _GRACE
    while (alive := [p for p in processes if _runs(p)]) and time.monotonic() < deadline:
        time.sleep(_TICK)
    return alive


def _runs(process: psutil.Process) -> bool:
    """Whether it has not ended; where nobody buries orphans, what has ended stays as a zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _words(process: psutil.Process) -> str:
    told: Any = process.as_dict(["pid", "name"])
    return f"{told['name']} ({told['pid']})"
