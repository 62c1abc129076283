"""A job of the store, followed from the shell: every event as it comes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from antidote_core.engine import Runner
from antidote_core.runs.events import Event
from antidote_core.runs.kinds import JobKind

LOOK_SECONDS = 0.2
STOP_SECONDS = 15.0


class Follow:
    """The events of a job, told one by one, and the view that they make."""

    def __init__(
        self, runner: Runner, run_id: str, kind: JobKind, tell: Callable[[Event, Any], None]
    ) -> None:
        self._runner = runner
        self._id = run_id
        self._tell = tell
        self._offset = self._latest_part()
        self.view: Any = kind.view()
        self.lines: list[str] = []

    def until_end(self) -> bool:
        """Tell every event until the last one; Ctrl-C stops the job. Returns whether it did."""
        try:
            self._follow(math.inf)
            return False
        except KeyboardInterrupt:
            self._runner.stop(self._id)
            self._follow(STOP_SECONDS)
            return True

    def _follow(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            live = self._runner.status(self._id).live
            events, self._offset = self._runner.events(self._id, self._offset)
            for event in events:
                self.view = self.view.apply_event(event)
                self.lines.append(event.to_json())
                self._tell(event, self.view)
            if self.view.closed or not live:
                return
            time.sleep(LOOK_SECONDS)

    def _latest_part(self) -> int:
        """The offset of the last "queued" of the log: a resumed job begins anew there."""
        offset = latest = 0
        text = self._runner.store.folder(self._id).events.read_bytes()
        for line in text.splitlines(keepends=True):
            if line.startswith(b'{"kind":"queued"'):
                latest = offset
            offset += len(line)
        return latest
