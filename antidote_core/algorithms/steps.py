"""Work in steps: generators that tell how far they are and return a result at the end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

Step = TypeVar("Step")
Told = TypeVar("Told")
Result = TypeVar("Result")


def finish(steps: Generator[Any, None, Result]) -> Result:
    """Do all the work and return its result.

    >>> def work():
    ...     yield 1
    ...     return "done"
    >>> finish(work())
    'done'
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def relayed(
    steps: Generator[Step, None, Result], tell: Callable[[Step], Told]
) -> Generator[Told, None, Result]:
    """The same work; each step is told in other words."""
    result: list[Result] = []

    def kept() -> Generator[Step, None, None]:
        result.append((yield from steps))

    yield from map(tell, kept())
    return result[0]


class _End:
    """The last thing a worker says; `error` is what it died of, if anything."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def with_heartbeat(
    work: Callable[[Callable[[], bool]], Iterator[Step]], every: float
) -> Iterator[Step | None]:
    """What `work` yields, in order, and None whenever that takes longer than `every` seconds.

    `work(left)` is called in a thread of its own; `left()` turns true when nobody listens any more.

    >>> list(with_heartbeat(lambda left: iter("abc"), every=60.0))
    ['a', 'b', 'c']
    """
    left = threading.Event()
    said: queue.SimpleQueue[Step | _End] = queue.SimpleQueue()

    def speak() -> None:
        error: BaseException | None = None
        try:
            for item in work(left.is_set):
                said.put(item)
                if left.is_set():
                    break
        except BaseException as caught:
            error = caught
        said.put(_End(error))

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        while True:
            try:
                item = said.get(timeout=every)
            except queue.Empty:
                yield None
                continue
            if isinstance(item, _End):
                break
            yield item
    finally:
        left.set()
        thread.join()
    if item.error is not None:
        raise item.error
