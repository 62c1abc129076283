"""The parts of U on the workers of a dask cluster, and sums over the wire.

    from distributed import Client
    from antidote_core.engine.sweep.parts_on_dask import DaskPartWorkers

    part_workers = DaskPartWorkers(parts, Client("tcp://host:8786"))
    problem = ac.PartitionedProblem(parts, k=4, part_workers=part_workers)

Each worker reads some of the files once and keeps them, as a dask actor: a question goes to it
without being planned as a task, which takes a fifth of the time. A worker that is lost takes
nothing with it: another one reads the same files again and is asked the same question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from antidote_core.datasets.parts.folder import Parts
from antidote_core.errors import RunError

TRIES = 4
WAIT_SECONDS = 30.0  # for a worker to come, or to come back
# What dask says of an actor whose worker is gone: to a new call, and to one under way.
LOST = (RuntimeError, OSError)


class DaskPartWorkers:
    """The parts, one part_worker per worker of `client`, a `distributed.Client`.

    The folder of the parts must be one that every worker sees under the same name, and this package
    must be installed where the workers run.
    """

    def __init__(self, parts: Parts, client: Any) -> None:
        self.n, self.d, self.g = parts.n, parts.d, len(parts.group_names)
        self._client = client
        workers = len(self._workers())
        self._contents = _even(parts, min(workers, len(parts.files)))
        self._actors: list[Any] = [None] * len(self._contents)
        self._places: list[str] = [""] * len(self._contents)
        self._fill(range(len(self._contents)))

    def call_all(self, method: str, *arguments: Any) -> list[Any]:
        """The answers of all part_workers to one question."""
        answers: dict[int, Any] = {}
        for attempt in range(TRIES):
            missing = [i for i in range(len(self._contents)) if i not in answers]
            if attempt:
                self._fill(missing)
            asked = [(i, self._put(i, method, arguments)) for i in missing]
            for i, call in asked:
                try:
                    if call is not None:
                        answers[i] = call.result()
                except LOST:
                    continue
            if len(answers) == len(self._contents):
                return [answers[i] for i in range(len(answers))]
        raise RunError(
            f"A worker of the dask cluster was lost {TRIES} times in a row, often a sign that "
            "memory ran out; use more workers or workers with more memory."
        )

    def _put(self, index: int, method: str, arguments: tuple[Any, ...]) -> Any:
        try:
            return getattr(self._actors[index], method)(*arguments)
        except LOST:
            return None

    def _fill(self, indices: Iterable[int]) -> None:
        """Have these part_workers read by workers, by those that hold fewest."""
        from antidote_core.clustering.parts.part_worker import PartWorker

        workers = self._workers()
        indices = list(indices)
        for i in indices:
            self._places[i] = ""
        orders = []
        for i in indices:
            load = Counter(self._places)
            self._places[i] = min(workers, key=lambda address: load[address])
            orders.append(
                self._client.submit(
                    PartWorker, self._contents[i], self.d, self.g, actor=True, pure=False,
                    workers=[self._places[i]], allow_other_workers=True,
                )
            )  # fmt: skip
        for i, order in zip(indices, orders, strict=True):
            try:
                self._actors[i] = order.result()
            except FileNotFoundError:
                raise RunError(
                    f"A worker finds no {self._contents[i][0].parent}; put the parts into a folder "
                    "that every worker sees under the same name."
                ) from None

    def _workers(self) -> list[str]:
        try:
            self._client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError:
            raise RunError(
                f"The dask cluster at {self._client.scheduler.address} has no workers; start at "
                "least one and try again."
            ) from None
        return sorted(self._client.nthreads())


def _even(parts: Parts, part_workers: int) -> list[list[Path]]:
    """The files in order on so many part_workers, with about the same number of rows each."""
    place = []
    before = 0
    for file in parts.files:
        place.append((2 * before + file.rows) * part_workers // (2 * parts.n))
        before += file.rows
    pairs = zip(place, parts.paths, strict=True)
    return [[path for _, path in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]
