"""UMAP layouts in processes of their own, a few at a time.

A process has the limits of every other worker: so much memory, and it ends with the server. What
is computed for a run belongs to its folder: when the folder is gone, nothing of it is begun, goes
on or is written any more.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from antidote_core.engine.settings import Limits, cap_memory, die_with, let_go, start_process
from antidote_core.projection import (
    Layout,
    find_joint,
    find_layout,
    joint_path,
    joint_points,
    layout_path,
    layout_points,
    umap_positions,
)
from antidote_core.types import Dataset, Floats, Ints

AT_ONCE = 2  # each takes a core and some hundred megabytes for half a minute
KEPT = 64  # files whose process has ended that are remembered, so that none is tried twice
LOOK_SECONDS = 0.1  # between two looks at the processes

Points = Callable[[], tuple[Ints, Floats]]
_logger = logging.getLogger(__name__)


class Layouts:
    """Layouts that are there, at work or waiting. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Path, Points] = {}
        self._at_work: dict[Path, subprocess.Popen[bytes]] = {}
        self._ended: dict[Path, None] = {}
        self._thread: threading.Thread | None = None

    def of(self, data: Dataset, folder: Path) -> tuple[Layout | None, bool]:
        """The layout of U if there is one in `folder`, and whether it is on its way."""
        found = find_layout(data, folder)
        path = layout_path(data, folder)
        return found, found is None and self.ask(path, lambda: layout_points(data))

    def joint(
        self, data: Dataset, antidote: Floats, folder: Path, begin: bool
    ) -> tuple[Layout | None, bool]:
        """The layout of U and V together, begun only when asked for."""
        found = find_joint(data, antidote, folder)
        points = (lambda: joint_points(data, antidote)) if begin else None
        return found, found is None and self.ask(joint_path(data, antidote, folder), points)

    def ask(self, path: Path, points: Points | None) -> bool:
        """Whether this file is on its way; not when its process has ended without a file.

        Given its points, it is begun as soon as there is a place.
        """
        with self._lock:
            known = path in self._waiting or path in self._at_work
            if not known and points is not None and path not in self._ended:
                self._waiting[path] = points
                known = True
            if known and (self._thread is None or not self._thread.is_alive()):
                # The kernel ends a process when the *thread* that started it ends, so that the
                # threads of pages, which come and go, start none.
                self._thread = threading.Thread(target=self._work, name="layouts", daemon=True)
                self._thread.start()
            return known

    def drop_removed(self) -> None:
        """Forget, and end, what belongs to folders that are gone."""
        with self._lock:
            for path in [path for path in self._waiting if not path.parent.parent.is_dir()]:
                del self._waiting[path]
            for path, process in self._at_work.items():
                if not path.parent.parent.is_dir():
                    process.kill()

    def _work(self) -> None:
        while True:
            self.drop_removed()
            with self._lock:
                self._note_ended()
                self._begin()
                if not self._at_work:  # then nothing waits either
                    self._thread = None
                    return
            threading.Event().wait(LOOK_SECONDS)

    def _note_ended(self) -> None:
        for path in [path for path, process in self._at_work.items() if process.poll() is not None]:
            let_go(self._at_work.pop(path))
            self._ended[path] = None
        for path in list(self._ended)[:-KEPT]:
            del self._ended[path]

    def _begin(self) -> None:
        while self._waiting and len(self._at_work) < AT_ONCE:
            path = next(iter(self._waiting))
            points = self._waiting.pop(path)
            try:
                self._at_work[path] = start(*points(), path)
            except Exception:  # no space left, or the folder has just gone: PCA stays on the page
                _logger.exception("A layout could not be begun")
                self._ended[path] = None


def start(rows: Ints, points: Floats, target: Path) -> subprocess.Popen[bytes]:
    """Start the process that writes the UMAP positions of points (m, d), named by rows (m,).

    The folder of the target is made, for this user only, but not the one above it: that one goes
    with its run, and must not come back.
    """
    target.parent.mkdir(mode=0o700, exist_ok=True)
    source = target.with_suffix(".points.npz")
    np.savez(source, rows=rows, points=points)
    memory = f"{Limits().worker_gigabytes:g}"
    return start_process(
        __spec__.name, os.getpid(), memory, source, target, output=subprocess.DEVNULL
    )


def main(server: int, gigabytes: float, source: Path, target: Path) -> None:
    """Read rows and points, write rows and positions; the points file is removed."""
    cap_memory(gigabytes)
    die_with(server)
    try:
        with np.load(source, allow_pickle=False) as stored:
            rows, points = stored["rows"], stored["points"]
    finally:
        source.unlink(missing_ok=True)
    positions = umap_positions(points)
    unfinished = target.with_suffix(".new.npz")
    np.savez_compressed(
        unfinished, rows=rows.astype(np.int32), positions=positions.astype(np.float32)
    )
    os.replace(unfinished, target)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
