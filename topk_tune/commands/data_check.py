"""`topk-tune data check`: a file of the user, read and summarised on one screen."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.commands import listing, log_check
from topk_tune.commands.data import figures
from topk_tune.commands.terminal import console
from topk_tune.data import Dataset
from topk_tune.data.catalog import own_files, refuse_options
from topk_tune.data.logs.file import is_log
from topk_tune.data.quality import FEW, Quality, examine
from topk_tune.training.baselines import baselines
from topk_tune.training.trial import test_rows

_LABELS, _EXAMPLES = 6, 3
"""The most names of labels, and of what is peculiar."""
_LONGEST = 24
"""Characters of a name in a summary."""


def check(path: str, labels: str | None, split: str | None, kind: str, everything: bool) -> None:
    """Read a file or folder of the user, or a log, and show what was found."""
    if is_log(path):
        refuse_options(path, labels=labels, split=split)
        log_check.check(path, kind)
        return
    data = own_files(path, labels, split)
    found, quality = figures(data), examine(data)
    (frequency,) = baselines(test_rows(data))

    console.say(f"{path} can be used.")

    def table() -> None:
        lines = dict(_lines(data, found, quality, frequency.loss))
        width = max(map(len, lines))
        for what, text in lines.items():
            console.wrapped(f"{what:{width}}  {text}", indent=width + 2)
        if everything:
            _show_all(data, quality)
        given = {"--dataset": path, "--labels": labels, "--split": split}
        words = [word for pair in given.items() if pair[1] for word in pair]
        console.say(f"next: {shlex.join(['topk-tune', 'run', *map(str, words)])}")

    listing.show(kind, [{**found, **_more(quality, frequency.loss)}], table)


def _lines(
    data: Dataset, found: dict[str, Any], quality: Quality, loss: float
) -> Iterator[tuple[str, str]]:
    yield "rows", f"{found['train']:,} training, {found['test']:,} test"
    nonzero = f"{100 * found['density']:.3g}% of the values are not zero"
    yield "features", f"{found['dim']:,}, {found['form']}; {nonzero}"
    yield "constant features", _counted(quality.constant, data.feature_names, _EXAMPLES)
    yield "labels", _counted(range(data.n_labels), data.label_names, _LABELS)
    yield (
        "labels of a row",
        f"{found['min']} to {found['max']}, mean {found['mean']:.2f}; "
        f"{found['no label']:,} rows have none, {found['every label']:,} have all",
    )
    yield f"in under {FEW} rows", _counted(quality.rare, data.label_names, _EXAMPLES)
    yield "in no training row", _counted(quality.never, data.label_names, _EXAMPLES)
    yield "duplicates", _duplicates(quality)
    yield "baseline", f"weighted rank loss {loss:.4f} on the test rows, by label frequency"
    yield "observer", found["observer"]
    yield "fingerprint", found["fingerprint"][:12]


def _duplicates(quality: Quality) -> str:
    if not quality.repeated + quality.in_both:
        return "none"
    return (
        f"{quality.repeated:,} training rows have the features of another, "
        f"{quality.contradicting:,} of them other labels; {quality.in_both:,} test rows have "
        "those of a training row"
    )


def _counted(found: Sequence[int] | NDArray[np.intp], names: Sequence[str], most: int) -> str:
    """How many there are, with the names of some."""
    if not len(found):
        return "none"
    shown = ", ".join(_cut(names[i]) for i in found[:most])
    more = f" and {len(found) - most:,} more (--all)" if len(found) > most else ""
    return f"{len(found):,}: {shown}{more}"


def _cut(name: str) -> str:
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[: half - 1]}..{name[1 - half :]}"


def _show_all(data: Dataset, quality: Quality) -> None:
    counts = zip(data.label_names, quality.in_training, quality.in_test, strict=True)
    rows = [(name, f"{train:,}", f"{test:,}") for name, train, test in counts]
    console.table(("label", "training rows", "test rows"), rows)
    if len(quality.constant):
        names = ", ".join(data.feature_names[i] for i in quality.constant)
        console.say(f"constant features: {names}")


def _more(quality: Quality, loss: float) -> dict[str, Any]:
    return {
        "rare": len(quality.rare),
        "constant features": len(quality.constant),
        "repeated": quality.repeated,
        "contradicting": quality.contradicting,
        "test rows in training": quality.in_both,
        "label frequency": loss,
    }
