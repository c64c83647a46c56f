"""Mulan ARFF and XML files: what is read, and what is refused and why."""

import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises, says
from test_data_readers_tools import BITS, ENDS, FLOATS, damaged, spelled

from booster.features import is_sparse
from topk_tune.data.readers import DataError, Table, read_arff
from topk_tune.data.readers.mulan_xml import read_label_names

NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")
ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": r"\\", "'": r"\'", '"': r"\"", "%": r"\%"}
HEADER = "@relation r\n@attribute x numeric\n@attribute a {0,1}\n@data\n"


def naive_words(line: str) -> list[str]:
    """Take a line apart a character at a time; words that were in quotes start with a quote."""
    words, position, word, quote = [], 0, "", ""
    unescape = {code[1]: char for char, code in ESCAPES.items()}
    for_end = line + " "
    while position < len(for_end):
        char = for_end[position]
        if quote:
            if char == "\\" and for_end[position + 1] == "u":
                word += chr(int(for_end[position + 2 : position + 6], 16))
                position += 5
            elif char == "\\":
                word += unescape[for_end[position + 1]]
                position += 1
            elif char == quote:
                words.append(word)
                word = quote = ""
            else:
                word += char
        elif char in " \t,{}%'\"":
            if word:
                words.append(word)
            word = ""
            if char in "'\"":
                quote = word = char
                word = "'"
            if char in ",{}":
                words.append(char)
            if char == "%":
                break
        else:
            word += char
        position += 1
    assert not quote
    return words


def plain(word: str) -> str:
    return word.removeprefix("'")


def naive(content: bytes) -> tuple[list[str], np.ndarray]:
    """Return the names of the attributes and all values."""
    names: list[str] = []
    codes: list[list[str] | None] = []
    rows: list[list[float]] = []
    data = False
    for line in re.split("\r?\n", content.decode("utf-8-sig")):
        words = naive_words(line)
        if not words:
            continue
        if data:
            rows.append(naive_row(words, codes))
        elif words[0].lower() == "@attribute":
            names.append(plain(words[1]))
            nominal = words[2] == "{"
            codes.append([plain(word) for word in words[3:-1:2]] if nominal else None)
        data = data or words[0].lower() == "@data"
    return names, np.array(rows)


def naive_row(words: list[str], codes: list[list[str] | None]) -> list[float]:
    if words[0] == "{":
        pairs = {int(i): plain(v) for i, v in zip(words[1:-1:3], words[2:-1:3], strict=True)}
        omitted = ["0" if values is None else values[0] for values in codes]
        texts = [pairs.get(i, omitted[i]) for i in range(len(codes))]
        assert list(pairs) == sorted(pairs)
    else:
        texts = [plain(word) for word in words[::2]]
        assert all(word == "," for word in words[1::2])
    return [naive_code(text, values) for text, values in zip(texts, codes, strict=True)]


def naive_code(text: str, values: list[str] | None) -> float:
    if values is None or all(NUMBER.fullmatch(value) for value in values):
        assert NUMBER.fullmatch(text)
        assert values is None or text in values or text.strip() in values
        return float(text)
    return float(values.index(text))


def in_quotes(text: str, mark: str = "'") -> str:
    return mark + "".join(ESCAPES.get(char, char) for char in text) + mark


@st.composite
def cells(draw: st.DrawFn, kind: str) -> tuple[str, float]:
    """A value of an attribute, as it is written and as it is read."""
    if kind == "numeric":
        value = draw(FLOATS)
        text = draw(spelled(value))
        return draw(st.sampled_from([text, text, f"'{text}'", f'"{text}"'])), float(value)
    if kind == "words":
        return draw(st.sampled_from([("no", 0), ("'a b'", 1), ("'?'", 2), (r'"it\'s"', 3)]))
    if kind == "numbers":
        return draw(st.sampled_from([("5", 5), ("-2.5", -2.5), ("'0'", 0)]))
    bit = draw(BITS)
    return draw(st.sampled_from([f"{bit}", f"'{bit}'"])), bit


