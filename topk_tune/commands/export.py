"""`topk-tune export`: the results of studies as text."""

from collections.abc import Sequence
from pathlib import Path

from topk_tune.commands.outputs import check_file
from topk_tune.commands.terminal import console
from topk_tune.export.config import FORMATS as FORMATS
from topk_tune.export.config import exported_together
from topk_tune.storage import Location
from topk_tune.study.study import Study


def export(names: Sequence[str], kind: str, output: Path | None, storage: str | None) -> None:
    """Write the export of studies in one of `FORMATS` to a file, or to the terminal."""
    check_file("--output", output)
    text = exported_together([Study.open(Location.of(storage), name) for name in names], kind)
    if output is None:
        console.put(text)
    else:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
        console.say(f"written to {output}")
