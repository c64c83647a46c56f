"""Where studies are stored."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname

from topk_tune.records.settings import check_name

DEFAULT_ROOT = "studies"
ENVIRONMENT = "TOPK_TUNE_STORAGE"
SENDER = "TOPK_TUNE_SENDER"
"""The variable with the options that address the cluster of a job."""


@dataclass(frozen=True)
class Location:
    """Where studies are stored: a folder with a folder per study, or a database.

    Parameters
    ----------
    root
        The folder. With a database, it has logs and reports only.
    url
        The SQLAlchemy URL of the database. It may have a password: print `printable` instead.
    """

    root: Path
    url: str | None = None

    @classmethod
    def of(cls, storage: str | None = None) -> "Location":
        """From an option: a folder, a URL, or None for $TOPK_TUNE_STORAGE or ./studies."""
        storage = storage or os.environ.get(ENVIRONMENT) or DEFAULT_ROOT
        if "://" in storage:
            _check_url(storage)
            return cls(Path(DEFAULT_ROOT), storage)
        return cls(Path(storage))

    def folder(self, name: str) -> Path:
        """The folder of a study."""
        return self.root / check_name(name)

    def journal(self, name: str) -> Path:
        """The journal of a study that is kept in a folder."""
        return self.folder(name) / "journal.log"

    @property
    def printable(self) -> str:
        """The location as a text, without a password."""
        if self.url is None:
            return str(self.root)
        from sqlalchemy.engine import make_url

        return make_url(self.url).render_as_string(hide_password=True)

    @property
    def host(self) -> str:
        """The machine and folder of paths, for messages that are read on another machine."""
        return f" in {Path.cwd()} on {gethostname()}" if os.environ.get(SENDER) else ""

    @property
    def option(self) -> str:
        """The options of a command for this location, without a password.

        In a job, these are options for the machine that submitted it, including the cluster.
        """
        sender = f" {os.environ[SENDER]}" if os.environ.get(SENDER) else ""
        if self.url is None and self.root == Path(DEFAULT_ROOT):
            return sender
        return f"{sender} --storage {shlex.quote(self.printable)}"


def _check_url(url: str) -> None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        make_url(url).get_dialect()
    except (ArgumentError, NoSuchModuleError):
        # The URL may have a password, so the message shows only its scheme.
        scheme = url.split("://")[0]
        raise ValueError(
            "a storage URL must be like sqlite:///file.db, postgresql://user@host/name or "
            f"mysql+pymysql://user@host/name, but got {scheme}://..."
        ) from None
