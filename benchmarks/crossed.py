"""The same configurations on several data sets: what `search_spaces/best/crossed.json` holds.

Run with `python -m benchmarks.crossed`. Trials that were made before are kept in build/crossed, so
it goes on where it stopped, and a larger number of configurations adds to what is there. The test
rows are not looked at.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import optuna

import search_spaces
from topk_tune.data import Dataset, load
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Space
from topk_tune.spaces.decimals import DecimalSampler
from topk_tune.study.plan import choose_space, kind_of
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, TrialRows

ALGORITHMS = ("topada", "topopt")
DATASETS = ("emotions", "scene", "yeast", "m_reduced")
USUAL = "m_reduced"
"""The data set whose space has the default ranges."""
MOST_LEARNERS = 100
"""The most learners there."""

RANDOM = {"topada": 42, "topopt": 24}
SEEDS = {"topada": (0, 1), "topopt": (0,)}
RAW = Path(__file__).resolve().parents[1] / "build" / "crossed"
FILE = Path(search_spaces.__file__).parent / "best" / "crossed.json"


class Trained(NamedTuple):
    """The loss of a configuration: a random one by its number, or a tuned one by its data set."""

    candidate: str
    dataset: str
    seed: int
    loss: float


def candidates(algorithm: str, dataset: str, random: int) -> dict[str, dict[str, Any]]:
    """The configurations by name, as a data set's space has them.

    Random ones are drawn with the same random numbers, so they differ only where ranges do.
    """
    space = space_of(algorithm, dataset)
    drawn = {str(n): config for n, config in enumerate(islice(_draws(space), random))}
    tuned = _all_tuned(algorithm).items()
    return {**drawn, **{name: _legal(algorithm, config, space) for name, config in tuned}}


def kept(algorithm: str) -> list[Trained]:
    """The trials so far."""
    path = _raw(algorithm)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Trained(*json.loads(line)) for line in lines]


def collect(algorithm: str, random: int) -> None:
    """Make the trials that are missing."""
    RAW.mkdir(parents=True, exist_ok=True)
    done = {each[:3] for each in kept(algorithm)}
    known = {dataset: candidates(algorithm, dataset, random) for dataset in DATASETS}
    for seed in SEEDS[algorithm]:
        for name in known[USUAL]:
            for dataset in DATASETS:
                if (name, dataset, seed) not in done:
                    loss = trained(known[dataset][name], dataset, seed)
                    with _raw(algorithm).open("a", encoding="utf-8") as file:
                        file.write(json.dumps(Trained(name, dataset, seed, loss)) + "\n")


def trained(config: dict[str, Any], dataset: str, seed: int) -> float:
    """The loss of the best loop on the rows that a study holds out by default."""
    reports = run_trial(TrialConfig.of(config), seed, _rows(dataset), "read-only")
    return min(report.metrics["shown_loss"] for report in reports)


def losses(algorithm: str) -> dict[str, dict[str, float]]:
    """The mean loss over seeds by candidate and data set, of those trained on all data sets."""
    found: dict[str, dict[str, list[float]]] = {}
    for each in kept(algorithm):
        found.setdefault(each.candidate, {}).setdefault(each.dataset, []).append(each.loss)
    return {
        name: {dataset: mean(values) for dataset, values in by_dataset.items()}
        for name, by_dataset in found.items()
        if set(by_dataset) == set(DATASETS)
    }


@cache
def data_of(dataset: str) -> Dataset:
    """The rows, read once."""
    return load(dataset)


def space_of(algorithm: str, dataset: str) -> Space:
    """The space that a study searches by default."""
    return choose_space(None, algorithm, dataset, kind_of(data_of(dataset)))


@cache
def _rows(dataset: str) -> TrialRows:
    data = data_of(dataset)
    given = {"name": dataset, "dataset": dataset, "fingerprint": data.fingerprint, "space": {}}
    return tuning_rows(data, StudySettings.model_validate(given))


def _draws(space: Space) -> Iterator[dict[str, Any]]:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=DecimalSampler(optuna.samplers.RandomSampler(seed=0)))
    while True:
        yield space.suggest(study.ask())


def _all_tuned(algorithm: str) -> dict[str, dict[str, Any]]:
    names = (*DATASETS, "mediamill")
    return {name: search_spaces.tuned_parameters(algorithm, name) for name in names}


def _legal(algorithm: str, tuned: dict[str, Any], space: Space) -> dict[str, Any]:
    learners = min(tuned["n_learners"], int(space.largest("n_learners")))
    loops = int(space.largest("loops"))
    return {"algorithm": algorithm, **tuned, "loops": loops, "n_learners": learners}


def _raw(algorithm: str) -> Path:
    return RAW / f"{algorithm}.jsonl"


def _text() -> str:
    """The file, with a line for each configuration."""
    blocks = {}
    for algorithm in ALGORITHMS:
        named = {**candidates(algorithm, USUAL, 1000), **_all_tuned(algorithm)}
        lines = [_line(name, named[name], each) for name, each in losses(algorithm).items()]
        blocks[algorithm] = ",\n".join(lines)
    inner = ",\n".join(f'"{name}": [\n{lines}\n]' for name, lines in blocks.items())
    return f'{{"about": "{_ABOUT}",\n{inner}}}\n'


def _line(name: str, config: dict[str, Any], found: dict[str, float]) -> str:
    searched = {key: _short(value) for key, value in config.items() if key not in _SAME}
    if name.isdecimal():
        searched["n_learners"] = config["n_learners"] / MOST_LEARNERS
    rounded = {dataset: round(loss, 4) for dataset, loss in found.items()}
    origin = {} if name.isdecimal() else {"from": name}
    return json.dumps({**origin, "losses": rounded, "config": searched})


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


_SAME = ("algorithm", "loops")

_ABOUT = (
    "The loss of what is shown on held-out training rows (random:0.25:0) by data set, best of 20 "
    "loops, mean over seeds: of configurations drawn at random, and of those tuned on a data set "
    "(from). Learners of the former are a share of the most of the space. Made by python -m "
    "benchmarks.crossed."
)


def main() -> None:
    """Train what is missing and write search_spaces/best/crossed.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, help="random ones, instead of those made so far")
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    options = parser.parse_args()
    for algorithm in options.algorithms:
        collect(algorithm, options.configs or RANDOM[algorithm])
    FILE.write_text(_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