TYPES = {
    "numeric": ["numeric", "REAL", "Integer % note"],
    "words": [r"{no, 'a b' ,'?',  'it\'s'}"],
    "numbers": ["{5,-2.5,0}"],
    "label": ["{0,1}", "{ 0, 1 }", "{1,0}", "{'0',\"1\"}"],
}
OMITTED = {"numeric": 0, "words": 0, "numbers": 5}


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, list[str], np.ndarray, np.ndarray]:
    """A legal file, the names of its labels, and what it holds in the order of the columns."""
    kinds = draw(st.permutations(["numeric", "words", "numbers", "label", "label"]))
    letters = st.characters(codec="utf-8", exclude_characters="\0")
    names = draw(
        st.lists(st.text(letters, min_size=1, max_size=4), min_size=5, max_size=5, unique=True)
    )
    types = [draw(st.sampled_from(TYPES[kind])) for kind in kinds]
    omitted = [
        float("1" in t[:3]) if k == "label" else OMITTED[k]
        for k, t in zip(kinds, types, strict=True)
    ]
    relation, attribute, start = draw(
        st.sampled_from(
            [("@relation", "@attribute", "@data"), ("@RELATION", "@Attribute", "  @DATA % rows")]
        )
    )
    lines = ["% a comment", "", f"{relation} 'some name'"]
    for name, kind in zip(names, types, strict=True):
        quoted = in_quotes(name, draw(st.sampled_from("'\"")))
        simple = re.fullmatch("[a-zA-Z]+", name) and draw(st.booleans())
        lines.append(f"{attribute}\t{name if simple else quoted}  {kind}")
    lines.append(start)
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        row = [draw(cells(kind)) for kind in kinds]
        gap = draw(st.sampled_from(["", " ", "\t"]))
        if draw(st.booleans()):
            present = draw(st.lists(st.booleans(), min_size=5, max_size=5))
            pairs = [f"{i} {row[i][0]}" for i in range(5) if present[i]]
            lines.append("{" + f",{gap}".join(pairs) + gap + "}")
            rows.append([row[i][1] if present[i] else omitted[i] for i in range(5)])
        else:
            lines.append(f"{gap},".join(text for text, _ in row) + gap)
            rows.append([value for _, value in row])
        lines += draw(st.sampled_from([[], ["% 1,2"], [" "]]))
    content = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    content += b"".join(line.encode() + draw(ENDS) for line in lines)
    is_label = np.array([kind == "label" for kind in kinds])
    return content, names, np.array(rows), is_label


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arff") / "data.arff"


def check(table: Table, names: list[str], values: np.ndarray, is_label: np.ndarray) -> None:
    assert table.X.dtype == np.float32
    assert table.Y.dtype == np.uint8
    X = table.X.toarray() if is_sparse(table.X) else table.X
    np.testing.assert_array_equal(X, values[:, ~is_label].astype(np.float32))
    np.testing.assert_array_equal(table.Y, values[:, is_label])
    assert table.feature_names == tuple(np.array(names, dtype=object)[~is_label])
    assert table.label_names == tuple(np.array(names, dtype=object)[is_label])


@pytest.mark.slow
@given(case=files())
def test_odd_but_legal_files_come_back(
    path: Path, case: tuple[bytes, list[str], np.ndarray, np.ndarray]
) -> None:
    content, names, values, is_label = case
    path.write_bytes(content)
    labels = [name for name, label in zip(names, is_label, strict=True) if label]
    check(read_arff(path, labels), names, values, is_label)
    naive_names, naive_values = naive(content)
    assert naive_names == names
    np.testing.assert_array_equal(naive_values, values)


@given(data=st.data())
def test_damaged_files_are_refused_or_read_as_a_naive_parser_does(
    path: Path, data: st.DataObject
) -> None:
    content, names, _, is_label = data.draw(files())
    content = data.draw(damaged(content))
    path.write_bytes(content)
    labels = [name for name, label in zip(names, is_label, strict=True) if label]
    try:
        table = read_arff(path, labels)
    except DataError:
        return
    names, values = naive(content)
    check(table, names, values, np.array([name in labels for name in names]))


