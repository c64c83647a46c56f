"""Tables of learning curves in files, laid out as syne-tune's blackboxes are.

A task has a folder with `metadata.json` (space, configurations, names of metrics) and
`objectives_evaluations.npz`, an array over (configuration, seed, loop, metric).

Run with `python -m benchmarks.curves.table` to make them of all trials that `collect` has kept;
with `--unpack`, to give `collect` the trials of the tables, so that it goes on in another clone.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.curves.collect import RAW, SECONDS, SEEDS, kept, raw_file
from benchmarks.curves.tasks import ALGORITHMS, DATASETS, Task
from topk_tune.spaces import Space

TABLES = Path(__file__).resolve().parent / "tables"
_ARRAY = "objectives_evaluations"


@dataclass(frozen=True)
class CurveTable:
    """The learning curves of some configurations of a space.

    Parameters
    ----------
    space
        The space.
    configs
        The configurations.
    metrics
        The names of the metrics; one of them is the processor time so far.
    values
        The curves, (configuration, seed, loop, metric).
    """

    space: Space
    configs: list[dict[str, Any]]
    metrics: list[str]
    values: NDArray[np.float32]

    def of(self, metric: str) -> NDArray[np.float64]:
        """The curves of a metric, (configuration, seed, loop)."""
        return self.values[..., self.metrics.index(metric)].astype(float)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The processor time up to the end of each loop, (configuration, seed, loop)."""
        return self.of(SECONDS)

    def save(self, folder: Path) -> None:
        """Write it."""
        folder.mkdir(parents=True, exist_ok=True)
        metadata = {
            "configuration_space": self.space.to_dict(),
            "objectives_names": self.metrics,
            "hyperparameters": self.configs,
        }
        text = json.dumps(metadata, separators=(",", ":"))
        (folder / "metadata.json").write_text(text + "\n", encoding="utf-8")
        np.savez_compressed(folder / f"{_ARRAY}.npz", objectives_evaluations=self.values)

    @classmethod
    def read(cls, folder: Path) -> CurveTable:
        """Read what `save` wrote."""
        metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
        with np.load(folder / f"{_ARRAY}.npz", allow_pickle=False) as file:
            values = file[_ARRAY]
        space = Space.from_dict(metadata["configuration_space"], str(folder))
        return cls(space, metadata["hyperparameters"], metadata["objectives_names"], values)

    @classmethod
    def of_trials(cls, space: Space, trials: list[dict[str, Any]]) -> CurveTable:
        """Make a table of the configurations up to the first that lacks a seed."""
        by_place: dict[int, dict[int, dict[str, Any]]] = defaultdict(dict)
        for trial in trials:
            by_place[trial["place"]][trial["seed"]] = trial
        places = takewhile(lambda place: len(by_place[place]) == len(SEEDS), count())
        full = [by_place[place] for place in places]
        metrics = list(full[0][SEEDS[0]]["curves"])
        values = [
            [np.transpose([seeds[seed]["curves"][name] for name in metrics]) for seed in SEEDS]
            for seeds in full
        ]
        configs = [seeds[SEEDS[0]]["config"] for seeds in full]
        return cls(space, configs, metrics, np.array(values, dtype=np.float32))

    def trials(self) -> Iterator[dict[str, Any]]:
        """The trials that `of_trials` takes."""
        for place, config in enumerate(self.configs):
            for column, seed in enumerate(SEEDS):
                columns = self.values[place, column].T.tolist()
                curves = dict(zip(self.metrics, columns, strict=True))
                yield {"place": place, "seed": seed, "config": config, "curves": curves}


def pack(task: Task) -> None:
    """Make the table of a task, if there are trials."""
    trials = kept(task)
    if trials:
        table = CurveTable.of_trials(task.space(), trials)
        table.save(TABLES / task.name)
        print(task.name, table.values.shape)


def unpack(task: Task) -> None:
    """Keep the trials of a task's table, if there is one and none are kept."""
    if (TABLES / task.name).exists() and not kept(task):
        RAW.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(trial) + "\n" for trial in CurveTable.read(TABLES / task.name).trials()]
        raw_file(task).write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Make the tables, or unpack them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unpack", action="store_true")
    make = unpack if parser.parse_args().unpack else pack
    for algorithm in ALGORITHMS:
        for dataset in DATASETS:
            make(Task(algorithm, dataset))


if __name__ == "__main__":
    main()
