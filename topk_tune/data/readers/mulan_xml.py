"""The XML file of a Mulan ARFF file, which lists the labels."""

from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from topk_tune.data.errors import DataError
from topk_tune.data.readers.errors import quoted, refused


def read_label_names(path: Path) -> list[str]:
    """Read the `name` of every `label` element, nested ones included, under a `labels` root."""
    names = _Names(path)
    try:
        with path.open("rb") as file:
            names.parser.ParseFile(file)
    except DataError:
        raise
    except expat.ExpatError as error:
        reason = f"{expat.ErrorString(error.code)} at column {error.offset + 1}"
        raise refused(path, error.lineno, "the file must be XML", reason) from None
    except (LookupError, ValueError) as error:  # an encoding that Python or expat does not know
        raise refused(path, 1, "the encoding must be known", str(error)) from None
    if not names.found:
        raise refused(path, None, "the file must name at least one label", "none")
    return list(names.found)


class _Names:
    """Collects label names from the events of a parser that refuses document types."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._root_seen = False
        self.found: dict[str, None] = {}
        # With a separator, expat reports a name in a namespace as "namespace name".
        self.parser = expat.ParserCreate(namespace_separator=" ")
        # Entities, which could explode or read other files, need a document type.
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._element

    def _doctype(self, name: str, *_: object) -> None:
        self._refuse("the file must not have a document type", f"<!DOCTYPE {name}")

    def _element(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(" ")[2]
        if not self._root_seen and tag != "labels":
            self._refuse("the first element must be <labels>", quoted(f"<{tag}>"))
        self._root_seen = True
        if tag != "label":
            return
        name = attributes.get("name", "")
        if not name:
            self._refuse("a label must have a name", "none")
        if name in self.found:
            self._refuse("label names must be distinct", f"{quoted(name)} twice")
        self.found[name] = None

    def _refuse(self, rule: str, got: str) -> NoReturn:
        raise refused(self._path, self.parser.CurrentLineNumber, rule, got)
