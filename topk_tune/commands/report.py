"""`topk-tune report`: a study on one page."""

from pathlib import Path

from topk_tune.commands.outputs import check_place
from topk_tune.commands.terminal import console
from topk_tune.report import KINDS as KINDS
from topk_tune.report import write_report
from topk_tune.storage import Location
from topk_tune.study.study import Study


def report(
    name: str,
    output: Path | None,
    kind: str,
    storage: str | None,
    baselines: bool,
    dataset: str | None,
) -> None:
    """Write the report of a study in one of `KINDS`."""
    check_place("--output", output)
    study = Study.open(Location.of(storage), name)
    if dataset is not None:
        study = study.moved(dataset)
    path = write_report(study, output, kind, baselines)
    console.say(f"written to {path}")
