"""Addresses of tracking servers and databases: absolute paths and printing without passwords."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

_SQLITE = "sqlite:///"
_SECRET_WORDS = ("pass", "pwd", "secret", "token", "key")


def absolute(uri: str, folder: Path) -> str:
    """The same address with the path of a sqlite file made absolute.

    >>> absolute("sqlite:///mlflow.db", Path("/data"))
    'sqlite:////data/mlflow.db'
    """
    file = sqlite_file(uri)
    return uri if file is None else f"{_SQLITE}{Path(os.path.abspath(folder / file))}"


def sqlite_file(uri: str) -> Path | None:
    """The file of a sqlite address; None for other addresses."""
    return Path(uri.removeprefix(_SQLITE)) if uri.startswith(_SQLITE) else None


def is_http(uri: str) -> bool:
    """Whether it is the address of a server, which decides where artifacts are stored."""
    return uri.startswith(("http://", "https://"))


def without_password(uri: str) -> str:
    """An address for printing: without user, password and query.

    >>> without_password("postgresql://me:secret@host/db?password=secret")
    'postgresql://host/db'
    """
    if sqlite_file(uri) is not None:
        return uri
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def scrubbed(text: str, *uris: str | None) -> str:
    """A text without users, passwords and queries of addresses.

    >>> scrubbed("no way to http://me:secret@host", "http://me:secret@host")
    'no way to http://host'
    """
    for uri in filter(None, uris):
        text = text.replace(uri, without_password(uri))
        for secret in _secrets(uri):
            text = text.replace(secret, "***").replace(unquote(secret), "***")
    return text


def _secrets(uri: str) -> list[str]:
    """The password of an address, and values in its query that look like passwords."""
    parts = urlsplit(uri)
    found = [parts.password] if parts.password else []
    for pair in parts.query.split("&"):
        key, _, value = pair.partition("=")
        if value and any(word in key.lower() for word in _SECRET_WORDS):
            found.append(value)
    return found
