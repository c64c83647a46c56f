"""Sparse rows of all formats: what is held sparse, what is read, and what is refused and why."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from messages import says
from sparse_cases import (
    N_FEATURES,
    N_LABELS,
    arrays,
    assert_sparse,
    lists_of,
    sparse_tables,
    write_lists,
)
from test_data_readers_tools import damaged

from topk_tune.data import DataError, load
from topk_tune.data.files import read_files, read_tables
from topk_tune.data.readers import (
    arff,
    libsvm,
    libsvm_rows,
    read_arff,
    read_libsvm,
    read_npz,
    read_parquet,
    table_of,
)
from topk_tune.data.rows import SPARSE_BELOW, dense_rows, is_sparse

X = np.zeros((4, 20), np.float32)
X[0, [2, 5]] = 1.5, -2
X[2, 19] = 0.25
Y = np.array([[1, 0], [0, 0], [1, 1], [0, 1]], np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sparse")


def write_arff(path: Path, rows: str, features: int = 20, labels: str = "{0,1}") -> Path:
    names = [f"@attribute x{i} numeric" for i in range(features)]
    names += [f"@attribute l{i} {labels}" for i in range(2)]
    path.write_text("\n".join(["@relation r", *names, "@data", rows, ""]))
    return path


# What is held sparse


@pytest.mark.parametrize(("values", "held"), [(24, True), (25, False)])
def test_the_rule_is_a_share_of_all_values_of_all_parts(
    folder: Path, values: int, held: bool
) -> None:
    assert SPARSE_BELOW == 0.25
    wide = np.zeros((10, 10), np.float32)
    wide.flat[:values] = 1
    for part in ("train", "test"):  # alone, one has more than a quarter and the other has less
        rows = wide[:3] if part == "train" else wide[3:]
        np.savez(folder / f"a-{part}.npz", Y=np.ones((len(rows), 1)), **arrays(rows))
    tables = read_tables([folder / "a-train.npz", folder / "a-test.npz"])
    assert [is_sparse(table.X) for table in tables] == [held] * 2
    lines = [f"1 {' '.join(f'{i + 1}:{v}' for i, v in enumerate(row))}" for row in wide]
    (folder / "a-train.svm").write_text("\n".join(lines[:3]))
    (folder / "a-test.svm").write_text("\n".join(lines[3:]))
    tables = read_libsvm([folder / "a-train.svm", folder / "a-test.svm"])
    assert [is_sparse(table.X) for table in tables] == [held] * 2
    np.testing.assert_array_equal(tables[0].X.toarray() if held else tables[0].X, wide[:3])


def test_dense_files_stay_dense_whatever_they_hold(folder: Path) -> None:
    np.savez(folder / "zeros.npz", X=X, Y=Y)
    assert read_files(folder / "zeros.npz").form == "dense"
    rows = "\n".join(",".join(f"{v:g}" for v in [*x, *y]) for x, y in zip(X, Y, strict=True))
    data = read_files(write_arff(folder / "zeros.arff", rows), labels=["l0", "l1"])
    assert data.form == "dense"


def test_dense_and_sparse_files_of_the_same_rows_are_told_apart_but_match(folder: Path) -> None:
    np.savez(folder / "dense.npz", X=X, Y=Y)
    np.savez(folder / "csr.npz", Y=Y, **arrays(X))
    dense, sparse = read_files(folder / "dense.npz"), read_files(folder / "csr.npz")
    assert sparse.fingerprint != dense.fingerprint
    assert sparse.matches(dense.fingerprint)
    assert not dense.matches(sparse.fingerprint)
    other = X.copy()
    other[3, 0] = 1
    np.savez(folder / "other.npz", X=other, Y=Y)
    assert not sparse.matches(read_files(folder / "other.npz").fingerprint)


def test_every_format_gives_the_same_fingerprint(folder: Path) -> None:
    pairs = [" ".join(f"{i}:{v:g}" for i, v in enumerate(x) if v) for x in X]
    labels = [",".join(str(i) for i in np.flatnonzero(y)) for y in Y]
    lines = [f"{a} {b}" for a, b in zip(labels, pairs, strict=True)]
    lines[1] = " 0:0"
    (folder / "f.svm").write_text("\n".join(lines))
    braces = [[*enumerate(x), *enumerate(y, 20)] for x, y in zip(X, Y, strict=True)]
    texts = ["{" + ",".join(f"{i} {v:g}" for i, v in row if v) + "}" for row in braces]
    write_arff(folder / "f.arff", "\n".join(texts))
    np.savez(folder / "f.npz", Y=Y, **arrays(X, "X_"))
    write_lists(folder / "f.parquet", *lists_of(X), label0=Y[:, 0], label1=Y[:, 1])
    chosen: dict[str, Any] = {"arff": ["l0", "l1"]}
    found = {
        ending: read_files(folder / f"f.{ending}", labels=chosen.get(ending))
        for ending in ("svm", "arff", "npz", "parquet")
    }
    assert {data.form for data in found.values()} == {"sparse"}
    assert len({data.fingerprint for data in found.values()}) == 1


def test_a_random_split_takes_the_rows_that_it_takes_of_dense_ones(folder: Path) -> None:
    np.savez(folder / "dense.npz", X=X, Y=Y)
    np.savez(folder / "csr.npz", Y=Y, **arrays(X))
    dense, sparse = (load(str(folder / f"{n}.npz"), split="random:0.5:3") for n in ("dense", "csr"))
    assert_sparse(sparse.X_train, dense.X_train)
    assert_sparse(sparse.X_test, dense.X_test)
    np.testing.assert_array_equal(sparse.Y_test, dense.Y_test)


# libsvm


def test_a_row_of_libsvm_costs_what_is_not_zero(folder: Path) -> None:
    path = folder / "wide.svm"
    path.write_text("1 1:0.5 100000000:2\n2\n 7:0\n1 99999999:1e-60\n")
    (table,) = read_libsvm([path])
    assert table.X.shape == (4, 100_000_000)
    assert table.X.indices.tolist() == [0, 99_999_999]
    assert table.X.data.tolist() == [0.5, 2]  # a number that rounds to zero is one
    assert table.X.indptr.tolist() == [0, 2, 2, 2, 2]
    assert table.feature_names[-1] == "100000000"


@given(table=sparse_tables())
def test_libsvm_comes_back(folder: Path, table: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = table
    lines = ["0,1,2 39:1"]  # so that all columns occur
    for row, bits in zip(x, y, strict=True):
        pairs = "".join(f" {i}:{float(v)!r}" for i, v in enumerate(row) if v)
        lines.append(",".join(map(str, np.flatnonzero(bits))) + (pairs or " 0:0"))
    path = folder / "b.svm"
    path.write_text("\n".join(lines) + "\n0 0:0")
    (found,) = read_libsvm([path])
    assert_sparse(found.X[1:-1], x)
    np.testing.assert_array_equal(found.Y[1:-1], y)


# ARFF


@given(table=sparse_tables())
def test_sparse_arff_comes_back(folder: Path, table: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = table
    rows = []
    for row, bits in zip(x, y[:, :2], strict=True):
        cells = [*enumerate(row), *enumerate(bits, N_FEATURES)]
        rows.append("{" + ", ".join(f"{i} {float(v)!r}" for i, v in cells[:-2] if v))
        rows[-1] += "".join(f", {i} '{v}'" for i, v in cells[-2:] if v).removeprefix(
            ", " if rows[-1] == "{" else ""
        )
        rows[-1] += "}"
    path = write_arff(folder / "b.arff", "\n".join(rows), N_FEATURES)
    found = read_arff(path, ["l0", "l1"])
    assert_sparse(found.X, x)
    np.testing.assert_array_equal(found.Y, y[:, :2])


@given(data=st.data())
def test_damaged_sparse_arff_is_read_or_refused_as_if_it_were_read_dense(
    folder: Path, data: st.DataObject
) -> None:
    rows = ["{2 1.5, 5 -2, 20 1}", "{}", "{19 .25,20 1,21 '1'}", "{ 0 1e3 , 21 1 } "]
    path = write_arff(folder / "d.arff", "\n".join(rows))
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    found = []
    for worth in (arff.is_worth, lambda *_: False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arff, "is_worth", worth)
            try:
                table = read_arff(path, ["l0", "l1"])
            except DataError as error:
                found.append(str(error))
            else:
                found.append((dense_rows(table.X).tolist(), table.Y.tolist()))
    assert found[0] == found[1]


@given(data=st.data())
def test_damaged_sparse_libsvm_is_read_or_refused_as_if_it_were_read_dense(
    folder: Path, data: st.DataObject
) -> None:
    path = folder / "d.svm"
    path.write_bytes(data.draw(damaged(b"0,1 3:1.5 6:-2\n 20:0\n1 1:1e-50 20:.25\n0 1:1\n")))
    found = []
    for pays in (libsvm.pays, lambda *_: False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(libsvm, "pays", pays)
            # What is wide only by damage must not be written out.
            patch.setattr(libsvm_rows, "MAX_FEATURE", 1000)
            patch.setattr(libsvm_rows, "MAX_LABEL", 1000)
            try:
                (table,) = read_libsvm([path])
            except DataError as error:
                found.append(str(error))
            else:
                found.append((dense_rows(table.X).tolist(), table.Y.tolist()))
    assert found[0] == found[1]


def test_omitted_labels_may_be_1(folder: Path) -> None:
    path = write_arff(folder / "b.arff", "{3 1}\n{20 0}\n{}", labels="{1,0}")
    table = read_arff(path, ["l0", "l1"])
    assert is_sparse(table.X)
    assert table.Y.tolist() == [[1, 1], [0, 1], [1, 1]]


def test_a_nominal_feature_whose_omitted_value_is_not_zero_makes_rows_dense(folder: Path) -> None:
    path = folder / "b.arff"
    names = "\n".join(f"@attribute x{i} numeric" for i in range(9))
    path.write_text(
        f"@relation r\n{names}\n@attribute n {{5,0}}\n@attribute l {{0,1}}\n@data\n{{}}\n"
    )
    table = read_arff(path, ["l"])
    assert table.X.tolist() == [[0] * 9 + [5]]


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ("{1 1,1 2}", [":25:", "increase", "but got '1' after 1"]),
        ("{2 1,1 2}", [":25:", "increase", "but got '1' after 2"]),
        ("{}\n{22 1}", [":26:", "between 0 and 21", "but got '22'"]),
        ("{3 1e39}", [":25:", "float32", "but got 1e+39 for 'x3'"]),
        ("{3 nan}", [":25:", "decimal number", "but got 'nan' for 'x3'"]),
        ("{3 ?}", [":25:", "missing"]),
        ("{21 0.5}", [":25:", "0, 1", "but got '0.5' for 'l1'"]),
    ],
)
def test_refused_sparse_arff(folder: Path, rows: str, facts: list[str]) -> None:
    path = write_arff(folder / "c.arff", rows)
    refusal = refused(lambda: read_arff(path, ["l0", "l1"]))
    says(refusal, f"{path}{facts[0]}", *facts[1:])


def test_a_numeric_label_of_sparse_arff_must_be_0_or_1(folder: Path) -> None:
    path = write_arff(folder / "c.arff", "{3 1}\n{21 0.5}", labels="numeric")
    says(refused(lambda: read_arff(path, ["l0", "l1"])), ":26:", "0 or 1", "0.5 for 'l1'")


def refused(read: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        read()
    return caught.value


# NumPy archives


@pytest.mark.parametrize("prefix", ["", "X_"])
@pytest.mark.parametrize(
    "types",
    [
        ("f8", "i8", "i8"),
        *(
            pytest.param(t, marks=pytest.mark.slow)
            for t in (("i2", "u1", ">i4"), ("?", "i4", "u8"))
        ),
    ],
)
@given(table=sparse_tables())
def test_csr_arrays_of_any_type_come_back(
    folder: Path, prefix: str, types: tuple[str, str, str], table: tuple[np.ndarray, np.ndarray]
) -> None:
    x, y = table
    if types[0] != "f8":
        x = (x != 0).astype(np.float32)
    given_arrays = arrays(x, prefix)
    for name, kind in zip(("data", "indices", "indptr"), types, strict=True):
        given_arrays[prefix + name] = given_arrays[prefix + name].astype(kind)
    np.savez(folder / "b.npz", Y=y, **given_arrays)
    (found,) = read_npz(folder / "b.npz")
    assert_sparse(found.X, x)
    np.testing.assert_array_equal(found.Y, y)


def test_what_scipy_saves_is_read_with_labels_beside(folder: Path) -> None:
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, scipy.sparse.csr_matrix(X))
    stream.seek(0)
    path = folder / "saved.npz"
    with np.load(stream) as saved:
        np.savez(path, Y=Y, **saved)
    assert_sparse(read_npz(path)[0].X, X)
    path.write_bytes(stream.getvalue())
    says(refused(lambda: read_npz(path)), "X and Y")


def test_four_parts_of_an_archive(folder: Path) -> None:
    parts = {**arrays(X[:3], "X_train_"), **arrays(X[3:], "X_test_")}
    np.savez(folder / "four.npz", Y_train=Y[:3], Y_test=Y[3:], **parts)
    data = read_files(folder / "four.npz")
    assert_sparse(data.X_train, X[:3])
    assert_sparse(data.X_test, X[3:])


def test_explicit_zeros_are_dropped(folder: Path) -> None:
    zeros = arrays(X, data=np.array([1.5, 0, 0.25]))
    np.savez(folder / "zeros.npz", Y=Y, **zeros)
    wanted = X.copy()
    wanted[0, 5] = 0
    assert_sparse(read_npz(folder / "zeros.npz")[0].X, wanted)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"data": np.array([1, np.nan, 1])}, [":data[1]:", "float32", "but got nan"]),
        ({"data": np.array([1, 1e39, 1])}, [":data[1]:", "float32", "but got 1e+39"]),
        ({"data": np.ones(2)}, [":indices:", "2 entries", "but got 3"]),
        ({"data": np.ones((3, 1))}, [":data:", "list", "(3, 1)"]),
        ({"indices": np.array([2, 20, 0])}, [":indices[1]:", "between 0 and 19", "but got 20"]),
        ({"indices": np.array([-1, 2, 0])}, [":indices[0]:", "between 0 and 19", "but got -1"]),
        ({"indices": np.array([5, 5, 0])}, [":X row 1:", "increase", "but got 5 after 5"]),
        ({"indices": np.array([5, 2, 0])}, [":X row 1:", "increase", "but got 2 after 5"]),
        ({"indices": np.array([1.0, 2, 0])}, [":indices:", "integer"]),
        ({"indptr": np.array([0, 2, 2, 3])}, [":indptr:", "5 entries", "but got 4"]),
        ({"indptr": np.array([0, 2, 1, 3, 3])}, [":indptr[2]:", "fall", "but got 1 after 2"]),
        ({"indptr": np.array([0, 2, 2, 2, 2])}, [":indptr:", "from 0 to 3", "but got 0 to 2"]),
        ({"indptr": np.array([1, 2, 2, 3, 3])}, [":indptr:", "from 0 to 3", "but got 1 to 3"]),
        ({"indptr": np.array([0, 2, 2, 4, 3])}, [":indptr[3]:", "0 and 3", "but got 4"]),
        ({"shape": np.array([3, 20])}, [":Y:", "3 rows", "but got 4"]),
        ({"shape": np.array([4, 0])}, [":shape:", "at least one", "(4, 0)"]),
        ({"shape": np.array([4, 2**31])}, [":shape[1]:", "2,147,483,647", "but got 2147483648"]),
        ({"shape": np.array([4])}, [":shape:", "two whole numbers"]),
        ({"format": np.array(b"csc")}, [":format:", "'csr'", "but got 'csc'"]),
        ({"format": np.zeros(3)}, [":format:", "word"]),
    ],
)
def test_refused_csr_arrays(folder: Path, changes: dict[str, Any], facts: list[str]) -> None:
    path = folder / "c.npz"
    np.savez(path, Y=Y, **arrays(X, **changes))
    says(refused(lambda: read_npz(path)), f"{path}{facts[0]}", *facts[1:])


@given(data=st.data())
def test_damaged_csr_archives_are_refused_or_read_right(folder: Path, data: st.DataObject) -> None:
    stream = io.BytesIO()
    data.draw(st.sampled_from([np.savez, np.savez_compressed]))(stream, Y=Y, **arrays(X))
    content = bytearray(stream.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(len(content) // 2, 2 * len(content))) :]
    path = folder / "d.npz"
    path.write_bytes(content)
    try:
        (table,) = read_npz(path)
    except DataError:
        return
    assert_sparse(table.X, X)
    np.testing.assert_array_equal(table.Y, Y)


@given(data=st.data())
def test_any_csr_arrays_are_refused_or_read_as_scipy_does(
    folder: Path, data: st.DataObject
) -> None:
    """SciPy's own full check says what is a matrix; ours refuses unsorted and equal columns too."""
    small = st.integers(-1, 4)
    parts = {
        "data": np.array(data.draw(st.lists(small, max_size=5)), np.float32),
        "indices": np.array(data.draw(st.lists(small, max_size=5)), np.int32),
        "indptr": np.array(data.draw(st.lists(small, min_size=2, max_size=4)), np.int32),
        "shape": np.array([3, 4]),
    }
    path = folder / "e.npz"
    np.savez(path, Y=np.ones((3, 1)), **parts)
    try:
        (table,) = read_npz(path)
    except DataError:
        return
    theirs = scipy.sparse.csr_array((parts["data"], parts["indices"], parts["indptr"]), (3, 4))
    theirs.check_format(full_check=True)
    assert theirs.has_canonical_format
    assert_sparse(table.X, theirs.toarray())


