"""Records how much of a spool has been sent to which server."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.uris import without_password

NAME = "sent.json"


@dataclass(frozen=True)
class Sent:
    """How much of a spool has been sent.

    Parameters
    ----------
    offset
        The bytes of the spool that have arrived.
    experiment, run
        The ids of the study's experiment and run, once they exist.
    files
        The bytes of the spool for whose trials the files have arrived, too: files come after
        figures. None in what older versions wrote, which sent both together.
    """

    offset: int = 0
    experiment: str | None = None
    run: str | None = None
    files: int | None = None

    @property
    def filed(self) -> int:
        """The bytes of the spool of which everything has arrived."""
        return self.offset if self.files is None else self.files


def read_sent(folder: Path, config: TrackingConfig) -> Sent:
    """The state for the server of a configuration; empty for a new server."""
    content = _content(folder).get(_target(config))
    return Sent(**content) if content else Sent()


def write_sent(folder: Path, config: TrackingConfig, sent: Sent) -> None:
    """Write the state atomically."""
    content = {**_content(folder), _target(config): asdict(sent)}
    partial = folder / f"{NAME}.{os.getpid()}.partial"
    try:
        partial.write_text(json.dumps(content), encoding="utf-8")
        partial.replace(folder / NAME)
    finally:
        partial.unlink(missing_ok=True)


def _content(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        return dict(json.loads((folder / NAME).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}  # the server is asked what has arrived


def _target(config: TrackingConfig) -> str:
    """A hash of the server's address, which reveals nothing of it."""
    text = f"{without_password(config.tracking_uri)} {config.experiment}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
