"""How workers end: asked to by a file, with their server, or because the disk is full."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

from antidote_core.engine.settings import CANCEL_SECONDS

DISK_FULL = 3  # exit code of a worker that can no longer write its log


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

    def reason(self) -> str:
        """Why to stop, as written by whoever asked; empty as long as nobody did."""
        return self._path.read_text(encoding="utf-8") if self() else ""


_PR_SET_PDEATHSIG = 1


def die_with(server: int) -> None:
    """End this process when the process `server`, which started it, ends.

    Linux: the kernel kills us, even inside a long call of compiled code. Everywhere: our standard
    input is a pipe from the server, and it ends when the server does.
    """
    killed_with(server)
    threading.Thread(target=_end_with_input, name="lifeline", daemon=True).start()


def killed_with(server: int) -> None:
    """Let the kernel end this process when the thread of `server` that started it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != server:  # it ended before we asked to be told
            os._exit(1)


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)
