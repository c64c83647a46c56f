"""Mulan ARFF: dense or sparse rows, with the labels named by an XML file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from topk_tune.data.readers.arff_header import Attribute, read_header
from topk_tune.data.readers.arff_rows import RowParser, row_lines
from topk_tune.data.readers.arff_sparse import is_worth, measure, read_sparse
from topk_tune.data.readers.columns import Columns, Labels, choose
from topk_tune.data.readers.errors import BadCellError, quoted, refused
from topk_tune.data.readers.lines import Line, read_lines
from topk_tune.data.readers.mulan_xml import read_label_names
from topk_tune.data.readers.parts import without_part
from topk_tune.data.readers.table import Filler, Table


def read_arff(path: Path, labels: Labels = None) -> Table:
    """Read an ARFF file; without `labels`, an XML file in its folder names them."""
    lines = read_lines(path)
    attributes = read_header(path, lines)
    chosen = read_label_names(find_xml(path)) if labels is None else labels
    columns = choose(path, None, [attribute.name for attribute in attributes], chosen)
    _check_labels(path, attributes, columns)
    size = measure(row_lines(lines))
    parser = RowParser(path, attributes)
    lines = read_lines(path)
    read_header(path, lines)
    if is_worth(size, attributes, columns):
        return read_sparse(path, columns, attributes, size, parser, row_lines(lines))
    filler = Filler(path, columns, max_rows=size.rows)
    for line in row_lines(lines):
        _put(filler, path, columns, line, parser.values(line))
    return filler.table()


def find_xml(path: Path) -> Path:
    """Find NAME.xml for NAME.arff or NAME-train.arff, or the only XML file of the folder."""
    name = without_part(path.stem)
    for stem in (path.stem, name):
        if (found := path.with_name(f"{stem}.xml")).is_file():
            return found
    others = sorted(path.parent.glob("*.xml"))
    if len(others) == 1:
        return others[0]
    rule = f"labels must be given, or listed in {name or 'labels'}.xml in the same folder"
    raise refused(path, None, rule, ", ".join(o.name for o in others) or "no XML file")


def _check_labels(path: Path, attributes: Sequence[Attribute], columns: Columns) -> None:
    for index in columns.labels:
        codes = attributes[index].codes
        if codes is not None and set(codes) != {"0", "1"}:
            rule = f"the label {quoted(attributes[index].name)} must be numeric or {{0,1}}"
            raise refused(path, attributes[index].line, rule, quoted(",".join(codes)))


def _put(filler: Filler, path: Path, columns: Columns, line: Line, values: list[float]) -> None:
    try:
        filler.put(np.array([values]))
    except BadCellError as bad:
        got = f"{values[bad.column]:g} for {quoted(columns.names[bad.column])}"
        raise refused(path, line.number, bad.rule, got) from None
