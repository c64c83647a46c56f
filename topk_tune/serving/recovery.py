"""Reads what a served model had learned when its process ended, in whatever way."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import booster
from booster.feedback import TopFeedback
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.journal import FORMAT
from topk_tune.serving.lines import mend, read_lines
from topk_tune.serving.open_rankings import OpenRankings
from topk_tune.serving.rounds import FEEDBACK, OFFER, learn


class Recovered(NamedTuple):
    """A model as it was."""

    ranker: TopFeedback
    rankings: OpenRankings
    replayed: int


def recover(files: ModelFiles, most_open: int) -> Recovered:
    """Load the last booster that was saved, and let it learn what the journals have since."""
    journals = files.journals()
    mend(files.journal(journals[-1]))  # only the last could be written to
    saved = [rounds for rounds in files.boosters() if rounds in journals]
    if not saved:
        raise ValueError(f"{files.folder} must have a booster for one of its journals, but has not")
    ranker = booster.load(files.booster(saved[-1]))
    assert isinstance(ranker, TopFeedback)  # as `check_servable` saw to it
    # Which were dropped is decided at the end: feedback may have been under way for any.
    rankings = OpenRankings(sys.maxsize, sys.maxsize)
    for rounds in journals[journals.index(saved[-1]) :]:
        _replay(files.journal(rounds), ranker, rankings)
    rankings.limit(most_open)
    return Recovered(ranker, rankings, ranker.rounds - saved[-1])


def _replay(path: Path, ranker: TopFeedback, rankings: OpenRankings) -> None:
    """Learn what a journal has."""
    for number, line, entry in read_lines(path):
        try:
            _take_up(entry, line, ranker, rankings, first=number == 1)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path}:{number}: a journal must go on from where the booster is, but this line "
                f"does not: {error}"
            ) from error


def _take_up(
    entry: dict[str, Any], line: bytes, ranker: TopFeedback, rankings: OpenRankings, *, first: bool
) -> None:
    if first:
        if (entry["journal"], entry["rounds"]) != (FORMAT, ranker.rounds):
            raise ValueError(
                f"it is of format {entry['journal']} after {entry['rounds']} rounds, but should be "
                f"of format {FORMAT} after {ranker.rounds}"
            )
        rankings.restart(entry["used"])
    elif OFFER in entry:
        rankings.add(entry[OFFER], line)
    else:
        id_ = entry[FEEDBACK]
        if (shown := rankings.take(id_)) is None:
            raise ValueError(f"it is feedback on {id_!r}, which was not shown")
        learn(ranker, shown, entry["bits"])
        rankings.use(id_, ranker.rounds)
