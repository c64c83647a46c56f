"""`topk-tune data check` of a log: how much of it can be used, and what limits its use."""

from collections.abc import Iterator
from dataclasses import asdict

from topk_tune.commands import listing
from topk_tune.commands.terminal import console
from topk_tune.data.logs.file import LogFile
from topk_tune.data.logs.summary import LogSummary, summarise_log


def check(path: str, kind: str) -> None:
    """Read a log and show what was found."""
    log = LogFile.open(path)
    found = summarise_log(log)

    console.say(f"{path} is a log that can be read.")

    def table() -> None:
        lines = dict(_lines(log, found))
        width = max(map(len, lines))
        for what, text in lines.items():
            console.wrapped(f"{what:{width}}  {text}", indent=width + 2)
        for finding in found.findings():
            console.wrapped(f"note: {finding}", indent=6)

    programs = {"features": log.header.n_features, "labels": log.header.n_labels, **asdict(found)}
    listing.show(kind, [{**programs, "deterministic": found.deterministic}], table)


def _lines(log: LogFile, found: LogSummary) -> Iterator[tuple[str, str]]:
    same = found.fewest == found.most
    shown = f"{found.most}" if same else f"{found.fewest} to {found.most}"
    yield "rows", f"{found.rows:,}, each shows {shown} of {log.header.n_labels:,} labels"
    yield "features", f"{log.header.n_features:,}"
    yield "pairs seen", f"{found.pairs:,}; {found.told:,} of a relevant and an irrelevant label"
    yield "effective rows", f"{found.effective_rows:,.0f}, as many of equal weight tell as much"
    yield "least probability", f"{found.least:.3g}; {found.below_clip:,} pairs below the clip"
    never = "not recorded" if found.never is None else f"{found.never:,} never shown"
    yield "label pairs", f"{found.label_pairs:,}; {never}"
    yield "weight of pairs", f"{100 * found.support:.3g}% of that of a policy that can show all"