# Parquet


@given(table=sparse_tables())
def test_lists_of_parquet_come_back(folder: Path, table: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = table
    labels = {f"label{i}": y[:, i] for i in range(N_LABELS)}
    path = write_lists(folder / "b.parquet", *lists_of(x), n_features=N_FEATURES, **labels)
    found = read_parquet(path)
    assert_sparse(found.X, x)
    np.testing.assert_array_equal(found.Y, y)
    assert found.feature_names[0] == "feature_1"
    assert found.label_names == tuple(labels)


def test_parts_of_parquet_have_as_many_features(folder: Path) -> None:
    paths = [folder / "p-train.parquet", folder / "p-test.parquet"]
    write_lists(paths[0], [[0], []], [[1.0], []], label=[0, 1])
    write_lists(paths[1], [[30]], [[2.0]], label=[1])
    train, test = read_tables(paths)
    assert train.X.shape == (2, 31)
    assert test.X.shape == (1, 31)
    write_lists(paths[1], [[30]], [[2.0]], n_features=50, label=[1])
    assert [table.X.shape[1] for table in read_tables(paths)] == [50, 50]


@pytest.mark.parametrize(
    ("indices", "values", "labels", "n_features", "facts"),
    [
        ([[1], [3, 3]], [[1], [1, 2]], {}, None, [":row 2:", "increase", "3 after 3"]),
        ([[1], [3, 2]], [[1], [1, 2]], {}, None, [":row 2:", "increase", "2 after 3"]),
        ([[1], [-1]], [[1], [1]], {}, None, [":row 2:", "between 0 and", "but got -1"]),
        ([[1], [7]], [[1], [1]], {}, 7, [":row 2:", "between 0 and 6", "but got 7"]),
        ([[1], [2**31]], [[1], [1]], {}, None, [":row 2:", "between 0", "but got 2147483648"]),
        ([[1], [2]], [[1], [np.nan]], {}, None, [":row 2:", "float32", "but got nan"]),
        ([[1], [2]], [[1], [1e39]], {}, None, [":row 2:", "float32", "but got 1e+39"]),
        ([[1], [2, 3]], [[1], [1]], {}, None, [":row 2:", "equally long", "2 and 1"]),
        ([[1], None], [[1], [1]], {}, None, [":row 2:", "missing", "'indices'"]),
        ([[1], [2]], [[1], [None]], {}, None, [":row 2:", "missing", "'values'"]),
        ([[1], [2]], [[1], [1]], {"label": [0, 2]}, None, [":row 2:", "0 or 1", "2.0 in column"]),
        ([[1], [2]], [[1], [1]], {"x": [0, 2]}, None, [":", "must be a label", "'x'"]),
        ([[], []], [[], []], {}, None, [":", "at least one feature"]),
        ([[1], [2]], [[1], [1]], {"label": ["a", "b"]}, None, [":", "'label'", "string"]),
    ],
)
def test_refused_lists_of_parquet(
    folder: Path,
    indices: list[Any],
    values: list[Any],
    labels: dict[str, Any],
    n_features: int | None,
    facts: list[str],
) -> None:
    path = write_lists(
        folder / "c.parquet", indices, values, n_features, **{"label": [0, 1], **labels}
    )
    says(refused(lambda: read_parquet(path)), f"{path}{facts[0]}", *facts[1:])


def test_lists_must_be_numbers(folder: Path) -> None:
    path = folder / "c.parquet"
    table = pa.table({"indices": [[0.5]], "values": [[1.0]], "label": [1]})
    pa.parquet.write_table(table, path)
    says(refused(lambda: read_parquet(path)), str(path), "'indices'", "integers", "double")


# Readers of others


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_reader_of_others_may_return_any_sparse_matrix(kind: str) -> None:
    path, names = Path("a.jsonl"), [f"x{i}" for i in range(20)]
    table = table_of(path, scipy.sparse.csr_array(X).asformat(kind), Y, names, ["a", "b"])
    assert_sparse(table.X, X)
    bad = X.copy()
    bad[2, 19] = np.inf
    rows = scipy.sparse.csr_array(bad).asformat(kind)
    error = refused(lambda: table_of(path, rows, Y, names, ["a", "b"]))
    says(error, "a.jsonl:row 3:", "float32", "inf in column 20")
    short = scipy.sparse.csr_array(X[:3]).asformat(kind)
    says(refused(lambda: table_of(path, short, Y, names, ["a", "b"])), "4 and 3")
