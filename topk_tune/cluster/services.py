"""The services that studies lean on: the storage and the tracking server."""

from urllib.request import Request, urlopen

_ANSWER = 5.0
"""Seconds in which a service must answer."""


def check_tracking() -> None:
    """Raise an error if what mlflow.yaml names does not answer, or only this machine can see it."""
    from topk_tune.tracking.config import read_config
    from topk_tune.tracking.uris import is_http, shown, sqlite_file

    uri = read_config().tracking_uri
    if sqlite_file(uri) is not None:
        raise ValueError(
            f"the tracking_uri must be a server or a database that the head reaches, but got the "
            f"file {uri}: set it in mlflow.yaml, or run with --no-track"
        )
    if is_http(uri):
        try:
            urlopen(Request(f"{shown(uri)}/health"), timeout=_ANSWER).close()
        except OSError as error:
            raise OSError(f"no tracking server at {shown(uri)}: {error}") from None
    else:
        connect(uri)


def check_storage(storage: str | None, drivers: int) -> None:
    """Raise an error if the storage does not answer, or is a file though several drivers come."""
    from topk_tune.storage import Location

    location = Location.of(storage)
    is_file = location.url is None or location.url.startswith("sqlite")
    if is_file and drivers > 1:
        raise ValueError(
            f"{drivers} drivers need a database server, such as postgresql+psycopg://host/name, "
            f"but got {location.shown}: set $TOPK_TUNE_STORAGE or --storage"
        )
    if location.url is not None:
        connect(location.url)


def connect(url: str) -> None:
    """Raise an error without a password in it if a database does not answer."""
    from sqlalchemy import NullPool, create_engine
    from sqlalchemy.exc import SQLAlchemyError

    from topk_tune.tracking.uris import scrubbed, shown

    try:
        create_engine(url, poolclass=NullPool).connect().close()
    except (SQLAlchemyError, ImportError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise OSError(f"no database at {shown(url)}: {scrubbed(reason, url)}") from None
