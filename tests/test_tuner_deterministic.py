"""The same seed gives the same trials: on any number of workers, and whatever was killed."""

from pathlib import Path
from typing import Any

import pytest
from tuning import (
    FakeBackend,
    Training,
    WorkerGoneError,
    scripted,
    space,
    study,
    table,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import Choice, Float
from topk_tune.storage import Location, Store

TRIALS = 27  # three batches and a part of the fourth, or the whole grid
MIXED = space(weight_cap=Choice([None, 1, 10]))
GRID = space(rho=Float(0.1, 0.3, step=0.1))  # 24 points


def whole(folder: Path, backend: FakeBackend, sampler: str = "tpe", **changes: Any) -> str:
    """The table of a study that ran without a break."""
    searched = GRID if sampler == "grid" else MIXED
    changes = {"pruner": "median", "deterministic": True, **changes}
    store = study(folder, searched, sampler=sampler, **changes).store
    tune(store, StopOptions(trials=TRIALS), backend)
    store.close()
    return table(folder)


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid", "qmc", "cmaes"])
def test_workers_make_no_difference(tmp_path: Path, sampler: str) -> None:
    alone = whole(tmp_path / "1", FakeBackend(1), sampler)
    assert whole(tmp_path / "4", FakeBackend(4), sampler) == alone
    assert whole(tmp_path / "back", FakeBackend(5, backwards=True), sampler) == alone


def test_the_study_prunes_at_all(tmp_path: Path) -> None:
    """Else the tests here would prove little."""
    assert "pruned" in whole(tmp_path, FakeBackend(2))


@pytest.mark.slow
def test_seeds_make_no_difference_to_that(tmp_path: Path) -> None:
    alone = whole(tmp_path / "1", FakeBackend(1), seeds=5, pruner="wilcoxon")
    assert (
        whole(tmp_path / "4", FakeBackend(4, backwards=True), seeds=5, pruner="wilcoxon") == alone
    )


def test_another_seed_gives_another_study(tmp_path: Path) -> None:
    assert whole(tmp_path / "1", FakeBackend(1)) != whole(tmp_path / "2", FakeBackend(1), seed=1)


def test_lost_workers_make_no_difference(tmp_path: Path) -> None:
    lost: set[int] = set()

    def dies(task: Task) -> Training:
        for seed, each in scripted(task):
            if task.id % 3 == 0 and task.id not in lost and each.loop == 3:
                lost.add(task.id)
                raise WorkerGoneError("gone")
            yield seed, each

    assert whole(tmp_path / "dying", FakeBackend(4, dies)) == whole(tmp_path / "1", FakeBackend(1))
    assert len(lost) == 9


def resumed(folder: Path, journal: bytes) -> str:
    """The table of a study that goes on from a journal, as a driver left it that was killed."""
    (folder / "s").mkdir(parents=True)
    (folder / "s" / "journal.log").write_bytes(journal)
    store = Store.open(Location.of(str(folder)), "s")
    store.drive()
    tune(store, StopOptions(trials=TRIALS), FakeBackend(2))
    store.close()
    return table(folder)


@pytest.mark.parametrize(
    "sampler", ["tpe", *(pytest.param(s, marks=pytest.mark.slow) for s in ("grid", "qmc", "cmaes"))]
)
def test_a_driver_that_is_killed_anywhere_makes_no_difference(tmp_path: Path, sampler: str) -> None:
    """Every cut through the journal is what some moment of death leaves behind."""
    uncut = whole(tmp_path / "whole", FakeBackend(3, backwards=True), sampler)
    journal = (tmp_path / "whole" / "s" / "journal.log").read_bytes()
    start = journal.index(b"\n", journal.index(b"settings")) + 1
    for cut in range(start, len(journal), (len(journal) - start) // 8):
        assert resumed(tmp_path / str(cut), journal[:cut]) == uncut, cut


def test_going_on_makes_no_difference(tmp_path: Path) -> None:
    """Twelve trials and then nine more are the same as twenty-one."""
    store = study(tmp_path / "parts", MIXED, pruner="median", deterministic=True).store
    tune(store, StopOptions(trials=12), FakeBackend(3))
    tune(store, StopOptions(trials=TRIALS), FakeBackend(2))
    assert table(tmp_path / "parts") == whole(tmp_path / "whole", FakeBackend(1))
