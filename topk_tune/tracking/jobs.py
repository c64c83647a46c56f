"""Merges the entries of a spool into as few requests as possible."""

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
    """The same information in fewer jobs.

    A finished trial replaces its start and its loops. The loops of a running trial are merged, and
    so are the entries about the study's progress.
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


def in_turns(jobs: Sequence[Job]) -> list[list[list[Job]]]:
    """Jobs that can be sent at the same time: a turn has a list of jobs for each of its runs.

    Trials are independent of each other. Everything else is a turn of its own.
    """
    turns: list[list[list[Job]]] = []
    trials: dict[int, list[Job]] = {}
    for job in jobs:
        if not isinstance(job, Begun | Loops | Trial):
            trials = {}
            turns.append([[job]])
            continue
        if not trials:
            turns.append([])
        if job.trial not in trials:
            trials[job.trial] = []
            turns[-1].append(trials[job.trial])
        trials[job.trial].append(job)
    return turns


def entries_of(job: Job) -> Sequence[Entry]:
    """The entries that a job sends."""
    return [job] if isinstance(job, Entry) else job.entries
