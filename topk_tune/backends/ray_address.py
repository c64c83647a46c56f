"""Whether a study can run at an address: a Ray answers there, and this machine is a node of it.

Ray's own driver looks for its node for a minute or more, and ends the program if it has no token.
So a process of its own asks first: `python -m topk_tune.backends.ray_address ADDRESS`. It writes
why not, if so.
"""

import os
import socket
import subprocess
import sys
from typing import Any

from booster.private_parts import MissingPartError
from topk_tune.backends import ray_parts
from topk_tune.backends.base import BackendError

_ANSWER = 5
"""Seconds in which the head must answer, and the node of this machine be found."""
_ALL = 60
"""Seconds for everything, on a machine that has hardly any time for it."""
_REFUSED = 3
"""The exit code of the process if it has a reason to give."""
_JOB = "RAY_JOB_CONFIG_JSON_ENV_VAR"
"""What Ray sets for the programs that it starts as jobs."""
_TOKEN = "in ~/.ray/auth_token or $RAY_AUTH_TOKEN"


def check_address(address: str) -> None:
    """Raise a BackendError for an address at which no study can run."""
    if address == "auto":  # as Ray does
        address = os.environ.get("RAY_ADDRESS") or address
    if address.startswith("ray://"):
        raise BackendError(
            f"the address {address} is of a Ray client, which cannot stream reports: run on a "
            "node of the cluster with the address auto, or submit a job"
        )
    if ":" in address:
        _check_open(address)
    if _JOB in os.environ and address == os.environ.get("RAY_ADDRESS"):
        return  # Ray itself has started this program, on a node of its own
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "topk_tune.backends.ray_address", address],
            # Ray itself waits longer for what is no Ray.
            env={"RAY_py_gcs_connect_timeout_s": str(_ANSWER), **os.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ALL,
        )
    except subprocess.TimeoutExpired:
        raise BackendError(f"no Ray at {address}: it does not answer") from None
    if asked.returncode == _REFUSED:
        raise BackendError(asked.stdout.strip())
    if asked.returncode:
        last = (asked.stderr.strip().splitlines() or [f"exit code {asked.returncode}"])[-1]
        raise BackendError(f"no Ray at {address}: {last}")


def _check_open(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
    except (OSError, ValueError, OverflowError) as error:
        raise BackendError(f"no Ray at {address}: {error}") from None


def _ask(address: str) -> None:
    """Do what Ray's driver does first; raises a BackendError where that would wait, or end us."""
    try:
        found = ray_parts.bootstrap_address(address)
    except ConnectionError:
        raise BackendError(
            "no Ray runs on this machine, as the address auto demands: use --cluster FILE to send "
            "the study to a cluster, or no address for a Ray of its own"
        ) from None
    except ValueError as error:
        raise BackendError(f"no Ray at {address}: {error}") from None
    if found is None:
        return  # "local": Ray starts one
    _check_open(found)  # what "auto" found may have ended
    head = _head(found, local=address == "auto")
    try:
        ray_parts.find_node(head, _ANSWER)
    except RuntimeError:
        raise BackendError(
            f"this machine is no node of the cluster at {found}, and only a node can run the "
            "study: use --cluster FILE to send it there, or run it on a node with --address auto"
        ) from None


def _head(address: str, local: bool) -> Any:
    """A connection to the head, with the token if it has one; `local` if Ray found it here."""
    from ray.exceptions import AuthenticationError

    try:
        ray_parts.use_token(local)
    except AuthenticationError:
        raise BackendError(f"RAY_AUTH_MODE is token, but there is none {_TOKEN}") from None
    try:
        return ray_parts.head_client(address)
    except AuthenticationError:
        if ray_parts.sends_token():
            what = f"does not accept this machine's token, which is {_TOKEN}"
        else:
            what = f"demands a token: set RAY_AUTH_MODE=token, and have it {_TOKEN}"
        raise BackendError(f"the Ray at {address} {what}") from None
    except Exception as error:
        raise BackendError(f"no Ray at {address}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _main(address: str) -> int:
    try:
        _ask(address)
    except (BackendError, MissingPartError) as error:
        sys.stdout.write(str(error))
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
