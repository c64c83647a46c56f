"""Checks the services of studies: the storage and the tracking server."""

from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from topk_tune.cluster.launcher import HERE
from topk_tune.storage import Location
from topk_tune.storage.location import DEFAULT_ROOT
from topk_tune.tracking.config import read_config
from topk_tune.tracking.uris import is_http, scrubbed, sqlite_file, without_password

_ANSWER = 5.0
"""Seconds that a service has to answer."""


def check_tracking() -> None:
    """Raise an error if the server in mlflow.yaml does not answer; files will be on the head.

    Jobs get mlflow.yaml, but no variables of this computer.
    """
    uri = read_config(environment={}).tracking_uri
    if sqlite_file(uri) is not None or urlsplit(uri).hostname in HERE:
        return
    if is_http(uri):
        try:
            urlopen(Request(f"{without_password(uri)}/health"), timeout=_ANSWER).close()
        except OSError as error:
            raise OSError(f"no tracking server at {without_password(uri)}: {error}") from None
    else:
        connect(uri)


def check_storage(storage: str | None, drivers: int) -> None:
    """Raise an error if the storage does not answer, or is a file for several drivers.

    Without a storage, studies are in a folder of the head.
    """
    location = Location.of(storage or DEFAULT_ROOT)
    is_file = location.url is None or location.url.startswith("sqlite")
    if is_file and drivers > 1:
        raise ValueError(
            f"{drivers} drivers need a database server, such as postgresql+psycopg://host/name, "
            f"but got {location.printable}: set $TOPK_TUNE_STORAGE on the head, and give --storage "
            "here"
        )
    if location.url is not None and not is_file and urlsplit(location.url).hostname not in HERE:
        connect(location.url)


def connect(url: str) -> None:
    """Raise an error without passwords if a database does not answer."""
    from sqlalchemy import NullPool, create_engine
    from sqlalchemy.exc import SQLAlchemyError

    try:
        create_engine(url, poolclass=NullPool).connect().close()
    except (SQLAlchemyError, ImportError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise OSError(f"no database at {without_password(url)}: {scrubbed(reason, url)}") from None
