"""Merges the entries of a spool into as few requests as possible."""

from collections.abc import Sequence
from typing import Any

from topk_tune.tracking.spool import Entry


def coalesced(entries: Sequence[Entry]) -> list[Entry]:
    """The same information in fewer entries.

    A finished trial replaces its start and its loops. The loops of a running trial are merged, and
    so are the entries about the study's progress.
    """
    finished = {entry["trial"] for entry in entries if entry["kind"] == "trial"}
    jobs: list[Entry] = []
    loops: dict[int, list[Entry]] = {}
    progress: list[dict[str, Any]] = []
    for entry in entries:
        kind, trial = entry["kind"], entry.get("trial")
        if kind in ("begin", "loop") and trial in finished:
            continue
        if kind == "loop":
            if trial not in loops:
                loops[entry["trial"]] = []
                jobs.append({"kind": "loops", "trial": trial, "loops": loops[entry["trial"]]})
            loops[entry["trial"]].append(entry)
            continue
        if kind == "trial":
            progress.append({name: entry[name] for name in ("done", "best", "time")})
        jobs.append(entry)
    if progress:
        jobs.append({"kind": "progress", "steps": progress})
    return jobs
