"""CSV files: what is read, what is refused and why, and in how much memory."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says
from test_data_readers_tools import BITS, ENDS, FLOATS, damaged, spelled

from topk_tune.data.readers import DataError, Table, csv_fast, csv_table, read_csv
from topk_tune.data.readers.parts import find_parts
from topk_tune.data.readers.table import Filler

NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


def naive_fields(line: str, separator: str = ",") -> list[str]:
    fields, quoted, position = [""], False, 0
    while position < len(line):
        char = line[position]
        if quoted and line[position : position + 2] == '""':
            fields[-1] += '"'
            position += 1
        elif char == '"' and (quoted or fields[-1] == ""):
            quoted = not quoted
        elif char == separator and not quoted:
            fields.append("")
        else:
            fields[-1] += char
        position += 1
    return fields


def spellings(value: bool) -> list[str]:
    return [str(value), str(value).lower(), str(value).upper()]


def naive(content: bytes, n_labels: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    lines = [line for line in re.split("\r?\n", content.decode("utf-8-sig")) if line]
    separator = next((each for each in ",;\t" if len(naive_fields(lines[0], each)) > 1), ",")
    header, *rows = [naive_fields(line, separator) for line in lines]
    assert all(len(row) == len(header) for row in rows)
    if not header[0].strip(" \t"):  # an index
        header, rows = header[1:], [row[1:] for row in rows]
    booleans = {form: str(int(b)) for b in (True, False) for form in spellings(b)}
    rows = [[booleans.get(text, text) for text in row] for row in rows]
    assert all(NUMBER.fullmatch(text) for row in rows for text in row)
    values = np.array(rows, dtype=np.float64)
    X, Y = values[:, :-n_labels].astype(np.float32), values[:, -n_labels:].astype(np.uint8)
    assert np.isfinite(X).all()
    assert (values[:, -n_labels:] == Y).all()
    return [name.strip(" \t") for name in header], X, Y


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, list[str], np.ndarray, np.ndarray]:
    """A legal file with one or two labels at its end, and what it holds."""
    letters = st.characters(codec="utf-8", exclude_characters="\r\n\0")
    texts = st.text(letters, min_size=1, max_size=5).map(lambda text: "n" + text.strip(" \t"))
    names = draw(st.lists(texts, min_size=3, max_size=5, unique=True))
    n_features = len(names) - 2
    X = np.array(
        draw(
            st.lists(
                st.lists(FLOATS, min_size=n_features, max_size=n_features), min_size=1, max_size=4
            )
        ),
        dtype=np.float32,
    )
    Y = np.array([[draw(BITS), draw(BITS)] for _ in X], dtype=np.uint8)
    quote = st.booleans()
    head = [
        '"' + name.replace('"', '""') + '"' if draw(quote) or set(name) & set('",') else name
        for name in names
    ]
    rows = []
    for x, y in zip(X, Y, strict=True):
        cells = [draw(spelled(v)) for v in x] + [
            draw(st.sampled_from([f"{v}", f"{v}.0", f"0{v}"])) for v in y
        ]
        cells = [draw(st.sampled_from(["", " ", "\t"])) + cell for cell in cells]
        rows.append(",".join(f'"{c}"' if draw(st.integers(0, 9)) == 0 else c for c in cells))
    content = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    for line in [",".join(head), *rows]:
        content += line.encode() + draw(ENDS) * draw(st.integers(1, 2))
    return (content.rstrip() if draw(st.booleans()) else content), names, X, Y


def write(folder: Path, content: bytes) -> Path:
    path = folder / "data.csv"
    path.write_bytes(content)
    return path


def check(table: Table, names: list[str], X: np.ndarray, Y: np.ndarray) -> None:
    assert table.X.dtype == np.float32
    assert table.Y.dtype == np.uint8
    assert table.X.flags.c_contiguous
    assert table.Y.flags.c_contiguous
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.Y, Y)
    assert [*table.feature_names, *table.label_names] == names


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


@pytest.mark.slow
@given(case=files())
def test_odd_but_legal_files_come_back(
    folder: Path, case: tuple[bytes, list[str], np.ndarray, np.ndarray]
) -> None:
    content, names, X, Y = case
    check(read_csv(write(folder, content), 2), names, X, Y)


@given(data=st.data())
def test_damaged_files_are_refused_or_read_as_a_naive_parser_does(
    folder: Path, data: st.DataObject
) -> None:
    content = data.draw(damaged(data.draw(files())[0]))
    try:
        table = read_csv(write(folder, content), 2)
    except DataError:
        return
    check(table, *naive(content, 2))


@given(content=st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode)))
def test_anything_is_refused_or_read_as_a_naive_parser_does(folder: Path, content: bytes) -> None:
    for start in (b"", b"a,b\n"):
        try:
            table = read_csv(write(folder, start + content), 1)
        except DataError:
            continue
        check(table, *naive(start + content, 1))


STARTS = ("a,b\n1,0\n", "a;b\n1;0\n", "a\tb\n1\t0\n", ",a,b\n7,1,0\n")


@given(start=st.sampled_from(STARTS), rows=st.lists(st.text("01.eE+-,; \t\r\n9", max_size=12)))
def test_the_fast_way_decides_as_the_slow_one(folder: Path, start: str, rows: list[str]) -> None:
    path = write(folder, (start + "\n".join(rows[:5])).encode())
    outcomes = []
    for fill in (csv_table.fill_fast, lambda *_: False):
        with mock.patch.object(csv_table, "fill_fast", fill):
            try:
                table = read_csv(path, 1)
                outcomes.append((table.X.tolist(), table.Y.tolist()))
            except DataError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@given(rows=st.text("1\r\n,x", max_size=8), chunk=st.integers(1, 4))
def test_the_survey_sees_the_same_in_chunks_of_any_size(
    folder: Path, rows: str, chunk: int
) -> None:
    path = write(folder, b"head\n" + rows.encode())
    with mock.patch.object(csv_fast, "_SURVEY_BYTES", chunk):
        plain, newlines = csv_fast.survey(path, 5)
    assert newlines == rows.count("\n")
    assert plain == ("x" not in rows and "\r" not in rows.replace("\r\n", ""))


@pytest.mark.parametrize("number", ["1.00000017881393432617", "7.038531e-26", "1e-46", "-0.0"])
def test_both_ways_round_alike(tmp_path: Path, number: str) -> None:
    """Some of these differ if they are rounded to float32 in one step."""
    for cell in (number, f'"{number}"'):
        (value,) = read_csv(write(tmp_path, f"x,label\n{cell},1\n".encode())).X[0]
        assert value.tobytes() == np.float32(float(number)).tobytes()


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"", [":", "header", "but got an empty file"]),
        (b"\n\r\n", [":", "header", "but got an empty file"]),
        (b"x,label\n", [":", "at least one row", "but got none"]),
        (b"x,label", [":", "at least one row", "but got none"]),
        (b"x,label\n1\n", [":2:", "2 values", "but got 1"]),
        (
            b"x,label\n1,0\n\n1,2,3\n",
            [":4:", "2 values", "but got 3"],
        ),
        (b"x,label\n1,0\n,0\n", [":3:", "missing", "but got '' in column 'x'"]),
        (b"x,label\n1,2\n", [":2:", "0 or 1", "but got '2' in column 'label'"]),
        (
            b"x,label\n1,nan\n",
            [":2:", "decimal number", "but got 'nan' in column 'label'"],
        ),
        (
            b"x,label\n1,0\n1e400,0\n",
            [":3:", "float32", "but got '1e400' in column 'x'"],
        ),
        (
            b"x,label\n-3.5e38,0\n",
            [":2:", "float32", "but got '-3.5e38' in column 'x'"],
        ),
        (b"x,label\n1_0,0\n", [":2:", "decimal number", "but got '1_0' in column 'x'"]),
        (
            b"x,label\n1,0\n\xff,0\n",
            [":3:", "UTF-8", "but got byte 0xff at byte 1 of the line"],
        ),
        (
            "x,label\n1,0\n".encode("utf-16"),
            [":1:", "NUL", "but got a NUL at byte 4 of the line"],
        ),
        (
            b"x,label\n1,\x000\n",
            [":2:", "NUL", "but got a NUL at byte 3 of the line"],
        ),
        (
            b"x,label\r1,0\r",
            [":1:", "LF or CRLF", "but got a lone CR at byte 8 of the line"],
        ),
        (
            b'x,label\n"1,0\n',
            [":2:", "quoted", "but got '\"1,0' (unexpected end of data)"],
        ),
        (
            b'x,label\n"1"2,0\n',
            [":2:", "quoted", "but got '\"1\"2,0' (',' expected after '\"')"],
        ),
        (b"x,x,label\n1,2,0\n", [":1:", "distinct", "but got 'x' twice"]),
        (b"x,,label\n1,2,0\n", [":1:", "name", "but got none for column 2"]),
        (
            b"0.5,1\n0.6,0\n",
            [":1:", "header", "but got the number '0.5'"],
        ),
        (
            b"x,y\n1,0\n",
            [":1:", "'label'", "but got only 'x', 'y'"],
        ),
        (b"label\n1\n", [":1:", "feature", "but got labels only"]),
    ],
)
def test_refusals_name_the_line_the_rule_and_the_value(
    tmp_path: Path, content: bytes, facts: list[str]
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(DataError) as refusal:
        read_csv(path)
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


def test_a_huge_field_is_refused_in_a_short_message(tmp_path: Path) -> None:
    path = write(tmp_path, b"x,label\n" + b"a" * 300_000 + b",0\n")
    with pytest.raises(DataError, match=r":2: .*decimal number") as refusal:
        read_csv(path)
    assert len(str(refusal.value)) < len(str(path)) + 200


def test_an_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topk_tune.data.readers.lines.MAX_LINE_BYTES", 100)
    path = write(tmp_path, b"x,label\n" + b"1" * 101 + b"\n")
    monkeypatch.setattr(csv_table, "fill_fast", lambda *_: False)
    with raises(DataError, ":2:", "100 bytes"):
        read_csv(path)


def test_an_error_behind_many_good_rows_has_its_line(tmp_path: Path) -> None:
    names, row = (b",".join([cell] * 200) for cell in (b"x%d", b"0.5"))
    rows = (row + b",1\n\r\n") * 5000
    content = names % tuple(range(200)) + b",label\n" + rows + row + b",3\n"
    path = write(tmp_path, content)
    with raises(DataError, ":10002:", "0 or 1", "'3'"):
        read_csv(path)


def test_the_slow_way_goes_on_where_the_fast_one_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyarrow takes no line longer than a block, but has filled in those before it by then."""
    monkeypatch.setattr(csv_fast, "_BLOCK_BYTES", 64)
    stops = []

    def fill(filler: Filler, *arguments: Any) -> bool:
        done = csv_fast.fill_fast(filler, *arguments)
        stops.append((done, filler.rows))
        return done

    monkeypatch.setattr(csv_table, "fill_fast", fill)
    values = [str(i) for i in range(100)]
    values[70] = "0" * 200 + "70"
    rows = "".join(f"{value},{i % 2}\n\n" for i, value in enumerate(values))
    table = read_csv(write(tmp_path, f"x,label\n{rows}".encode()))
    ((done, filled),) = stops
    assert not done
    assert 0 < filled <= 70
    assert table.X[:, 0].tolist() == list(range(100))
    assert table.Y[:, 0].tolist() == [0, 1] * 50


