"""Studies that earlier versions have written, put where they were: see tests/golden."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from databases import postgresql
from sqlalchemy import NullPool, create_engine

from topk_tune.storage import Location

GOLDEN = Path(__file__).parent / "golden"

NAME = "golden"
"""What each of the studies is called."""


@contextmanager
def restored(kind: str, folder: Path) -> Iterator[Location]:
    """A study in a storage of this kind; those in files are below a folder."""
    if kind == "journal":
        (folder / NAME).mkdir()
        shutil.copyfile(GOLDEN / "journal.log", folder / NAME / "journal.log")
        yield Location.of(str(folder))
    elif kind == "sqlite":
        with closing(sqlite3.connect(folder / "studies.db")) as database:
            database.executescript((GOLDEN / "sqlite.sql").read_text(encoding="utf-8"))
        yield Location.of(f"sqlite:///{folder / 'studies.db'}")
    else:
        with postgresql() as url:
            with create_engine(url, poolclass=NullPool).begin() as connection:
                connection.exec_driver_sql((GOLDEN / "postgresql.sql").read_text(encoding="utf-8"))
            yield Location.of(url)
