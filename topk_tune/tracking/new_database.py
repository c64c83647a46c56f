"""New database files: copies of an empty one, because MLflow takes seconds to make its tables."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory


def empty_database() -> Path:
    """The file with the tables of the installed MLflow and nothing else, which may not exist."""
    from platformdirs import user_cache_path

    return user_cache_path("topk-tune") / "mlflow" / f"empty-{version('mlflow')}.db"


def is_new(file: Path) -> bool:
    """Whether a database has still to be made."""
    return not file.exists() or not file.stat().st_size


def copy_empty(file: Path) -> bool:
    """Make a database by copying an empty one; False if there is none yet."""
    partial = file.with_name(f"{file.name}.partial")
    try:
        shutil.copyfile(empty_database(), partial)
    except OSError:
        partial.unlink(missing_ok=True)
        return False
    partial.replace(file)
    return True


def keep_empty(file: Path) -> None:
    """Keep the tables of a database that MLflow has just made, for the next one."""
    kept = empty_database()
    with suppress(OSError, sqlite3.Error):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as place:
            made = Path(place) / kept.name
            with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(made)) as copy:
                source.backup(copy)
                # MLflow adds its default experiment when it opens a database without one. This
                # one has the path of the folder where it was made.
                copy.execute("DELETE FROM experiments")
                copy.commit()
            os.replace(made, kept)
