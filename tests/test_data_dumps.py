"""Dumps of arrays: read as Python 2 wrote them, and refused when they ask for anything else."""

import bz2
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_release import python2_dump
from messages import raises

from topk_tune.data import DataError
from topk_tune.data.dumps import read_dump


def test_arrays_come_back() -> None:
    X = np.random.default_rng(0).standard_normal((5, 3))
    Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0], [1, 0]])
    features, labels = read_dump(python2_dump(X, Y))
    assert (features.dtype, labels.dtype) == (np.float32, np.uint8)
    np.testing.assert_array_equal(features, X.astype(np.float32))
    np.testing.assert_array_equal(labels, Y)


class Command:
    """Pickled, this is a command that runs when it is read."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_command_is_not_run(protocol: int, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    dump = pickle.dumps({"X": Command(f"touch {trace}")}, protocol)
    pickle.loads(dump)
    assert trace.exists(), "the dump must be harmful for this test to mean anything"
    trace.unlink()
    with raises(DataError, "numpy arrays", "posix.system"):
        read_dump(bz2.compress(dump))
    assert not trace.exists()


@pytest.mark.parametrize(
    "asked",
    ["builtins\neval", "numpy\nload", "numpy.core.multiarray\nfromfile", "numpy\nndarray.x"],
)
def test_no_other_name_is_admitted(asked: str) -> None:
    with raises(DataError, "numpy arrays"):
        read_dump(bz2.compress(f"c{asked}\n.".encode()))


@pytest.mark.parametrize("content", [[1, 2], {"X": [[1.0]], "y": [[1]]}, {}])
def test_a_dump_without_tables_is_refused(content: object) -> None:
    with raises(DataError, "numbers", "X"):
        read_dump(bz2.compress(pickle.dumps(content, 2)))
