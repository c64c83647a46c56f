"""Checks whether a study can run at an address: Ray answers, and this machine is a node of it.

Ray's own driver looks for its node for a minute or more, and ends the program if it has no token.
So a separate process asks first: `python -m topk_tune.backends.ray_address ADDRESS`. If a study
cannot run there, it writes the reason.
"""

import os
import socket
import subprocess
import sys
from typing import Any

from booster.private_parts import MissingPartError
from topk_tune.backends import ray_parts
from topk_tune.backends.base import BackendError
from topk_tune.backends.resources import JOB

_ANSWER = 5
"""Seconds in which the head must answer, and the node of this machine must be found."""
_ALL = 60
"""Seconds for everything, on a very busy machine."""
_REFUSED = 3
"""The exit code of the process if it reports a reason."""
_TOKEN = "in ~/.ray/auth_token or $RAY_AUTH_TOKEN"


def check_address(address: str) -> None:
    """Raise a BackendError if no study can run at an address."""
    if address == "auto":  # like Ray
        address = os.environ.get("RAY_ADDRESS") or address
    if address.startswith("ray://"):
        raise BackendError(
            f"{address} is the address of a Ray client, which cannot stream reports: run on a "
            "node of the cluster with the address auto, or submit a job"
        )
    if ":" in address:
        _check_open(address)
    if JOB in os.environ and address == os.environ.get("RAY_ADDRESS"):
        return  # Ray itself has started this program on one of its nodes
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "topk_tune.backends.ray_address", address],
            # Ray itself waits longer for an answer that never comes.
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
    """Do what Ray's driver does first; raise a BackendError where it would wait or exit."""
    try:
        found = ray_parts.bootstrap_address(address)
    except ConnectionError:
        raise BackendError(
            "no Ray runs on this machine, which the address auto requires: use --cluster FILE to "
            "send the study to a cluster, or give no address to start a Ray for the study"
        ) from None
    except ValueError as error:
        raise BackendError(f"no Ray at {address}: {error}") from None
    if found is None:
        return  # "local": Ray starts one
    _check_open(found)  # the one that "auto" found may have ended
    head = _head(found, local=address == "auto")
    try:
        ray_parts.find_node(head, _ANSWER)
    except RuntimeError:
        raise BackendError(
            f"this machine is not a node of the cluster at {found}, and only a node can run the "
            "study: use --cluster FILE to send it there, or run it on a node with --address auto"
        ) from None


def _head(address: str, local: bool) -> Any:
    """Return a connection to the head, with the token if any; `local` if Ray found it here."""
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
            what = f"requires a token: set RAY_AUTH_MODE=token, and put the token {_TOKEN}"
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
