"""NumPy archives and Parquet files: what is read, and what is refused and why."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says

from topk_tune.data.readers import DataError, read_npz, read_parquet

X = np.array([[0.5, -1], [2, 3], [4, 5e-3]])
Y = np.array([[0, 1], [1, 0], [1, 1]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("binary")


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i1", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_archive_may_have_any_type_and_order(
    folder: Path, dtype: str, order: Any, save: Any
) -> None:
    features = np.array(X.astype(dtype), order=order)
    labels = np.array(Y.astype(dtype), order=order)
    save(folder / "a.npz", X=features, Y=labels)
    (table,) = read_npz(folder / "a.npz")
    assert table.X.dtype == np.float32
    assert table.Y.dtype == np.uint8
    assert table.X.flags.c_contiguous
    np.testing.assert_array_equal(table.X, features.astype(np.float32))
    np.testing.assert_array_equal(table.Y, labels.astype(np.uint8))
    assert table.feature_names == ("feature_1", "feature_2")
    assert table.label_names == ("label_1", "label_2")


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_join_without_a_seam(
    folder: Path, order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topk_tune.data.readers.npz_member._BLOCK_BYTES", 100)
    values = np.arange(390.0).reshape(39, 10)
    np.savez(folder / "a.npz", X=np.array(values, order=order), Y=values % 2)
    (table,) = read_npz(folder / "a.npz")
    np.testing.assert_array_equal(table.X, values)
    np.testing.assert_array_equal(table.Y, values % 2)


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        (
            {},
            [":", "X and Y, or X_train, Y_train, X_test and Y_test", "but got no array"],
        ),
        (
            {"X": X},
            [":", "X and Y, or X_train, Y_train, X_test and Y_test", "but got X"],
        ),
        ({"X": X, "Y": Y[:2]}, [":Y:", "3 rows", "but got 2"]),
        (
            {"X": X[0], "Y": Y},
            [":X:", "at least one column", "but got the shape (2,)"],
        ),
        (
            {"X": X, "Y": Y[:, :0]},
            [":Y:", "at least one column", "but got the shape (3, 0)"],
        ),
        ({"X": X[:0], "Y": Y[:0]}, [":", "at least one row", "but got none"]),
        (
            {"X": X.astype(str), "Y": Y},
            [":X:", "floats, integers or booleans", "but got the type <U32"],
        ),
        (
            {"X": X.astype(object), "Y": Y},
            [":X:", "floats, integers or booleans", "but got the type object"],
        ),
        (
            {"X": X * 1j, "Y": Y},
            [":X:", "floats, integers or booleans", "but got the type complex128"],
        ),
        (
            {"X": X * 1e39, "Y": Y},
            [":X[0, 0]:", "float32", "but got 5e+38"],
        ),
        (
            {"X": np.where(X == 3, np.nan, X), "Y": Y},
            [":X[1, 1]:", "float32", "but got nan"],
        ),
        ({"X": X, "Y": np.asfortranarray(Y * 2)}, [":Y[1, 0]:", "0 or 1", "but got 2"]),
        ({"X": X, "Y": Y * 0.5}, [":Y[0, 1]:", "0 or 1", "but got 0.5"]),
    ],
)
def test_refused_archives(folder: Path, arrays: dict[str, np.ndarray], facts: list[str]) -> None:
    path = folder / "a.npz"
    np.savez(path, **arrays)
    with pytest.raises(DataError) as refusal:
        read_npz(path)
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


def test_an_array_larger_than_the_memory_is_not_unpacked(folder: Path) -> None:
    header = io.BytesIO()
    description = {"descr": "<f4", "fortran_order": False, "shape": (10**12, 10)}
    np.lib.format.write_array_header_1_0(header, description)
    with zipfile.ZipFile(folder / "a.npz", "w") as archive:
        archive.writestr("X.npy", header.getvalue())
        archive.writestr("Y.npy", header.getvalue())
    with raises(DataError, "a.npz", "free memory"):
        read_npz(folder / "a.npz")


def test_an_archive_whose_directory_points_before_the_file(folder: Path) -> None:
    stream = io.BytesIO()
    np.savez(stream, X=X, Y=Y)
    content = bytearray(stream.getvalue())
    place = content.rindex(b"PK\5\6") + 16
    content[place : place + 4] = (10_000).to_bytes(4, "little")  # said to be far behind the end
    (folder / "a.npz").write_bytes(content)
    with raises(DataError, "a.npz", "directory"):
        read_npz(folder / "a.npz")


@given(data=st.data())
def test_damaged_archives_are_refused_or_read_right(folder: Path, data: st.DataObject) -> None:
    stream = io.BytesIO()
    data.draw(st.sampled_from([np.savez, np.savez_compressed]))(stream, X=X, Y=Y)
    content = bytearray(stream.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(len(content) // 2, 2 * len(content))) :]
    (folder / "a.npz").write_bytes(content)
    try:
        (table,) = read_npz(folder / "a.npz")
    except DataError:
        return
    np.testing.assert_array_equal(table.X, X.astype(np.float32))
    np.testing.assert_array_equal(table.Y, Y)


def parquet(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=2)
    return path


def test_parquet_columns_may_have_any_numeric_type(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topk_tune.data.readers.parquet._BLOCK_VALUES", 12)
    path = parquet(
        folder / "a.parquet",
        a=pa.array([1.5, 2.5, 3.5], pa.float64()),
        label1=pa.array([True, False, True]),
        b=pa.array([1, 2, 3], pa.uint8()),
        label2=pa.array([0, 1, 1], pa.int64()),
        c=pa.array(np.array([1, 2, 3], np.float16)),
        __index_level_0__=pa.array([7, 8, 9]),
    )
    table = read_parquet(path)
    assert table.feature_names == ("a", "b", "c")
    assert table.label_names == ("label1", "label2")
    assert table.X.tolist() == [[1.5, 1, 1], [2.5, 2, 2], [3.5, 3, 3]]
    assert table.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert table.X.dtype == np.float32
    assert table.Y.dtype == np.uint8


@pytest.mark.parametrize(
    ("columns", "facts"),
    [
        (
            {"x": [1, 2, None], "label": [0, 1, 1]},
            [":row 3:", "missing", "but got null in column 'x'"],
        ),
        (
            {"x": [1, 2, 3.0], "label": [0, 1, 2]},
            [":row 3:", "0 or 1", "but got 2.0 in column 'label'"],
        ),
        (
            {"x": [1, np.inf], "label": [0, 1]},
            [":row 2:", "float32", "but got inf in column 'x'"],
        ),
        (
            {"x": ["1"], "label": [0]},
            [":", "column 'x'", "but got string"],
        ),
        (
            {"x": [[1]], "label": [0]},
            [":", "column 'x'", "but got list<element: int64>"],
        ),
        (
            {"x": [1], "y": [0]},
            [":", "'label'", "but got only 'x', 'y'"],
        ),
        (
            {"x": pa.array([], pa.int8()), "label": pa.array([], pa.int8())},
            [":", "at least one row", "but got none"],
        ),
    ],
)
def test_refused_parquet(folder: Path, columns: dict[str, Any], facts: list[str]) -> None:
    path = parquet(folder / "a.parquet", **columns)
    with pytest.raises(DataError) as refusal:
        read_parquet(path)
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x,label\n1,0\n", b"PAR1" * 100])
def test_what_is_not_parquet_is_refused(folder: Path, content: bytes) -> None:
    path = folder / "a.parquet"
    path.write_bytes(content)
    with raises(DataError, f"{path}:", "Parquet"):
        read_parquet(path)


def test_parquet_with_two_columns_of_a_name_is_refused(folder: Path) -> None:
    path = folder / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 3, ["x", "x", "label"]), path)
    with raises(DataError, "distinct", "'x' twice"):
        read_parquet(path)
