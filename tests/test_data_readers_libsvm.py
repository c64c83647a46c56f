"""Multilabel libsvm text: what is read, and what is refused and why."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says
from test_data_readers_tools import ENDS, FLOATS, damaged, spelled

from topk_tune.data.readers import DataError, read_libsvm
from topk_tune.data.rows import dense_rows

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
Rows = list[tuple[set[int], dict[int, np.float32]]]


def naive(content: bytes) -> Rows:
    """Read labels and values by their ids, without thinking of columns."""
    rows: Rows = []
    for line in re.split("\r?\n", content.decode("utf-8-sig")):
        words = [word for word in re.split("[ \t]", line.split("#")[0]) if word]
        if not words:
            continue
        labels = [] if ":" in words[0] else words.pop(0).split(",")
        pairs = [word.split(":") for word in words]
        assert all(NUMBER.fullmatch(value) for _, value in pairs)
        values = {int(index): np.float32(float(value)) for index, value in pairs}
        assert list(values) == sorted(int(index) for index, _ in pairs)
        rows.append(({int(label) for label in labels}, values))
        assert len(rows[-1][0]) == len(labels)
    return rows


def read(path: Path) -> Rows:
    """Read a file and go back from columns to ids."""
    (table,) = read_libsvm([path])
    assert table.X.dtype == np.float32
    assert table.Y.dtype == np.uint8
    label_ids, feature_ids = map(int, table.label_names), list(map(int, table.feature_names))
    label_ids = list(label_ids)
    assert label_ids[0] in (0, 1)
    assert feature_ids[0] in (0, 1)
    return [
        (
            {label for label, bit in zip(label_ids, y, strict=True) if bit},
            dict(zip(feature_ids, x, strict=True)),
        )
        for x, y in zip(dense_rows(table.X), table.Y, strict=True)
    ]


def assert_same(found: Rows, expected: Rows) -> None:
    assert len(found) == len(expected)
    for (labels, values), (true_labels, true_values) in zip(found, expected, strict=True):
        assert labels == true_labels
        assert true_values.keys() <= values.keys()
        assert all(values[i] == true_values.get(i, 0) for i in values)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A legal file; its first row makes sure that there is a label and a feature."""
    lines = ["3 2:1"]
    for _ in range(draw(st.integers(0, 4))):
        labels = draw(st.lists(st.integers(0, 6), unique=True))
        ids = sorted(draw(st.sets(st.integers(0, 9))))
        pairs = [f"{i}:{draw(spelled(draw(FLOATS)))}" for i in ids]
        blank = st.sampled_from([" ", "\t", "  "])
        line = ",".join(map(str, labels)) + "".join(draw(blank) + pair for pair in pairs)
        if line:
            lines.append(line + draw(st.sampled_from(["", " ", " # note", "#3 1:2"])))
    lines.insert(draw(st.integers(0, len(lines))), "# 1,2 3:4")
    content = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    content += b"".join(line.encode() + draw(ENDS) for line in lines)
    return content + draw(st.sampled_from([b"", b"\n", b" \r\n\n"]))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("libsvm") / "data.svm"


