"""How a worker learns that it is to stop."""

from __future__ import annotations

import time
from pathlib import Path

from antidote_core.engine.settings import CANCEL_SECONDS


class StopSign:
    """Whether the stop file exists, looked up at most every CANCEL_SECONDS; stays up once seen."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = False
        self._next = 0.0

    def __call__(self) -> bool:
        """Whether to stop."""
        now = time.monotonic()
        if not self._seen and now >= self._next:
            self._seen = self._path.exists()
            self._next = now + CANCEL_SECONDS
        return self._seen

    @property
    def reason(self) -> str:
        """Why, as written by whoever asked."""
        return self._path.read_text(encoding="utf-8")
