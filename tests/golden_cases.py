"""Studies that earlier versions have written, put where they were: see tests/golden."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import NullPool, create_engine

from topk_tune.storage import Location

GOLDEN = Path(__file__).parent / "golden"
"""With a folder for each version."""

FIRST = GOLDEN / "0.1.0"

NAME = "golden"
"""What each of the studies is called."""


def restored(golden: Path, kind: str, folder: Path, server: str = "") -> Location:
    """A study of a version in a storage, below a folder or in the database of a server."""
    if kind == "journal":
        (folder / NAME).mkdir()
        shutil.copyfile(golden / "journal.log", folder / NAME / "journal.log")
        return Location.of(str(folder))
    if kind == "sqlite":
        with closing(sqlite3.connect(folder / "studies.db")) as database:
            database.executescript((golden / "sqlite.sql").read_text(encoding="utf-8"))
        return Location.of(f"sqlite:///{folder / 'studies.db'}")
    with create_engine(server, poolclass=NullPool).begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        connection.exec_driver_sql((golden / "postgresql.sql").read_text(encoding="utf-8"))
    return Location.of(server)