@pytest.mark.parametrize(
    ("labels", "expected"),
    [(1, ("c",)), (2, ("b", "c")), (["a"], ("a",)), (["c", "a"], ("a", "c")), ("b", ("b",))],
)
def test_labels_by_number_name_or_prefix(
    tmp_path: Path, labels: int | str | list[str], expected: tuple[str, ...]
) -> None:
    table = read_csv(write(tmp_path, b"a,b,c\n1,1,1\n1,0,0\n"), labels)
    assert table.label_names == expected
    assert set(table.feature_names) == {"a", "b", "c"} - set(expected)


@pytest.mark.parametrize(
    ("labels", "facts"),
    [
        (0, ["1 and 2", "but got 0"]),
        (3, ["1 and 2", "but got 3"]),
        (["d"], ["'a', 'b', 'c'", "but got 'd'"]),
        ([], ["label", "but got an empty list of names"]),
    ],
)
def test_wrong_labels_get_a_rule(tmp_path: Path, labels: int | list[str], facts: list[str]) -> None:
    with raises(DataError, "data.csv:1:", *facts):
        read_csv(write(tmp_path, b"a,b,c\n1,1,1\n"), labels)


_MEASURE = """
import sys
from pathlib import Path
import psutil, pyarrow.csv
from topk_tune.data.readers import read_csv

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

before = peak()
table = read_csv(Path(sys.argv[1]))
print(peak() - before, table.X.nbytes + table.Y.nbytes, *table.X.shape)
"""


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("index", ["", "row"])
@pytest.mark.parametrize("yes, no", [("1", "0"), ("True", "False"), ("true", "false")])
def test_files_as_pandas_and_spreadsheets_write_them(
    tmp_path: Path, separator: str, index: str, yes: str, no: str
) -> None:
    rows = [["tempo", "label_a", "label_b"], ["0.5", yes, no], ["-2", no, yes]]
    if index:
        rows = [[each, *row] for each, row in zip(["", "r 1", "r 2"], rows, strict=True)]
    text = "\n".join(separator.join(row) for row in rows)
    expected = (["tempo", "label_a", "label_b"], np.array([[0.5], [-2]]), np.eye(2))
    check(read_csv(write(tmp_path, text.encode())), *expected)


