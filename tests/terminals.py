"""Commands on a terminal of the tests' own."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
PATIENCE = 300
"""Seconds that a command may take, kernels and all."""


def plain(text: str) -> str:
    """What is left of a terminal's text without its codes."""
    return _CODES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def on_terminal(
    folder: Path, *arguments: str, columns: int = 100, **variables: str
) -> tuple[int, str]:
    """Run `topk-tune` on a terminal of so many columns; its exit code and all that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONUTF8", "PYTHONIOENCODING")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("topk-tune")), *arguments],
        cwd=folder,
        env=environment | {"TERM": "xterm-256color"} | variables,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        written = _all_from(ours)
        return process.wait(PATIENCE), written.decode("utf-8", "backslashreplace")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _all_from(terminal: int) -> bytes:
    """Everything until nobody has the other end open."""
    pieces, end = [], time.monotonic() + PATIENCE
    while time.monotonic() < end and select.select([terminal], [], [], PATIENCE)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # that is how Linux says so
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)
