"""What every reader of files must do."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from booster.checks import demand
from topk_tune.data import DataError
from topk_tune.data.files import read_tables
from topk_tune.data.readers import Table

Write = Callable[[Path, Table], None]


def check_reader(ending: str, write: Write) -> None:
    """Check that a reader returns what was written, and refuses broken files by a DataError.

    Parameters
    ----------
    ending
        Of the files that it reads, without a dot.
    write
        Writes a table as such a file; also with numbers that a file must not have.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{ending}"
        _check_round_trip(path, write)
        content = path.read_bytes()
        for broken in (b"", b"\0", bytes(range(255, 0, -1)), b"\xff" * len(content)):
            path.write_bytes(broken)
            _check_refused(path, f"a file of {len(broken)} bytes that are none of its format")
        for length in range(0, len(content), max(1, len(content) // 40)):
            path.write_bytes(content[:length])
            _read(path)
        for value in (np.nan, np.inf):
            write(path, _table(value))
            _check_refused(path, f"a feature that is {value}")


def _table(first: float = 0.5) -> Table:
    """A small table without zeros among its features, which some formats leave out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16, 3)).astype(np.float32)
    X[0, 0] = first
    X[1] = (1e-30, -1e30, 3.0)
    Y = (rng.random((16, 4)) < 0.4).astype(np.uint8)
    Y[0] = 1
    features = tuple(f"feature_{i + 1}" for i in range(X.shape[1]))
    return Table(X, Y, features, tuple(f"label_{i + 1}" for i in range(Y.shape[1])))


def _check_round_trip(path: Path, write: Write) -> None:
    written = _table()
    write(path, written)
    demand(path.is_file(), f"the writer must write {path.name}, but wrote no such file")
    found = _read(path)
    demand(found is not None, f"a reader of {path.suffix} must read what was written")
    for name in ("X", "Y"):
        same = np.array_equal(getattr(found, name), getattr(written, name))
        demand(same, f"a reader of {path.suffix} must return the {name} that was written")


def _check_refused(path: Path, what: str) -> None:
    demand(_read(path) is None, f"a reader of {path.suffix} must refuse {what} by a DataError")


def _read(path: Path) -> Table | None:
    """What is read; None if it is refused, in which case no other error may be raised."""
    try:
        return read_tables([path])[0]
    except DataError:
        return None
    except Exception as error:
        raise AssertionError(
            f"a reader of {path.suffix} must refuse a broken file by a DataError, but raised "
            f"{type(error).__name__}: {error}"
        ) from error
