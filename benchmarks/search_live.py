"""How soon a good configuration is there: ours, plain Optuna and Ray Tune, start-up included.

Run with `python -m benchmarks.search_live [--dataset D] [--seeds N]` on an idle machine. Every
system searches the same space with the same trial on two workers, one system after another, seed
by seed. The clock starts with the command. What counts is the best loss on held-out rows that a
user could read: of Optuna and Ray Tune after every loop, of ours once a trial has ended or paused.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from benchmarks import report
from benchmarks.live_trial import ALGORITHM, WORKERS
from topk_tune.markup.markdown import table
from topk_tune.storage import Location, Store
from topk_tune.storage.store import exists

KEPT = Path("build") / "search_live"
MARKS = (10, 15, 30, 60)
EVERY = 0.5
"""Seconds between two looks at a storage."""

LIKE = ("emotions", "scene", "yeast", "mediamill", "m_reduced")

Curve = list[tuple[float, float]]
"""When, in seconds after the command, and the best loss from then on."""
Look = Callable[[], float | None]


def watched(commands: list[list[str]], folder: Path, seconds: float, look: Look) -> Curve:
    """Start processes and look at what they have found, until the time is over."""
    began = time.monotonic()
    running = [
        subprocess.Popen(each, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for each in commands
    ]
    curve: Curve = []
    while (now := time.monotonic() - began) < seconds and any(p.poll() is None for p in running):
        found = look()
        if found is not None and (not curve or found < curve[-1][1]):
            curve.append((now, found))
        time.sleep(EVERY)
    for process in running:
        process.terminate()
    for process in running:
        process.wait()
    return curve


def ours(dataset: str, seed: int, seconds: float, folder: Path) -> Curve:
    """The command, which starts with what did well on the other data sets."""
    like = [word for name in LIKE if name != dataset for word in ("--like", name)]
    command = [str(Path(sys.executable).with_name("topk-tune")), "run", "--dataset", dataset]
    command += ["--algorithm", ALGORITHM, "--seed", str(seed), "--workers", str(WORKERS)]
    command += ["--timeout", str(seconds), "--storage", str(folder), "--name", "live", *like]
    location, opened = Location.of(str(folder)), list[Store]()

    def look() -> float | None:
        if not opened and exists(location, "live"):
            opened.append(Store.open(location, "live"))
        values = [r.value for r in opened[0].records()] if opened else []
        return min((value for value in values if value is not None), default=None)

    return watched([command], folder, seconds, look)


def plain_optuna(dataset: str, seed: int, seconds: float, folder: Path) -> Curve:
    """Two processes on a journal, with Optuna's defaults."""
    journal = folder / "journal.log"
    command = [sys.executable, "-m", "benchmarks.live_optuna", dataset, str(seed)]
    commands = [[*command, str(seconds), str(journal), str(worker)] for worker in range(WORKERS)]

    def look() -> float | None:
        try:
            storage = JournalStorage(JournalFileBackend(str(journal)))
            trials = optuna.load_study(study_name="live", storage=storage).trials
        except (KeyError, OSError):
            return None
        return min((v for t in trials for v in t.intermediate_values.values()), default=None)

    return watched(commands, Path.cwd(), seconds, look)


def ray_tune(dataset: str, seed: int, seconds: float, folder: Path) -> Curve:
    """OptunaSearch and ASHA, without MLflow."""
    command = [sys.executable, "-m", "benchmarks.live_ray_tune", dataset, str(seed)]
    reports = folder / "reports.txt"

    def look() -> float | None:
        lines = reports.read_text().splitlines() if reports.exists() else []
        return min((float(line.split()[1]) for line in lines), default=None)

    return watched([[*command, str(seconds), str(folder)]], Path.cwd(), seconds, look)


SYSTEMS = {
    "`topk-tune run`": ours,
    "Optuna, two processes on a journal, TPE + median": plain_optuna,
    "Ray Tune, OptunaSearch + ASHA, no MLflow": ray_tune,
}


def at(curve: Curve, mark: float) -> float:
    """Return the best loss at a time; nan if there is none yet."""
    return min((loss for when, loss in curve if when <= mark), default=np.nan)


def until(curve: Curve, loss: float) -> float:
    """Return when a loss was reached; infinity if it was not."""
    return min((when for when, found in curve if found <= loss), default=np.inf)


def main() -> None:
    """Run, and write docs/results/search_live_DATASET.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="yeast")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    found: dict[str, list[Curve]] = {name: [] for name in SYSTEMS}
    for seed in range(options.seeds):
        for name in SYSTEMS:
            found[name].append(kept(name, options.dataset, seed))
            print(seed, name, [round(at(found[name][-1], mark), 4) for mark in MARKS], flush=True)
    report.write(f"search_live_{options.dataset}.md", page(options.dataset, options.seeds, found))


def kept(name: str, dataset: str, seed: int) -> Curve:
    """Return what a system found; a run that was made before is not made again."""
    place = KEPT / f"{dataset}-{seed}-{SYSTEMS[name].__name__}.json"
    if not place.exists():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            curve = SYSTEMS[name](dataset, seed, MARKS[-1], Path(folder))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(curve))
    return [(when, loss) for when, loss in json.loads(place.read_text())]


def page(dataset: str, seeds: int, found: dict[str, list[Curve]]) -> str:
    """Return the page."""
    best = [
        min(curves[seed][-1][1] for curves in found.values() if curves[seed])
        for seed in range(seeds)
    ]
    head = ["", *(f"{mark} s" for mark in MARKS), "s to within 3%", "s to within 1%"]
    rows = [
        [name, *(_losses(curves, mark) for mark in MARKS)]
        + [_times(curves, [loss * (1 + share) for loss in best]) for share in (0.03, 0.01)]
        for name, curves in found.items()
    ]
    return "\n\n".join(
        [
            f"# How soon a good configuration is there: {dataset}",
            " ".join((__doc__ or "").split("\n\n", 1)[1].split()),
            "Mean over seeds of the best loss so far, with the number of seeds that have one if "
            "not all; the median time until it is within 3% and 1% of the best loss that any "
            f"system found with the same seed ({', '.join(f'{loss:.4f}' for loss in best)}), and "
            "how many seeds got there. Ours starts with configurations that did well on other "
            "data sets than this one.",
            table(head, rows),
            report.provenance(
                f"python -m benchmarks.search_live --dataset {dataset} --seeds {seeds}",
                f"seeds 0 to {seeds - 1}",
            ),
        ]
    )


def _losses(curves: list[Curve], mark: float) -> str:
    losses = [at(curve, mark) for curve in curves]
    known = [loss for loss in losses if not np.isnan(loss)]
    if not known:
        return "none yet"
    note = "" if len(known) == len(losses) else f" ({len(known)} of {len(losses)})"
    return f"{np.mean(known):.4f}{note}"


def _times(curves: list[Curve], losses: list[float]) -> str:
    times = [until(curve, loss) for curve, loss in zip(curves, losses, strict=True)]
    reached = sum(np.isfinite(times))
    middle = float(np.median(times))
    text = f"{middle:.0f}" if np.isfinite(middle) else f"over {MARKS[-1]}"
    return f"{text} ({reached} of {len(times)})"


if __name__ == "__main__":
    main()
