"""What the data set of a study is like, stored with it, because reading the data may take long."""

from dataclasses import asdict, fields

from topk_tune.data import Dataset
from topk_tune.data.descriptors import Descriptors
from topk_tune.study.study import Study

_NOTE = "descriptors"


def note_data(study: Study, data: Dataset) -> None:
    """Store it, unless it is there."""
    if _NOTE not in study.store.notes():
        study.store.note(_NOTE, asdict(Descriptors.of(data)))


def noted_data(study: Study) -> Descriptors | None:
    """Return it; None for old studies."""
    known = study.store.notes().get(_NOTE, {})
    names = [each.name for each in fields(Descriptors)]
    complete = all(name in known for name in names)
    return Descriptors(**{name: known[name] for name in names}) if complete else None
