"""The entries of a journal: a ranking that was shown, and the feedback on it."""

from collections.abc import Sequence
from typing import Any

from booster.feedback import TopFeedback
from booster.logs import Offer
from topk_tune.data.rows import FeatureRows
from topk_tune.serving.features import packed, unpacked
from topk_tune.serving.lines import entry_of, line_of

OFFER, FEEDBACK = "offer", "feedback"


def offer_line(id_: str, row: FeatureRows, offer: Offer) -> bytes:
    """The line of a ranking that is shown."""
    seen = {"shown": offer.shown.tolist(), "pairs": offer.pairs.tolist()}
    return line_of({OFFER: id_, **packed(row), **seen})


def feedback_line(id_: str, bits: Sequence[int], time: float) -> bytes:
    """The line of feedback on a ranking."""
    return line_of({FEEDBACK: id_, "bits": list(bits), "time": time})


def learn(ranker: TopFeedback, line: bytes, bits: Sequence[int]) -> None:
    """Learn the feedback on the ranking of a line."""
    entry: dict[str, Any] = entry_of(line)
    ranker.learn(unpacked(entry, ranker.n_features), entry["shown"], bits, entry["pairs"])
