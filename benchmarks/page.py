"""The page of a large study in a real browser: how soon it is drawn, and how fast a brush is.

Headless Chromium without a GPU, so a screen of one's own is faster. The trials are made up; their
parameters, loops and seeds are as many as a real study has.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import write
from topk_tune.markup.markdown import table
from topk_tune.provenance.facts import processor
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.report.content import Content
from topk_tune.report.html import page, page_script
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.training.trial import LoopReport

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browser import Browser
from report_cases import made_settings

SIZES = (500, 5000)
LOOPS = 20
STEPS = 40
OPENINGS = 5

SPACE = Space(
    {
        "algorithm": Choice(["topada", "topopt"]),
        "loops": Fixed(LOOPS),
        "n_learners": Int(5, 150),
        "rho": Float(0.01, 0.3, log=True),
        "exploration": Choice(["uniform", "single-swap"]),
        "n_covariates": Int(5, 50),
        "gamma": Float(0.05, 0.4),
        "weight_cap": Choice([None, 1, 100]),
        "grace_period": Int(10, 400),
    }
)

# A drag along the first axis in steps; each takes until the frame after the one that it changes.
BRUSH = """
(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const plot = document.querySelector("#parallel .plot");
  const canvas = plot.querySelector("canvas");
  const axis = document.querySelector("[data-axis='parameter n_learners']").getBoundingClientRect();
  const {top, height} = plot.getBoundingClientRect();
  const x = axis.left + axis.width / 2;
  const send = (kind, share) => canvas.dispatchEvent(new PointerEvent(kind, {
    clientX: x, clientY: top + share * height, pointerType: "mouse", pointerId: 1, bubbles: true}));
  canvas.setPointerCapture = () => {};
  send("pointerdown", 0.1);
  const times = [];
  for (let step = 1; step <= STEPS; step += 1) {
    await frame();
    const start = performance.now();
    send("pointermove", 0.1 + 0.8 * step / STEPS);
    await frame();
    await new Promise((done) => setTimeout(done, 0));
    times.push(performance.now() - start);
  }
  send("pointerup", 0.9);
  return times;
})()
"""

# The chart to brush is in the middle, and all in sight are drawn.
REST = """
(async () => {
  document.querySelector("#parallel .plot").scrollIntoView({block: "center"});
  await new Promise((done) => setTimeout(done, 3000));
})()
"""

FIRST = """
new Promise((done) => {
  const look = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const drawn = [...document.querySelectorAll("canvas[role=img]")]
      .filter((each) => each.getBoundingClientRect().top < innerHeight)
      .every((each) => each.width === each.clientWidth);
    if (paint && drawn) done([paint.startTime, performance.now()]);
    else requestAnimationFrame(look);
  };
  look();
})
"""


def trial(number: int) -> TrialRecord:
    """A complete trial with values and losses of its own."""
    draw = np.random.default_rng(number)
    params: dict[str, Any] = {
        "algorithm": ["topada", "topopt"][int(draw.integers(2))],
        "n_learners": int(draw.integers(5, 151)),
        "rho": float(np.exp(draw.uniform(np.log(0.01), np.log(0.3)))),
        "exploration": ["uniform", "single-swap"][int(draw.integers(2))],
        "n_covariates": int(draw.integers(5, 51)),
        "gamma": float(draw.uniform(0.05, 0.4)),
        "weight_cap": [None, 1, 100][int(draw.integers(3))],
        "grace_period": int(draw.integers(10, 401)),
    }
    level = 0.15 + 0.1 * abs(np.log(params["rho"] / 0.08)) / 3 + float(draw.exponential(0.03))
    losses = [level * (1 + 0.8 / loop) for loop in range(1, LOOPS + 1)]
    reports = tuple(
        LoopReport(loop, {"shown_loss": loss, "greedy_loss": loss * 0.9}, loop * 0.3)
        for loop, loss in enumerate(losses, start=1)
    )
    return TrialRecord(
        number, "complete", {**params, "loops": LOOPS}, (SeedRun(0, reports),), params
    )


def asked(browser: Browser, promise: str) -> Any:
    """What a promise of the page comes to."""
    answer = browser.call(
        "Runtime.evaluate", expression=promise, returnByValue=True, awaitPromise=True
    )
    return answer["result"].get("value")


def busy(browser: Browser) -> float:
    """The milliseconds of CPU time that the thread of the page has taken."""
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return 1000 * float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def measure(browser: Browser, folder: Path, count: int) -> list[str]:
    """A row of the table."""
    settings = made_settings().model_copy(update={"space": SPACE.to_dict()})
    content = Content(settings, [trial(number) for number in range(count)])
    start = time.process_time()
    text = page(content)
    made = time.process_time() - start
    path = folder / f"{count}.html"
    path.write_text(text, encoding="utf-8")
    first, drawn, opened = [], [], []
    for _ in range(OPENINGS):
        browser.open("about:blank", 1280)
        before = busy(browser)
        browser.open(path, 1280)
        paint, charts = asked(browser, FIRST)
        opened.append(busy(browser) - before)
        first.append(paint)
        drawn.append(charts)
    asked(browser, REST)
    before = busy(browser)
    steps = sorted(asked(browser, BRUSH.replace("STEPS", str(STEPS))))
    cpu = (busy(browser) - before) / STEPS
    return [
        f"{count:,}",
        f"{len(text.encode()) / 1e6:.1f}",
        f"{made:.1f}",
        f"{statistics.median(first):.0f}",
        f"{statistics.median(drawn):.0f}",
        f"{statistics.median(opened):.0f}",
        f"{statistics.median(steps):.0f}",
        f"{cpu:.0f}",
    ]


def main() -> None:
    """Measure, and write docs/results/page.md."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder) / "profile")
        browser.call("Performance.enable", timeDomain="threadTicks")
        rows = [measure(browser, Path(folder), count) for count in SIZES]
        version = browser.call("Browser.getVersion")["product"]
        browser.close()
    heads = [
        "trials",
        "file, MB",
        "writing, CPU s",
        "first paint, ms",
        "charts in sight drawn, ms",
        "the same, CPU ms",
        "a step of a brush, ms",
        "the same, CPU ms",
    ]
    text = (
        f"Complete trials of {LOOPS} loops over 8 searched parameters, opened {OPENINGS} times "
        f"(medians), then brushed along an axis in {STEPS} steps. A step is from the move of the "
        "pointer until the filter, the labels and the charts in sight are drawn, without what the "
        "page puts off: while the button is held, about 600 lines of the parallel coordinates "
        "are drawn, and learning curves wait; the table is out of sight and waits too. The browser "
        "draws without a GPU on a machine that does other work, so times vary from run to run by a "
        "factor of two and more; CPU times, of the page's thread only, vary less. The scripts of "
        "the page have "
        f"{len(page_script()) / 1000:.0f} kB, not compressed."
    )
    made = f"Made by `python -m benchmarks.page`; {version}; {processor()}."
    parts = ["# The page of a large study", text, table(heads, rows, range(len(heads))), made]
    write("page.md", "\n\n".join(parts))


if __name__ == "__main__":
    main()
