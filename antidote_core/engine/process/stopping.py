"""How workers end: with their server, or because the disk is full."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

DISK_FULL = 3  # exit code of a worker that can no longer write its log


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