@given(content=st.one_of(st.binary(max_size=40), st.text("01{} ,'\"\\%?\t\nu.e-", max_size=40)))
def test_anything_is_refused_or_read_as_a_naive_parser_does(
    path: Path, content: bytes | str
) -> None:
    content = content.encode() if isinstance(content, str) else content
    for start in (b"", HEADER.encode()):
        path.write_bytes(start + content)
        try:
            table = read_arff(path, ["a"])
        except DataError:
            continue
        names, values = naive(start + content)
        check(table, names, values, np.array([False, True]))


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ("", [":", "at least one row", "but got none"]),
        ("% 1,0\n", [":", "at least one row", "but got none"]),
        ("1\n", [":5:", "2 values", "but got 1"]),
        ("1,0,0\n", [":5:", "2 values", "but got 3"]),
        ("1,0\n?,0\n", [":6:", "missing", "but got ?"]),
        ("{0 ?}\n", [":5:", "missing", "but got ?"]),
        (",0\n", [":5:", "missing", "but got '' for 'x'"]),
        ("1,2\n", [":5:", "0, 1", "but got '2' for 'a'"]),
        ("1,0.0\n", [":5:", "0, 1", "but got '0.0' for 'a'"]),
        ("b,0\n", [":5:", "decimal number", "but got 'b' for 'x'"]),
        (
            "1e400,0\n",
            [":5:", "float32", "but got inf for 'x'"],
        ),
        ("1,'0\n", [":5:", "quoted", 'but got "\'0"']),
        (
            "'\\q',0\n",
            [":5:", "\\n \\r \\t \\\\ \\' \\\" \\% \\uXXXX", "but got '\\\\q'"],
        ),
        (
            "{1 1,0 2}\n",
            [":5:", "between 0 and 1", "but got '0' after 1"],
        ),
        (
            "{1 1,1 1}\n",
            [":5:", "between 0 and 1", "but got '1' after 1"],
        ),
        ("{2 1}\n", [":5:", "between 0 and 1", "but got '2'"]),
        ("{-1 1}\n", [":5:", "between 0 and 1", "but got '-1'"]),
        (
            "{0 1\n",
            [":5:", "VALUE,VALUE,... or {INDEX VALUE,INDEX VALUE,...}", "but got '{0 1'"],
        ),
        (
            "1,0,{5}\n",
            [":5:", "VALUE,VALUE,... or {INDEX VALUE,INDEX VALUE,...}", "but got '1,0,{5}'"],
        ),
    ],
)
def test_refused_rows(path: Path, rows: str, facts: list[str]) -> None:
    path.write_text(HEADER + rows)
    with pytest.raises(DataError) as refusal:
        read_arff(path, ["a"])
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


ORDER = "@relation NAME, then @attribute NAME TYPE lines, then @data"


@pytest.mark.parametrize(
    ("header", "facts"),
    [
        ("", [":", "@data", "but got none"]),
        ("@relation r\n@attribute x real\n", [":", "@data", "but got none"]),
        ("@attribute x real\n", [":1:", ORDER, "but got '@attribute x real'"]),
        ("@relation r\n@data\n1\n", [":2:", ORDER, "but got '@data'"]),
        ("@relation r\n@relation r\n", [":2:", ORDER, "but got '@relation r'"]),
        (
            "@relation r\n@attribute x string\n",
            [":2:", "numeric, real, integer or {values}", "but got 'string'"],
        ),
        (
            "@relation r\n@attribute x {a b}\n",
            [":2:", "commas", "but got 'a b'"],
        ),
        (
            "@relation r\n@attribute x {}\n",
            [":2:", "commas", "but got ''"],
        ),
        (
            "@relation r\n@attribute x {a,a}\n",
            [":2:", "distinct", "but got 'a , a'"],
        ),
        (
            "@relation r\n@attribute x\n",
            [":2:", "a name and a type", "but got '@attribute x'"],
        ),
        (
            "@relation r\n@attribute a real\n@attribute a real\n@data\n1,1\n",
            [":", "distinct", "but got 'a' twice"],
        ),
        (
            "@relation r\n@attribute x real\n@attribute a {0,1,2}\n@data\n1,1\n",
            [":3:", "label 'a'", "{0,1}", "but got '0,1,2'"],
        ),
    ],
)
def test_refused_headers(path: Path, header: str, facts: list[str]) -> None:
    path.write_text(header)
    with pytest.raises(DataError) as refusal:
        read_arff(path, ["a"])
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


