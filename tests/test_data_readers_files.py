"""Files and folders of the user: which are read, as what, and every format on real data."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from messages import raises

from topk_tune.data.files import read_files
from topk_tune.data.readers import DataError

Writer = Callable[[Path, np.ndarray, np.ndarray], None]


def names_of(X: np.ndarray, Y: np.ndarray) -> list[str]:
    return [*(f"x{i}" for i in range(X.shape[1])), *(f"label{i}" for i in range(Y.shape[1]))]


def cells(X: np.ndarray, Y: np.ndarray) -> list[list[str]]:
    pairs = zip(X.tolist(), Y.tolist(), strict=True)
    return [[*map(repr, x), *map(str, y)] for x, y in pairs]


def write_csv(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    rows = [names_of(X, Y), *cells(X, Y)]
    path.with_suffix(".csv").write_text("".join(",".join(row) + "\n" for row in rows))


def write_tsv(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    rows = [names_of(X, Y), *cells(X, Y)]
    path.with_suffix(".tsv").write_text("".join("\t".join(row) + "\n" for row in rows))


def write_arff(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    rows = "".join(",".join(row) + "\n" for row in cells(X, Y))
    path.with_suffix(".arff").write_text(arff_header(path, X, Y) + rows)


def write_sparse_arff(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    rows = (
        ",".join(f"{i} {text}" for i, text in enumerate(row) if float(text) != 0)
        for row in cells(X, Y)
    )
    text = "".join(f"{{{row}}}\n" for row in rows)
    path.with_suffix(".arff").write_text(arff_header(path, X, Y) + text)


def arff_header(path: Path, X: np.ndarray, Y: np.ndarray) -> str:
    features, labels = np.split(np.array(names_of(X, Y)), [X.shape[1]])
    xml = "".join(f'<label name="{name}"></label>' for name in labels)
    (path.parent / "data.xml").write_text(f"<labels>{xml}</labels>")
    lines = [f"@attribute {name} numeric" for name in features]
    lines += [f"@attribute {name} {{0,1}}" for name in labels]
    return "\n".join(["@relation data", *lines, "@data\n"])


def write_parquet(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    table = pa.Table.from_arrays([pa.array(c) for c in (*X.T, *Y.T)], names_of(X, Y))
    pq.write_table(table, path.with_suffix(".parquet"))


def write_npz(path: Path, X: np.ndarray, Y: np.ndarray) -> None:
    np.savez(path.with_suffix(".npz"), X=X, Y=Y)


def write_libsvm(path: Path, X: np.ndarray, Y: np.ndarray, suffix: str = ".svm") -> None:
    with path.with_suffix(suffix).open("w") as file:
        for x, y in zip(X.tolist(), Y, strict=True):
            labels = ",".join(map(str, np.flatnonzero(y)))
            file.write(" ".join([labels, *(f"{i}:{v!r}" for i, v in enumerate(x, 1))]) + "\n")


WRITERS = [write_csv, write_arff, write_sparse_arff, write_parquet, write_npz, write_libsvm]


def round_trip(folder: Path, source: Path, write: Writer, rows: int | None = None) -> None:
    arrays = {name: array[:rows] for name, array in np.load(source).items()}
    for part in ("train", "test"):
        write(folder / f"data-{part}", arrays[f"X_{part}"], arrays[f"Y_{part}"])
    data = read_files(folder)
    assert data.name == "data"
    for name, array in arrays.items():
        found = getattr(data, name)
        assert found.dtype == array.dtype
        assert found.flags.c_contiguous
        np.testing.assert_array_equal(found, array)
    assert (data.n_features, data.n_labels) == (found_columns(arrays))


def found_columns(arrays: dict[str, np.ndarray]) -> tuple[int, int]:
    return arrays["X_train"].shape[1], arrays["Y_train"].shape[1]


@pytest.mark.parametrize("write", WRITERS)
def test_emotions_comes_back_from_every_format(
    tmp_path: Path, shared_data: Path, write: Writer
) -> None:
    round_trip(tmp_path, shared_data / "emotions.npz", write)


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", ["scene", "yeast"])
def test_scene_and_yeast_come_back_from_every_format(
    tmp_path: Path, shared_data: Path, write: Writer, name: str
) -> None:
    round_trip(tmp_path, shared_data / f"{name}.npz", write)


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITERS)
def test_part_of_mediamill_comes_back_from_every_format(
    tmp_path: Path, shared_data: Path, write: Writer
) -> None:
    round_trip(tmp_path, shared_data / "mediamill.npz", write, rows=3000)


def test_an_archive_may_hold_both_parts(shared_data: Path) -> None:
    data = read_files(shared_data / "emotions.npz")
    assert data.name == "emotions"
    assert (data.X_train.shape, data.Y_test.shape) == ((391, 72), (202, 6))


def ten_rows(path: Path) -> tuple[np.ndarray, np.ndarray]:
    X = np.arange(20, dtype=np.float32).reshape(10, 2)
    Y = np.array([[i % 2] for i in range(10)], dtype=np.uint8)
    write_csv(path, X, Y)
    return X, Y


def test_one_file_is_split_at_its_tail(tmp_path: Path) -> None:
    X, Y = ten_rows(tmp_path / "my.data")
    for path in (tmp_path / "my.csv", tmp_path, str(tmp_path)):
        data = read_files(path)
        assert data.name == "my"
        np.testing.assert_array_equal(data.X_train, X[:7])
        np.testing.assert_array_equal(data.Y_test, Y[7:])
        assert data.feature_names == ("x0", "x1")
        assert data.label_names == ("label0",)
    assert len(read_files(tmp_path, split="tail:0.5", name="half").X_test) == 5
    assert read_files(tmp_path, split="tail:0.5", name="half").name == "half"


def test_a_random_split_keeps_rows_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topk_tune.data.files._REORDER_BYTES", 40)
    X, Y = ten_rows(tmp_path / "my.data")
    data = read_files(tmp_path, split="random:0.3:5")
    assert len(data.X_test) == 3
    for features, labels in ((data.X_train, data.Y_train), (data.X_test, data.Y_test)):
        rows = (features[:, 0] // 2).astype(int)
        assert list(rows) == sorted(rows)
        np.testing.assert_array_equal(features, X[rows])
        np.testing.assert_array_equal(labels, Y[rows])
    assert not np.array_equal(data.X_test, X[7:])


@pytest.mark.parametrize(
    ("train", "test", "name"),
    [
        ("train.csv", "test.csv", "folder"),
        ("a_train.csv", "a_test.csv", "a"),
        ("A.Train.CSV", "a.test.csv", "A"),
    ],
)
def test_a_folder_with_two_parts(tmp_path: Path, train: str, test: str, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / train).write_text("x,label\n1,0\n")
    (folder / test).write_text("x,label\n2,1\n3,0\n")
    (folder / "whole.csv").write_text("nothing to read here")
    (folder / "README.md").write_text("notes")
    data = read_files(folder)
    assert data.name == name
    assert data.X_train.tolist() == [[1]]
    assert data.X_test.tolist() == [[2], [3]]


@pytest.mark.parametrize(
    ("labels", "expected"), [("2", ("b", "c")), ("a,c", ("a", "c")), ("a", ("a",)), (1, ("c",))]
)
def test_labels_may_come_as_text(
    tmp_path: Path, labels: str | int, expected: tuple[str, ...]
) -> None:
    (tmp_path / "d.csv").write_text("a,b,c\n1,1,1\n0,0,0\n")
    assert read_files(tmp_path, labels=labels).label_names == expected


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([], "no file that ends in .arff, .csv, .tsv, .parquet, .npz, .svm, .libsvm"),
        (["a.csv", "b.csv"], "a.csv, b.csv"),
        (["train.csv"], "train.csv"),
        (["a-train.csv", "a-test.npz"], "a-test.npz, a-train.csv"),
        (
            ["a-test.csv", "a-train.csv", "b-test.csv", "b-train.csv"],
            "a-test.csv, a-train.csv, b-test.csv, b-train.csv",
        ),
    ],
)
def test_unclear_folders_are_refused(tmp_path: Path, files: list[str], found: str) -> None:
    for file in files:
        (tmp_path / file).touch()
    with raises(DataError, f"{tmp_path}:", "NAME-train.SUFFIX", "NAME-test.SUFFIX", found):
        read_files(tmp_path)


def test_a_missing_path_and_a_strange_ending_are_refused(tmp_path: Path) -> None:
    with raises(FileNotFoundError, f"{tmp_path / 'none.csv'}"):
        read_files(tmp_path / "none.csv")
    (tmp_path / "a.xlsx").touch()
    with raises(DataError, ".arff, .csv", ".xlsx"):
        read_files(tmp_path / "a.xlsx")


def test_parts_must_have_the_same_columns(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x,y,label\n1,2,0\n")
    (tmp_path / "test.csv").write_text("y,x,label\n2,1,1\n")
    with raises(DataError, f"{tmp_path / 'test.csv'}:", "2 features", "order"):
        read_files(tmp_path)


@pytest.mark.parametrize(
    ("file", "options", "facts"),
    [
        ("a.npz", {"labels": 2}, ["labels", "archive", 2]),
        ("a.svm", {"labels": "x"}, ["labels", "number", "libsvm", "'x'"]),
        ("a.csv", {"split": "half"}, ["tail:SHARE or random:SHARE:SEED", "'half'"]),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, file: str, options: dict[str, str], facts: list[object]
) -> None:
    ten_rows(tmp_path / file)
    (tmp_path / file).touch()
    with raises(ValueError, *facts):
        read_files(tmp_path / file, **options)


def test_a_split_is_refused_where_there_is_a_test_part(shared_data: Path) -> None:
    with raises(DataError, "split", "test part", "'tail:0.5'"):
        read_files(shared_data / "emotions.npz", split="tail:0.5")
