"""The token that the nodes of a cluster require, in Ray's default file."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

_BYTES = 32
"""The number of bytes in tokens that Ray generates."""


def make_token(say: Callable[[str], None]) -> Path:
    """Create a token that only the user can read, unless there is one; returns its file."""
    path = token_file()
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(_BYTES), encoding="ascii")
        say(f"created {path}, the token that every machine requires")
    path.chmod(0o600)
    return path


def token_file() -> Path:
    """The file of the user's token, as in Ray."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or "~/.ray/auth_token").expanduser()