def test_a_numeric_label_must_be_0_or_1(path: Path) -> None:
    path.write_text("@relation r\n@attribute a real\n@attribute x real\n@data\n1,1\n0.5,1\n")
    with raises(DataError, ":6:", "0 or 1", "0.5 for 'a'"):
        read_arff(path, ["a"])


def write_xml(path: Path, names: list[str]) -> None:
    labels = "".join(f"<label name={quoteattr(name)}></label>\n" for name in names)
    space = "http://mulan.sourceforge.net/labels"
    path.write_text(f'<?xml version="1.0"?>\n<labels xmlns="{space}">\n{labels}</labels>\n')


def test_the_xml_names_the_labels_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "d-train.arff"
    path.write_text(
        "@relation r\n@attribute 'l&1' {0,1}\n@attribute x real\n@attribute l2 {0,1}\n"
        "@data\n1,2.5,0\n{1 3,2 1}\n"
    )
    write_xml(tmp_path / "d.xml", ["l2", "l&1"])
    write_xml(tmp_path / "other.xml", ["x"])
    table = read_arff(path)
    assert table.label_names == ("l&1", "l2")
    assert table.X.tolist() == [[2.5], [3]]
    assert table.Y.tolist() == [[1, 0], [0, 1]]


def test_labels_of_the_xml_that_the_arff_lacks_are_named(tmp_path: Path) -> None:
    path = tmp_path / "d.arff"
    path.write_text(HEADER + "1,0\n")
    write_xml(tmp_path / "d.xml", ["a", "b"])
    with raises(DataError, "label", "'x', 'a'"):
        read_arff(path)


def test_without_xml_and_labels_the_error_says_where_it_looked(tmp_path: Path) -> None:
    path = tmp_path / "d-test.arff"
    path.write_text(HEADER + "1,0\n")
    with raises(DataError, "d.xml", "no XML file"):
        read_arff(path)


BOMB = '<!DOCTYPE labels [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<labels><label name="&b;"/>'
OUTSIDE = '<!DOCTYPE labels SYSTEM "file:///etc/passwd">\n<labels/>'


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"", [":1:", "XML", "but got no element found at column 1"]),
        (b"<labels>\n<label", [":2:", "XML", "but got unclosed token at column 1"]),
        (BOMB.encode(), [":1:", "document type", "but got <!DOCTYPE labels"]),
        (OUTSIDE.encode(), [":1:", "document type", "but got <!DOCTYPE labels"]),
        (
            b'<labels><label name="&x;"/></labels>',
            [":1:", "XML", "but got undefined entity at column 9"],
        ),
        (b"<html/>", [":1:", "<labels>", "but got '<html>'"]),
        (b"<labels/>", [":", "label", "but got none"]),
        (b"<labels>\n<label/></labels>", [":2:", "name", "but got none"]),
        (
            b'<labels><label name="a"/>\n<label name="a"/></labels>',
            [":2:", "distinct", "but got 'a' twice"],
        ),
    ],
)
def test_refused_xml(tmp_path: Path, content: bytes, facts: list[str]) -> None:
    path = tmp_path / "d.xml"
    path.write_bytes(content)
    with pytest.raises(DataError) as refusal:
        read_label_names(path)
    place, *others = facts
    says(refusal.value, f"{path}{place}", *others)


@pytest.mark.parametrize("encoding", ["no-such", "utf-7", "shift_jis", "utf-16"])
def test_odd_encodings_of_xml_are_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "d.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?><labels/>'.encode())
    with pytest.raises(DataError, match=r"d\.xml"):
        read_label_names(path)


@given(content=st.binary(max_size=60))
def test_any_xml_is_read_or_refused(path: Path, content: bytes) -> None:
    path.write_bytes(b'<labels><label name="a"/>' + content + b"</labels>")
    try:
        names = read_label_names(path)
    except DataError:
        return
    assert names[0] == "a"
