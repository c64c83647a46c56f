"""The checks that ship: ours pass them, and what they are there to find is found."""

import itertools
import json
import random
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optuna.samplers import BaseSampler, RandomSampler
from packages import SONGRANK
from test_data_readers_files import (
    write_arff,
    write_csv,
    write_libsvm,
    write_npz,
    write_parquet,
    write_tsv,
)

from booster.plugins import Plugin
from topk_tune.checks import check_metric, check_reader, check_sampler
from topk_tune.data.formats import READERS
from topk_tune.data.readers import Table, read_csv
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.training.metrics import METRICS, Measured, Metric, metric

WRITERS = {
    "arff": write_arff,
    "csv": write_csv,
    "tsv": write_tsv,
    "parquet": write_parquet,
    "npz": write_npz,
    "svm": write_libsvm,
    "libsvm": lambda path, X, Y: write_libsvm(path, X, Y, ".libsvm"),
}


@pytest.mark.parametrize("name", METRICS)
def test_every_metric(name: str) -> None:
    check_metric(metric(name))


@pytest.mark.parametrize("name", SAMPLERS)
def test_every_sampler(name: str) -> None:
    if name == "gp" and find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    check_sampler(name)


def written(ending: str) -> Callable[[Path, Table], None]:
    return lambda path, table: WRITERS[ending](path, table.X, table.Y)


@pytest.mark.parametrize("ending", READERS)
def test_every_reader(ending: str) -> None:
    check_reader(ending, written(ending))


def test_what_the_package_beside_ours_brings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SONGRANK)
    check_metric(Plugin("hits", "songrank.metric:HITS").load())
    check_sampler("songrank.sampler:HalfOfTheBest")
    bring(monkeypatch, "songrank.reader:read_jsonl")
    check_reader("jsonl", write_jsonl)


def bring(monkeypatch: pytest.MonkeyPatch, read: Any) -> None:
    """Make a reader of .jsonl known."""
    plugin = Plugin("jsonl", read, package="songrank")
    monkeypatch.setitem(READERS.__dict__, "others", {"jsonl": plugin})


def write_jsonl(path: Path, table: Table) -> None:
    names = (*table.feature_names, *table.label_names)
    rows = np.hstack([table.X.astype(float), table.Y]).tolist()
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")


def hits(measured: Measured) -> float:
    assert measured.Z is not None
    return float(measured.Z[:, 0].mean())


def erasing(measured: Measured) -> float:
    found = hits(measured)
    assert measured.Z is not None
    measured.Z[:, 0] = 0
    return found


def of_rows_with_a_label(measured: Measured) -> float:
    assert measured.Z is not None
    with np.errstate(invalid="ignore"):
        return float(np.divide(measured.Z[:, 0].sum(), measured.Z.any(axis=1).sum()))


def made(compute: Callable[[Measured], Any], **changes: Any) -> Metric:
    about = {"name": "hits", "direction": "maximize", "needs": "rankings", "help": "how often"}
    return Metric(**{**about, **changes}, compute=compute)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (made(of_rows_with_a_label), "hits must be finite, but got nan"),
        (made(lambda m: random.random()), "hits must be deterministic"),
        (made(erasing), "hits must not change the rows"),
        (made(hits, direction="minimize"), "a perfect ranking must be better"),
        (made(lambda m: 1.0), "a perfect ranking must be better"),
        (made(lambda m: m.plays), "hits raised AttributeError"),
        (made(hits, name="hits/1"), "the name of a metric must"),
        (made(hits, direction="up"), "choose from minimize, maximize, but got 'up'"),
        (made(hits, help=""), "must say what it is"),
        (hits, "a metric must be a Metric"),
    ],
)
def test_metrics_that_are_found_out(broken: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_metric(broken)


class Unseeded(RandomSampler):
    """Draws other values whenever it is asked."""

    def __init__(self) -> None:
        super().__init__()


class Counting(RandomSampler):
    """Looks at how often it was made, which a study that is resumed cannot know."""

    made = itertools.count()

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed + next(Counting.made))


class Outside(BaseSampler):
    """Chooses what is not in the space."""

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        return {}

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> dict[str, Any]:
        return {}

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
        drawn = RandomSampler(1).sample_independent(study, trial, name, distribution)
        return drawn + 100 if name == "n_learners" else drawn


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Unseeded", "must choose the same after the same trials"),
        ("Counting", "must choose the same after the same trials"),
        ("Outside", "must stay inside the space"),
    ],
)
def test_samplers_that_are_found_out(name: str, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_sampler(f"{__name__}:{name}")


def without_its_last_row(path: Path, labels: Any) -> Table:
    found = read_csv(path, labels)
    return Table(found.X[:-1], found.Y[:-1], found.feature_names, found.label_names)


def of_anything(path: Path, labels: Any) -> Table:
    try:
        return read_csv(path, labels)
    except ValueError:
        return Table(np.ones((4, 1)), np.ones((4, 1)), ("a",), ("b",))


def raising(path: Path, labels: Any) -> Table:
    if not path.read_bytes():
        raise KeyError("header")
    return read_csv(path, labels)


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (without_its_last_row, "must return the X that was written"),
        (of_anything, "must refuse a file of 0 bytes"),
        (raising, "but raised KeyError"),
        (lambda path, labels: None, "must read what was written"),
    ],
)
def test_readers_that_are_found_out(
    monkeypatch: pytest.MonkeyPatch, read: Any, sentence: str
) -> None:
    bring(monkeypatch, read)

    def write(path: Path, table: Table) -> None:
        write_csv(path, table.X, table.Y)
        path.with_suffix(".csv").rename(path)

    with pytest.raises(AssertionError, match=sentence):
        check_reader("jsonl", write)
