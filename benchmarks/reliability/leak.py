"""Many short runs one after another on a real server, a new visitor for every fifth one, and what
stays behind: memory, file handles, threads and processes of the server, and memory of the workers.
"""

import asyncio
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from antidote_core import load_dataset
from antidote_core.engine import Store
from antidote_core.engine.settings import Limits
from antidote_core.runs.spec import RunSpec
from benchmarks.reliability.load import Visitor, serving
from benchmarks.reliability.processes import (
    children,
    handles,
    megabytes,
    most_megabytes,
    threads,
    workers,
)

# k-median needs no compiled kernels, so the worker starts quickly.
SPEC = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=1,
    start_size=2, budget=5, max_rounds=1, target=0.8,
)  # fmt: skip
AHEAD = 4  # runs that wait or work at any time
EVERY = 1  # runs for one visitor who looks at one
PATIENCE = 300.0  # seconds for one run


class Weighing(threading.Thread):
    """The most memory that a worker of the home folder had since the last look."""

    def __init__(self, home: Path) -> None:
        super().__init__(daemon=True)
        self._home = home
        self._most = 0.0

    def run(self) -> None:
        while True:
            for pid in workers(self._home):
                self._most = max(self._most, most_megabytes(pid))
            time.sleep(0.1)

    def most(self) -> float:
        most, self._most = self._most, 0.0
        return most


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with serving(home) as (address, server):
            asyncio.run(_one_after_another(address, home, server, runs))
        time.sleep(2)
        print(f"\nProcesses left behind: {len(workers(home))}")


async def _one_after_another(address: str, home: Path, server: int, runs: int) -> None:
    first = Visitor(address, -1)
    await first.arrive()
    for page in ("", "explore", "runs"):
        await first.open(page)  # the list of runs starts the engine
    await first.leave()
    weighing = Weighing(home)
    weighing.start()
    store = Store(home, Limits(runs_per_visitor=0))
    data = load_dataset("blobs")
    print("| runs ended | finished | memory of the server | its file handles | its threads "
          "| its processes | largest worker |\n|---|---|---|---|---|---|---|")  # fmt: skip
    ids: list[str] = []
    rows = {AHEAD, runs, *range(runs // 10, runs, runs // 10)}
    for ended in range(1, runs + 1):
        while len(ids) < min(ended + AHEAD, runs):
            ids.append(store.submit(replace(SPEC, seed=len(ids)), data, "ann"))
        await _end(store, ids[ended - 1])
        if ended % EVERY == 0:
            visitor = Visitor(address, ended)
            await visitor.arrive()
            await visitor.open(f"explore?run={ids[ended - 1]}")
            await visitor.leave()
            if visitor.errors:
                raise RuntimeError("a page showed an exception")
        if ended in rows:
            states = [row["state"] for row in store._query("SELECT state FROM runs")]
            print(
                f"| {ended} | {states.count('finished')} | {megabytes(server):.0f} MB "
                f"| {handles(server)} | {threads(server)} | {len(children(server))} "
                f"| {weighing.most():.0f} MB |",
                flush=True,
            )
    store.close()


async def _end(store: Store, run_id: str) -> None:
    until = time.monotonic() + PATIENCE
    while store.status(run_id).live:
        if time.monotonic() > until:
            raise TimeoutError(f"a run did not end within {PATIENCE:g} seconds")
        await asyncio.sleep(0.05)
