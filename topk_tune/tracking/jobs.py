"""From the lines of a spool to as few requests as possible."""

from collections.abc import Sequence
from dataclasses import dataclass

from topk_tune.tracking.entries import Begun, Entry, Loop, Trial


@dataclass(frozen=True)
class Loops:
    """The loops of a trial that runs."""

    trial: int
    entries: list[Loop]


@dataclass(frozen=True)
class Progress:
    """The steps of the study's progress: what each finished trial has brought."""

    entries: list[Trial]


Job = Entry | Loops | Progress


def coalesced(entries: Sequence[Entry]) -> list[Job]:
    """The same news in fewer jobs.

    A trial that is finished makes its beginning and its loops superfluous; the loops of one that
    runs go together, and so do the steps of the study's progress.
    """
    finished = {entry.trial for entry in entries if isinstance(entry, Trial)}
    jobs: list[Job] = []
    loops: dict[int, Loops] = {}
    for entry in entries:
        if isinstance(entry, Begun | Loop) and entry.trial in finished:
            continue
        if not isinstance(entry, Loop):
            jobs.append(entry)
        elif entry.trial in loops:
            loops[entry.trial].entries.append(entry)
        else:
            loops[entry.trial] = Loops(entry.trial, [entry])
            jobs.append(loops[entry.trial])
    progress = [entry for entry in entries if isinstance(entry, Trial)]
    return [*jobs, Progress(progress)] if progress else jobs


def entries_of(job: Job) -> Sequence[Entry]:
    """The entries that a job sends."""
    return [job] if isinstance(job, Entry) else job.entries
