"""The token that the nodes of a cluster demand, as Ray keeps it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

RAY = Path(sys.executable).with_name("ray")
"""Ray's own command line, which launches clusters."""


def make_token(say: Callable[[str], None]) -> Path:
    """See to it that there is a token of Ray which only the user can read; returns its file."""
    path = token_file()
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [str(RAY), "get-auth-token", "--generate"]
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        say(f"made {path}, which every machine demands")
    path.chmod(0o600)
    return path


def token_file() -> Path:
    """Where Ray keeps the token of this user."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH", "~/.ray/auth_token")).expanduser()