@given(content=files())
def test_odd_but_legal_files_come_back(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert_same(read(path), naive(content))


@given(data=st.data())
def test_damaged_files_are_refused_or_read_as_a_naive_parser_does(
    path: Path, data: st.DataObject
) -> None:
    content = data.draw(damaged(data.draw(files())))
    path.write_bytes(content)
    try:
        found = read(path)
    except DataError:
        return
    assert_same(found, naive(content))


@given(content=st.one_of(st.binary(max_size=30), st.text("0123456789:, .#e-\n", max_size=40)))
def test_anything_is_refused_or_read_as_a_naive_parser_does(
    path: Path, content: bytes | str
) -> None:
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(content)
    try:
        found = read(path)
    except DataError:
        return
    assert_same(found, naive(content))


def test_ids_count_from_1_unless_0_occurs_in_any_part(tmp_path: Path) -> None:
    train, test = tmp_path / "train.svm", tmp_path / "test.svm"
    train.write_text("1,3 1:0.5 3:2\n 2:1\n")
    test.write_text("2 4:1\n2:7\n")
    one, two = read_libsvm([train, test])
    assert one.label_names == two.label_names == ("1", "2", "3")
    assert one.feature_names == two.feature_names == ("1", "2", "3", "4")
    assert one.X.tolist() == [[0.5, 0, 2, 0], [0, 1, 0, 0]]
    assert one.Y.tolist() == [[1, 0, 1], [0, 0, 0]]
    assert two.X.tolist() == [[0, 0, 0, 1], [0, 7, 0, 0]]
    test.write_text("0 4:1\n")
    one, two = read_libsvm([train, test])
    assert one.label_names == ("0", "1", "2", "3")
    assert one.feature_names == ("1", "2", "3", "4")
    assert one.Y.tolist() == [[0, 1, 0, 1], [0, 0, 0, 0]]


def test_the_number_of_labels_adds_columns(path: Path) -> None:
    path.write_text("1 1:1\n")
    (table,) = read_libsvm([path], 3)
    assert table.label_names == ("1", "2", "3")
    path.write_text("1,4 1:1\n")
    with raises(DataError, "at least 4", "got 3"):
        read_libsvm([path], 3)


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("", [":", "label", "but got none in any part"]),
        (" 1:1\n", [":", "label", "but got none in any part"]),
        ("1\n", [":", "feature", "but got none in any part"]),
        ("1 2:1 2:1\n", [":1:", "increase", "but got 2 after 2"]),
        ("1 3:1 2:1\n", [":1:", "increase", "but got 2 after 3"]),
        ("1 1:1\n1,1 1:1\n", [":2:", "distinct", "but got '1,1'"]),
        ("1, 1:1\n", [":1:", "0 and 1,000,000", "but got ''"]),
        ("-1 1:1\n", [":1:", "0 and 1,000,000", "but got '-1'"]),
        ("1000001 1:1\n", [":1:", "0 and 1,000,000", "but got '1000001'"]),
        (
            "1 100000001:1\n",
            [":1:", "0 and 100,000,000", "but got '100000001'"],
        ),
        ("1 qid:1\n", [":1:", "0 and 100,000,000", "but got 'qid'"]),
        ("1 1:\n", [":1:", "missing", "but got ''"]),
        ("1 1:nan\n", [":1:", "decimal number", "but got 'nan'"]),
        (
            "1 1:-1e39\n",
            [":1:", "float32", "but got '-1e39'"],
        ),
        ("100 5 3\n1 1:1\n", [":1:", "ID:VALUE", "but got '5'"]),
        (
            "1 1:1\n\n1 1:1\n",
            [":2:", "1:0", "but got a row after it"],
        ),
    ],
)
def test_refusals_name_the_line_the_rule_and_the_value(
    path: Path, content: str, facts: list[str]
) -> None:
    path.write_text(content)
    with pytest.raises(DataError) as refusal:
        read_libsvm([path])
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


@pytest.mark.parametrize("value", ["3.4028235677973362e38", "3.4028235677973366e38"])
def test_the_bound_of_overflow_is_that_of_float32(path: Path, value: str) -> None:
    path.write_text(f"1 1:{value}\n")
    with np.errstate(over="ignore"):
        finite = bool(np.isfinite(np.float32(float(value))))
    try:
        read_libsvm([path])
    except DataError:
        assert not finite
    else:
        assert finite


def test_an_empty_part_is_refused(tmp_path: Path) -> None:
    train, test = tmp_path / "train.svm", tmp_path / "test.svm"
    train.write_text("1 1:1\n")
    test.write_text("")
    with raises(DataError, "test.svm:", "at least one row"):
        read_libsvm([train, test])


def test_arrays_beyond_the_memory_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4_000_000))
    path.write_text("999999 1:1\n" * 5)
    with raises(DataError, "free memory", "999,999 labels"):
        read_libsvm([path])
