"""The picture of the progress view in docs/images, taken from a real study while it runs.

python -m benchmarks.pictures
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console

from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.events import LoopDone, Notice, TrialEnded
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import Fixed
from topk_tune.storage import Location
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.study.study import Study
from topk_tune.terminal.live import StudyView

WIDTH = 100
TRIALS = 20
AFTER = 12
"""Finished trials before the picture is taken: by then some were pruned."""
COMMAND = (
    f"topk-tune run --dataset yeast --algorithm topada --trials {TRIALS} --seeds 2 --name demo"
)

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


class Camera:
    """Watches a study and keeps the view of the moment that is wanted."""

    def __init__(self, view: StudyView) -> None:
        self._view = view
        self._film = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
        self._ended = 0
        self.picture = ""

    def observe(self, notice: Notice) -> None:
        """Take the picture in the middle of a trial, when enough are finished."""
        self._view.observe(notice)
        self._ended += isinstance(notice, TrialEnded)
        amid = isinstance(notice, LoopDone) and notice.report.loop == 2
        if amid and self._ended >= AFTER and not self.picture:
            self._film.print(f"$ {COMMAND}\n", highlight=False)
            self._film.print(self._view)
            drawn = self._film.export_svg(title="topk-tune")
            # Any monospaced font will do: the picture must load nothing from anywhere.
            self.picture = re.sub(r"@font-face \{[^}]*\}\s*", "", drawn)


def main() -> None:
    """Run the study of the picture and write the picture."""
    search = SearchOptions(dataset="yeast", algorithm="topada", name="demo", seeds=2)
    plan = make_plan(search, StopOptions(trials=TRIALS), ResourceOptions("local", 2))
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(Location.of(folder), plan)
        searched = [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]
        camera = Camera(StudyView(Console(file=io.StringIO()), searched, quiet=True))
        study.run(plan.stop, plan.resources, [camera.observe], plan.data)
    IMAGES.joinpath("progress.svg").write_text(camera.picture, encoding="utf-8")


if __name__ == "__main__":
    main()
