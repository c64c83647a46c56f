"""Who may ask: by a token, or on this machine only by programs that mean us."""

import hashlib
import hmac
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path

from topk_tune.serving.refusals import RefusedError

VARIABLE = "TOPK_TUNE_SERVE_TOKEN"
"""The variable with the token, if there is no file with it."""

_LEAST = 16


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The token of a file or else of the environment; None if neither has one."""
    token = environment.get(VARIABLE) if file is None else file.read_text(encoding="utf-8").strip()
    if file is None and not token:
        return None
    where = f"${VARIABLE}" if file is None else str(file)
    if not token or len(token) < _LEAST or not token.isascii() or not token.isprintable():
        raise ValueError(
            f"{where}: a token must have at least {_LEAST} printable ASCII characters, but has "
            f"{len(token or '')} characters"
        )
    return token


def check_token_for(host: str, token: str | None) -> None:
    """Raise a ValueError if anybody could ask from elsewhere."""
    if token is None and not is_loopback(host):
        raise ValueError(
            f"--host {host} can be reached from elsewhere, so there must be a token: --token-file "
            f"FILE, or ${VARIABLE}"
        )


class Access:
    """Decides whether a request may be answered.

    Parameters
    ----------
    token
        The bearer token; None if the server is on loopback and needs none.
    """

    def __init__(self, token: str | None) -> None:
        # Only a digest, because other machines may keep what is sent to a replica.
        self._wanted = None if token is None else _digest(f"Bearer {token}")

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request without the token; if there is none, one that is not for loopback."""
        if self._wanted is None:
            _check_host(headers.get("host", ""))
        elif not hmac.compare_digest(_digest(headers.get("authorization", "")), self._wanted):
            raise RefusedError(401, "the header Authorization must be `Bearer` with the token")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _check_host(host: str) -> None:
    """Refuse names that lead here from pages of other sites, which could ask in our user's name."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if not is_loopback(name.strip("[]")):
        raise RefusedError(
            403, f"the header Host must name this machine by loopback, but got {host!r}"
        )
