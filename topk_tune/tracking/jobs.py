"""From the lines of a spool to as few requests as possible."""

from collections.abc import Sequence
from typing import Any

from topk_tune.tracking.spool import Entry


def coalesced(entries: Sequence[Entry]) -> list[Entry]:
    """The same news in fewer entries.

    A trial that is finished makes its beginning and its loops superfluous; the loops of one that
    runs go together, and so do the steps of the study's progress.
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
