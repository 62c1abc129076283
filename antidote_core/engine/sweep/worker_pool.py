"""dask: the processes that work on a sweep, on this machine or on a cluster that exists already.

The only place where dask.distributed is imported for sweeps.
"""

from __future__ import annotations

import logging
import queue
import socket
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from antidote_core.engine.sweep.tasks import Outcome, cancel_tasks
from antidote_core.errors import RunError, optional_packages
from antidote_core.runs.sweep_view import FAILED, RUNNING

PROBE_SECONDS = 3.0  # to find the host and to open a connection
GREET_SECONDS = 4.0  # for the scheduler to answer as one
CLOSE_SECONDS = 2.0
WITHDRAWN = "withdrawn"  # of a task: the scheduler forgot it

# dask returns memory at every chance and looks at the stack a hundred times a second; cells, which
# make and drop arrays all the time, take a third longer by that.
LEAN = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {
        **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1),
        **dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), 256 * 2**20),
    },
}

_WANTED = "it must look like tcp://host:port"
_LATER = "Check that the scheduler runs there and that this machine may reach it."


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Processes that take tasks; use as a context, or `close` it."""

    def __init__(self, address: str, client: Any, cluster: Any) -> None:
        self.address = address
        self._client = client
        self._cluster = cluster
        self._updates: queue.SimpleQueue[tuple[str, Outcome]] = queue.SimpleQueue()
        self._futures: list[Any] = []
        self._topic = f"antidote-{time.monotonic_ns()}-{threading.get_ident()}"
        client.subscribe_topic(self._topic, self._heard)

    @property
    def workers(self) -> int:
        """How many processes there are now; a RunError when the cluster is gone."""
        try:
            return len(self._client.nthreads())
        except (OSError, TimeoutError, RuntimeError, ValueError) as error:
            raise RunError(
                f"The connection to the cluster at {self.address} was lost "
                f"({type(error).__name__}); resume the sweep when it is back."
            ) from error

    def share(self, value: Any) -> Any:
        """A value for many tasks; the scheduler has it, so a lost worker does not take it away."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it is large is known
            return self._client.submit(_itself, value, key=f"{self._topic}-data")

    # Tasks whose keys begin alike wait at the scheduler and go to whichever worker is free; others
    # go at once to the worker that happens to hold the data.
    def submit(self, tag: str, turn: int, function: Callable[..., Any], *values: Any) -> None:
        """Have `function(*values)` computed; tasks of a lower `turn` begin earlier."""
        future = self._client.submit(
            _announced, self._topic, tag, function, *values,
            key=(self._topic, tag), priority=-turn,
        )  # fmt: skip
        self._futures.append(future)
        future.add_done_callback(lambda done: self._updates.put((tag, _outcome(done))))

    def next(self, seconds: float) -> tuple[str, Outcome] | None:
        """The tag of a task and what became of it; None if nothing happened for so long.

        Its state is "running", what the task itself says at its end, "failed" where its process
        was lost, or "withdrawn" by the scheduler.
        """
        try:
            return self._updates.get(timeout=seconds)
        except queue.Empty:
            return None

    def stop(self, token: str) -> None:
        """End the tasks: those that wait are withdrawn, those that run see a flag.

        Withdrawing alone does not stop a task that runs.
        """
        self._client.cancel(self._futures, force=True)
        self._client.run(cancel_tasks, token, on_error="ignore")

    def close(self) -> None:
        """Let go of the cluster; end it if it was started here."""
        # Processes that do not end in time end with this one, which is all their life depends on.
        with suppress(TimeoutError, OSError):
            self._client.close(timeout=CLOSE_SECONDS)
        if self._cluster is not None:
            with suppress(TimeoutError, OSError):
                self._cluster.close(timeout=CLOSE_SECONDS)

    def _heard(self, event: tuple[float, str]) -> None:
        self._updates.put((event[1], {"state": RUNNING}))

    def __exit__(self, *_: object) -> None:
        self.close()


def _outcome(future: Any) -> Outcome:
    """Fetched where it is told, so that the result is here before anyone hears of it."""
    from distributed import CancelledError

    try:
        outcome: Outcome = future.result()
        return outcome
    except CancelledError:
        return {"state": WITHDRAWN}
    except Exception as error:
        return {"state": FAILED, "reason": _why(error)}


def start_pool(processes: int, scratch: Path) -> WorkerPool:
    """Processes on this machine, one thread each."""
    with optional_packages():
        import dask
        from distributed import Client, LocalCluster

    with dask.config.set(LEAN):
        cluster = LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            local_directory=str(scratch),
        )
    return WorkerPool("", Client(cluster), cluster)


def join_pool(address: str) -> WorkerPool:
    """The cluster of the scheduler at `address`; within seconds, a RunError says what is wrong."""
    with optional_packages():
        from distributed import Client

    probe(address)
    # In a thread, because a client waits without limit for the first word of whoever answers.
    client, failed = _timed(lambda: Client(address, timeout=GREET_SECONDS), GREET_SECONDS + 0.5)
    if failed:
        raise RunError(
            f"What answers at {address} is no dask scheduler, or one of another version "
            f"({failed}). {_LATER}"
        )
    return WorkerPool(address, client, None)


def probe(address: str) -> None:
    """Open a connection to a scheduler's address and close it; a RunError when that fails."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or parts.scheme not in ("tcp", "tls"):
        raise RunError(f"The scheduler's address {address!r} cannot be read; {_WANTED}.")
    # In a thread, because looking up a name may take longer than any limit set here.
    _, failed = _timed(
        lambda: socket.create_connection((host, port), PROBE_SECONDS).close(), PROBE_SECONDS
    )
    if failed:
        raise RunError(f"No dask scheduler can be reached at {address} ({failed}). {_LATER}")


def _timed(call: Callable[[], Any], seconds: float) -> tuple[Any, str]:
    """What a call gives in a thread of its own, and why it failed or was given up, if so."""
    found: list[Any] = [None, "no answer in time"]

    def work() -> None:
        try:
            found[:] = call(), ""
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            found[1] = getattr(error, "strerror", None) or str(error) or type(error).__name__

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0], found[1]


def _itself(value: Any) -> Any:
    return value


def _announced(topic: str, tag: str, function: Callable[..., Any], *values: Any) -> Any:
    """The task, after word has gone out that it begins."""
    from distributed import get_worker

    get_worker().log_event(topic, tag)
    return function(*values)


def _why(error: BaseException) -> str:
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            "its worker process was lost each time it was tried, often a sign that memory ran out"
        )
    if isinstance(error, ImportError):
        return (
            f"the workers of the cluster lack a package ({error}); install there the same version "
            "of this software as here"
        )
    return f"something unexpected went wrong on the cluster ({type(error).__name__}: {error})"
