"""The pictures of the progress view and of the page in docs/images, taken from a real study.

python -m benchmarks.pictures
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.events import LoopDone, Notice, TrialEnded, TrialPaused
from topk_tune.engine.stopping import StopOptions
from topk_tune.report import write_report
from topk_tune.spaces import Fixed
from topk_tune.storage import Location
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.study.study import Study
from topk_tune.terminal.live import StudyView

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browser import Browser

TERMINALS = {"progress": (80, 24), "progress-wide": (200, 50)}
"""The columns and lines of the terminals of the pictures of the progress view."""
TRIALS = 20
AFTER = 14
"""Trials that have ended or paused before the picture is taken."""
COMMAND = (
    f"topk-tune run --dataset yeast --algorithm topada --trials {TRIALS} --seeds 2 --name demo"
)

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"width": 1280, "height": 2000},
    "dark": {"width": 1280, "height": 2000, "dark": True},
    "phone": {"width": 390, "height": 2400},
    "phone-dark": {"width": 390, "height": 2400, "dark": True},
}
"""The screens of the pictures of the page; what is below them is left out."""


class Camera:
    """Watches a study and keeps the view of the moment that is wanted."""

    def __init__(self, view: StudyView) -> None:
        self._view = view
        self._ended = 0
        self.pictures: dict[str, str] = {}

    def observe(self, notice: Notice) -> None:
        """Take the picture in the middle of a trial, when enough are finished."""
        self._view.observe(notice)
        self._ended += isinstance(notice, TrialEnded | TrialPaused)
        amid = isinstance(notice, LoopDone) and notice.report.loop == 2
        if amid and self._ended >= AFTER and not self.pictures:
            self.pictures = {name: self._picture(*size) for name, size in TERMINALS.items()}

    def _picture(self, width: int, height: int) -> str:
        film = Console(
            record=True, width=width, height=height, file=io.StringIO(), force_terminal=True
        )
        film.print(f"$ {COMMAND}\n", highlight=False)
        film.print(self._view)
        drawn = film.export_svg(title=f"{width} x {height}")
        # Any monospaced font will do: the picture must load nothing from anywhere.
        return re.sub(r"@font-face \{[^}]*\}\s*", "", drawn)


def photograph(page: Path, folder: Path) -> None:
    """Write the pictures of a page."""
    browser = Browser(folder / "profile")
    for name, screen in SCREENS.items():
        browser.open(page, **screen)
        time.sleep(3)  # charts that take long are drawn when nothing has changed for a while
        taken = browser.call("Page.captureScreenshot", format="png")
        IMAGES.joinpath(f"report-{name}.png").write_bytes(base64.b64decode(taken["data"]))
    browser.close()


def main() -> None:
    """Run the study of the pictures and write the pictures."""
    search = SearchOptions(dataset="yeast", algorithm="topada", name="demo", seeds=2)
    plan = make_plan(search, StopOptions(trials=TRIALS), ResourceOptions("local", 2))
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(Location.of(folder), plan)
        searched = [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]
        camera = Camera(StudyView(Console(file=io.StringIO()), searched, quiet=True))
        study.run(plan.stop, plan.resources, [camera.observe], plan.data)
        photograph(write_report(study), Path(folder))
    for name, picture in camera.pictures.items():
        IMAGES.joinpath(f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
