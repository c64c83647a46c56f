"""The token that the nodes of a cluster demand, where Ray looks for it."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

_BYTES = 32
"""As many as Ray gives to those that it makes."""


def make_token(say: Callable[[str], None]) -> Path:
    """See to it that there is a token which only the user can read; returns its file."""
    path = token_file()
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(_BYTES), encoding="ascii")
        say(f"made {path}, which every machine demands")
    path.chmod(0o600)
    return path


def token_file() -> Path:
    """Where Ray keeps the token of this user."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or "~/.ray/auth_token").expanduser()
