"""What an installation takes: packages, size and time, for each extra.

`python -m benchmarks.installs WHEEL...` installs each wheel into empty environments, at the
versions of constraints.txt. Sizes are those of the other packages' files, without bytecode: making
it takes time, but is not counted. pip keeps what it downloads: only a second round is without
downloads.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from topk_tune.markup.markdown import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from wheels import empty_environment, pip_in

ROOT = Path(__file__).resolve().parents[1]

ALONE = "booster alone"
WAYS = (ALONE, "", "[postgres]", "[mysql]", "[dev]")


class Taken(NamedTuple):
    """What one installation has taken."""

    packages: int
    megabytes: float
    cpu_seconds: float


def install(wheel: Path, way: str) -> Taken:
    """Install a wheel into an empty environment in one of the `WAYS`."""
    with TemporaryDirectory() as name:
        python = empty_environment(Path(name))
        (place,) = Path(name).glob("lib/python*/site-packages")
        before, seconds = set(packages_in(place)), cpu_seconds()
        if way == ALONE:
            pip_in(python, ROOT, "--no-deps", str(wheel))
            pip_in(python, ROOT, "numpy", "numba", "platformdirs")
        else:
            pip_in(python, ROOT, f"{wheel}{way}")
        spent = cpu_seconds() - seconds
        after = packages_in(place)
        new = after.keys() - before - {"topk-tune"}
        return Taken(len(new), sum(size(after[name]) for name in new) / 1e6, spent)


def packages_in(place: Path) -> dict[str, Distribution]:
    """The packages that are installed in a place, by name."""
    return {found.metadata["Name"]: found for found in distributions(path=[str(place)])}


def size(package: Distribution) -> int:
    """The bytes of all files of a package that are not made when it is installed."""
    paths = (Path(str(file.locate())) for file in package.files or [] if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths)


def cpu_seconds() -> float:
    """The CPU time of the programs that this one has started."""
    times = os.times()
    return times.children_user + times.children_system


def main(wheels: list[Path]) -> None:
    """Measure and print a table."""
    rows = []
    for wheel in wheels:
        for way in WAYS:
            began = time.monotonic()
            taken = install(wheel, way)
            row = [wheel.name.split("-")[1], way or "no extra", str(taken.packages)]
            row += [f"{taken.megabytes:.0f} MB", f"{taken.cpu_seconds:.0f} s"]
            rows.append([*row, f"{time.monotonic() - began:.0f} s"])
            print(rows[-1], file=sys.stderr, flush=True)
    print(table(["version", "extra", "packages", "size", "CPU time", "time"], rows))


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]])
