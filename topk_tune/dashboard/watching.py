"""Follows the chosen studies of a location, or all of them, new ones too."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from topk_tune.dashboard.following import PAUSE, Follower
from topk_tune.storage import Location
from topk_tune.storage.store import names

logger = logging.getLogger("topk_tune")


class Watch:
    """The studies that a page shows.

    Parameters
    ----------
    location
        Where they are stored.
    chosen
        Their names, which must exist; none for all that are and will be there.
    pause
        The least time in seconds between two looks at the storage.
    """

    def __init__(
        self, location: Location, chosen: Sequence[str] = (), pause: float = PAUSE
    ) -> None:
        self._location = location
        self._pause = pause
        self._chosen = list(dict.fromkeys(chosen))
        self._followers = {name: Follower(location, name, pause) for name in self._chosen}
        self._lock = threading.Lock()

    def news(self, moments: Mapping[str, str]) -> dict[str, Any]:
        """Return what is new in each study since the moments that a reader has by name."""
        studies = {}
        for name in self._chosen or names(self._location):
            try:
                studies[name] = self._follower(name).since(moments.get(name, ""))
            except Exception as error:  # a storage may be gone for a while; the page goes on
                logger.warning("cannot read study %r: %s", name, error)
                with self._lock:
                    self._followers.pop(name, None)
                # An error of a database may hold its address, which may have a password.
                studies[name] = {"problem": f"cannot be read now: {type(error).__name__}"}
        return {"studies": studies}

    def _follower(self, name: str) -> Follower:
        with self._lock:
            if name not in self._followers:
                self._followers[name] = Follower(self._location, name, self._pause)
            return self._followers[name]