def test_names_of_a_tsv_file_may_have_commas(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("loudness, dB\tlabel\n0.5\t1\n", encoding="utf-8")
    check(read_csv(path), ["loudness, dB", "label"], np.array([[0.5]]), np.array([[1]]))
    assert find_parts(path) == [path]


def test_a_comma_is_no_decimal_point(tmp_path: Path) -> None:
    path = write(tmp_path, b"x;label\n1;0\n0,5;1\n")
    with raises(DataError, f"{path}:3:", "decimal number", "'0,5'", "'x'"):
        read_csv(path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the peak")
def test_a_large_file_takes_the_memory_of_its_arrays(tmp_path: Path) -> None:
    """150 MB of text become 60 MB of arrays; what comes on top must not grow with the file."""
    path = tmp_path / "large.csv"
    row = ",".join(["0.12345678"] * 95 + ["1"] * 5)
    names = ",".join([*(f"x{i}" for i in range(95)), *(f"label{i}" for i in range(5))])
    with path.open("w") as file:
        file.write(names + "\n")
        for _ in range(140):
            file.write((row + "\n") * 1000)
    command = [sys.executable, "-c", _MEASURE, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    growth, arrays, rows, columns = map(int, run.stdout.split())
    assert (rows, columns) == (140_000, 95)
    assert arrays <= growth < arrays + 64 * 2**20
