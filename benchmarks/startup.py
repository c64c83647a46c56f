"""What a study of a minute takes beside its trials: until the first, during them, after the last.

`python -m benchmarks.startup` runs the same study on each backend, with and without tracking, in
turns. With `--before FOLDER`, the sources in that folder take turns, too. Processes are found by a
variable in their environment, so that daemons and processes that outlive the command count.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median

from topk_tune.markup.markdown import table

WAYS = {
    "ray": ("--backend", "ray"),
    "ray, untracked": ("--backend", "ray", "--no-track"),
    "local": ("--backend", "local"),
    "local, no booster kept": ("--backend", "local"),
    "local, untracked": ("--backend", "local", "--no-track"),
}
STUDY = ("run", "--dataset", "yeast", "--algorithm", "topada", "--name", "s", "--workers", "2")
ROLES = {
    "worker": re.compile(r"local_worker|ray::Worker"),
    "sender": re.compile(r"tracking\.writer"),
    "driver": re.compile(r"topk_tune\.cli"),
}
"""What a process is called; all others are Ray's own."""

_MARK = "TOPK_TUNE_BENCHMARK"
_COMPILING = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""Sources are compiled once, as they are where the package is installed."""
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK = 0.1
_LINE = re.compile(r"(\S+ \S+?)[,.](\d{3})\s.*?(trial 0 starts|ended: )")


@dataclass
class Process:
    """A process as it was last seen."""

    command: str = ""
    cpu: float = 0.0
    history: list[tuple[float, float]] = field(default_factory=list)

    @property
    def role(self) -> str:
        """What it does in a study."""
        return next((role for role, sign in ROLES.items() if sign.search(self.command)), "ray")

    def cpu_until(self, moment: float) -> float:
        """The CPU time that it had taken by then."""
        return max((cpu for when, cpu in self.history if when <= moment), default=0.0)


@dataclass
class Outcome:
    """The figures of one run of a study, in seconds."""

    first: float
    after: float
    outlived: float
    until_first: dict[str, float]
    cpu: dict[str, float]

    @property
    def beside(self) -> float:
        """The share of CPU time that was not spent in workers."""
        return 1 - self.cpu["worker"] / sum(self.cpu.values())


def look(mark: bytes, seen: dict[tuple[int, bytes], Process]) -> bool:
    """Take the CPU time of every process with the mark; returns whether there is one."""
    alive = False
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            key = (int(entry.name), fields[19])  # ids are used again, with another start time
            if key not in seen:
                if mark not in (entry / "environ").read_bytes():
                    continue
                seen[key] = Process()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        process = seen[key]
        process.command = command or process.command
        process.cpu = (int(fields[11]) + int(fields[12])) / _TICKS
        process.history.append((time.time(), process.cpu))
        alive = alive or fields[0] != b"Z"
    return alive


def run(way: str, seconds: float, sources: Path) -> Outcome:
    """Run a study and watch it until its last process has ended."""
    mark, seen = uuid.uuid4().hex, dict[tuple[int, bytes], Process]()
    with tempfile.TemporaryDirectory() as folder:
        program = "from topk_tune.cli import main; main()  # topk_tune.cli"
        limit = ("--trials", "100000", "--timeout", str(seconds))
        if way.endswith("no booster kept"):
            Path(folder, "mlflow.yaml").write_text("log: {boosters: false}\n", encoding="utf-8")
        began = time.time()
        command = subprocess.Popen(
            [sys.executable, "-c", program, *STUDY, *limit, *WAYS[way]],
            cwd=folder,
            env={**_COMPILING, _MARK: mark, "PYTHONPATH": str(sources)},
            stdout=subprocess.DEVNULL,
        )
        while command.poll() is None:
            look(mark.encode(), seen)
            time.sleep(_LOOK)
        ended = time.time()
        while look(mark.encode(), seen):
            time.sleep(_LOOK)
        gone = time.time()
        text = Path(folder, "studies", "s", "log.txt").read_text(encoding="utf-8")
    first, last = moments(text)
    until_first: dict[str, float] = defaultdict(float)
    cpu: dict[str, float] = defaultdict(float)
    for process in seen.values():
        until_first[process.role] += process.cpu_until(first)
        cpu[process.role] += process.cpu
    return Outcome(first - began, ended - last, gone - ended, until_first, cpu)


def moments(log: str) -> tuple[float, float]:
    """When the first trial began, and when the study ended."""
    found: dict[str, float] = {}
    for line in log.splitlines():
        if match := _LINE.match(line):
            second, thousandth, what = match.groups()
            when = datetime.strptime(second, "%Y-%m-%d %H:%M:%S").timestamp()
            found.setdefault(what, when + int(thousandth) / 1000)
    return found["trial 0 starts"], found["ended: "]


def row(name: str, outcomes: list[Outcome]) -> list[str]:
    """The medians of a way."""

    def middle(values: list[float]) -> str:
        return f"{median(values):.1f}"

    roles = ("driver", "worker", "sender", "ray")
    return [
        name,
        middle([each.first for each in outcomes]),
        middle([each.until_first["driver"] for each in outcomes]),
        middle([each.until_first["worker"] / 2 for each in outcomes]),
        *(middle([each.cpu[role] for each in outcomes]) for role in roles),
        f"{median([each.beside for each in outcomes]):.0%}",
        middle([each.after for each in outcomes]),
        middle([each.outlived for each in outcomes]),
    ]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--before", type=Path, help="sources to compare with")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    given = parser.parse_args()
    sources = {"": Path(__file__).parents[1], "before: ": given.before}
    found: dict[str, list[Outcome]] = defaultdict(list)
    for _ in range(given.repeats):
        for prefix, folder in sources.items():
            for way in given.ways if folder else ():
                found[prefix + way].append(run(way, given.seconds, folder.absolute()))
    print("load of the machine in the last 15 minutes:", os.getloadavg()[2])
    heads = ["study", "first trial", "driver until then", "a worker until then", "driver"]
    heads += ["workers", "sender", "Ray", "beside", "command ends after", "all ends after"]
    print(table(heads, [row(name, outcomes) for name, outcomes in found.items()]))


if __name__ == "__main__":
    main()
