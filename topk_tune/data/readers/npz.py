"""NumPy archives: the arrays `X` and `Y`, or both of them for `_train` and `_test`."""

import errno
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.errors import DataError
from topk_tune.data.readers.columns import Labels
from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.npz_member import ARCHIVE_RULE, Member, to_features, to_labels
from topk_tune.data.readers.npz_names import read_names
from topk_tune.data.readers.npz_sparse import check_rows, find_csr, read_csr
from topk_tune.data.readers.table import FEATURE_RULE, LABEL_RULE, Table, allocate

# The errors of damaged or encrypted archives, besides ValueError and EOFError.
_FAULTS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)


def read_archives(paths: Sequence[Path], labels: Labels = None) -> list[Table]:
    """Read the parts of a data set: two archives, or one that may hold both."""
    if labels is not None:
        rule = "labels cannot be used with an archive of arrays"
        raise refused(paths[0], None, rule, repr(labels))
    tables = [read_npz(path) for path in paths]
    if len(paths) > 1 and any(len(each) > 1 for each in tables):
        rule = "each of two archives must have X and Y only"
        raise refused(paths[0], None, rule, "an archive with its own test part")
    return [table for each in tables for table in each]


def read_npz(path: Path) -> list[Table]:
    """Read one table from `X` and `Y`, or the training and the test part from four arrays.

    Features may also be the arrays of CSR matrices; see `npz_sparse`. Columns are named as in the
    arrays `feature_names` and `label_names`, or else feature_1, feature_2, ... and label_1, ...
    """
    with _refusing_faults(path), zipfile.ZipFile(path) as archive:
        names = {name[:-4] for name in archive.namelist() if name.endswith(".npy")}
        # Sparse features are called by their arrays, but count as one here.
        csr = {name: find_csr(names, name) for name in ("X", "X_train", "X_test")}
        found = names | {name for name, prefix in csr.items() if prefix is not None}
        parts = ("_train", "_test") if "X_train" in found else ("",)
        if not found.issuperset(letter + part for part in parts for letter in "XY"):
            rule = "an archive must have X and Y, or X_train, Y_train, X_test and Y_test"
            raise refused(path, None, rule, ", ".join(sorted(names)) or "no array")
        return [_read_table(path, archive, part, csr["X" + part]) for part in parts]


@contextmanager
def _refusing_faults(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        got = "a directory that points before the file"
        raise refused(path, None, ARCHIVE_RULE, got) from None
    except _FAULTS as error:
        raise refused(path, None, ARCHIVE_RULE, str(error) or type(error).__name__) from None


def _read_table(path: Path, archive: zipfile.ZipFile, part: str, csr: str | None) -> Table:
    if csr is not None:
        X, Y = read_csr(path, archive, csr, "X" + part, "Y" + part)
    else:
        X, Y = _read_dense(path, archive, "X" + part, "Y" + part)
    features = read_names(path, archive, "feature", X.shape[1])
    return Table(X, Y, features, read_names(path, archive, "label", Y.shape[1]))


def _read_dense(
    path: Path, archive: zipfile.ZipFile, x_name: str, y_name: str
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    with archive.open(f"{x_name}.npy") as x_file, archive.open(f"{y_name}.npy") as y_file:
        x_member, y_member = Member(path, x_name, x_file), Member(path, y_name, y_file)
        rows, n_features = x_member.shape
        check_rows(path, x_name, rows, y_name, y_member.shape[0])
        X, Y = allocate(path, rows, n_features, y_member.shape[1])
        x_member.read_into(X, FEATURE_RULE, to_features)
        y_member.read_into(Y, LABEL_RULE, to_labels)
    return X, Y
