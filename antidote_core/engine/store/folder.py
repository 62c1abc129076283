"""The folder of one run: which file holds what, and how they are written."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antidote_core.datasets import load_for
from antidote_core.engine.settings import CANCEL_SECONDS
from antidote_core.engine.store.dataset_file import read_dataset, write_dataset
from antidote_core.engine.store.log import LogWriter, follow, read
from antidote_core.errors import DataError
from antidote_core.runs.events import Closed, event_of
from antidote_core.runs.kinds import JobKind, Spec, read_spec
from antidote_core.runs.state import JobView
from antidote_core.types import Dataset


@dataclass(frozen=True)
class RunFolder:
    """Names of the files; only `data` may be missing from a run that has begun."""

    path: Path

    @property
    def spec(self) -> Path:
        """What was asked."""
        return self.path / "spec.json"

    @property
    def meta(self) -> Path:
        """Who asked and when: what the index holds besides the spec and the log."""
        return self.path / "meta.json"

    @property
    def events(self) -> Path:
        """What happened."""
        return self.path / "events.jsonl"

    @property
    def data(self) -> Path:
        """The rows of a data set of one's own; absent for a data set known by name."""
        return self.path / "data.npz"

    @property
    def layouts(self) -> Path:
        """Maps of a data set of one's own; those of other sets stand in the home folder."""
        return self.path / "layouts"

    @property
    def lease(self) -> Path:
        """Exists for a temporary run; its time says when the owner was last there."""
        return self.path / "lease"

    @property
    def stop(self) -> Path:
        """Exists when the run is to stop; holds the reason."""
        return self.path / "stop"

    @property
    def lock(self) -> Path:
        """Held by the worker as long as it lives."""
        return self.path / "worker.lock"

    @property
    def cluster(self) -> Path:
        """Address of the dask scheduler that a sweep is to use; absent for this machine."""
        return self.path / "cluster"

    @property
    def scratch(self) -> Path:
        """What the processes of a sweep need no longer than it works."""
        return self.path / "scratch"

    @property
    def output(self) -> Path:
        """What the worker printed, tracebacks included."""
        return self.path / "worker.log"

    def create(self, spec: Spec, data: Dataset | Path | None, temporary: bool = False) -> None:
        """Make the folder, readable by this user only, with the spec and the data in it.

        Data in the file of another run are linked, where the disk can do that.
        """
        self.path.mkdir(mode=0o700)
        self.spec.write_text(spec.to_json() + "\n", encoding="utf-8")
        if isinstance(data, Dataset):
            write_dataset(self.data, data)
        elif data is not None:
            try:
                os.link(data, self.data)
            except OSError:
                shutil.copyfile(data, self.data)
        if temporary:
            self.lease.touch()

    def read_spec(self) -> Spec:
        """What was asked, or a sentence about what is wrong with its file."""
        return read_spec(self.spec.read_text(encoding="utf-8"))

    def view(self, kind: JobKind) -> JobView:
        """The job as its log tells it."""
        return follow(kind.view(), read(self.events)[0])

    def read_data(self) -> Dataset:
        """The data set of the run, from its own file or by name."""
        if self.data.exists():
            return read_dataset(self.data)
        asked = self.read_spec().data_spec
        if asked is None:
            raise DataError("This job is not about one data set; open one of its runs.")
        return load_for(asked)

    def write_meta(self, values: dict[str, Any]) -> None:
        """Replace the file in one step: a reader sees the old one or the new one."""
        replace_text(self.meta, json.dumps(values, indent=1) + "\n")

    def ask_to_stop(self, reason: str) -> None:
        """Leave the sign that the worker looks for; the first reason stays."""
        if not self.stop.exists():
            replace_text(self.stop, reason)

    def write_end(self, state: str, reason: str, seconds: float = 0.0) -> None:
        """Write the end of a run that has no worker to write it."""
        with LogWriter(self.events) as log:
            log.append(event_of(state, {"seconds": seconds, "reason": reason}))
            log.append(Closed(seconds=seconds))


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


def replace_text(path: Path, text: str) -> None:
    """Write a small file so that it is there as a whole or not at all."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
