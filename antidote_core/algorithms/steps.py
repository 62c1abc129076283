"""Work in steps: generators that tell how far they are and return a result at the end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, TypeVar

Step = TypeVar("Step")
Told = TypeVar("Told")
Result = TypeVar("Result")
_NO_MORE: Any = object()


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


def one_thread(steps: Generator[Step, None, None]) -> Iterator[Step]:
    """The same steps, with numerical libraries kept to one thread while each is worked out.

    Many clusterings of moderate data are asked for one after the other: threads wait for each other
    longer than they work. Between the steps the caller's threads are as before.

    >>> list(one_thread(letter for letter in "ab"))
    ['a', 'b']
    """
    import sklearn.cluster  # noqa: F401  # a library is limited once it is loaded
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController()
    with closing(steps):
        while True:
            with libraries.limit(limits=1):
                step = next(steps, _NO_MORE)
            if step is _NO_MORE:
                return
            yield step


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
    """The last thing a worker says: its result, or what it died of."""

    def __init__(self, result: Any = None, error: BaseException | None = None) -> None:
        self.result, self.error = result, error


def in_thread(
    work: Callable[[Callable[[Step], None], Callable[[], bool]], Result], every: float | None = None
) -> Generator[Step | None, None, Result]:
    """What `work(tell, left)` tells, in order, and None whenever that takes over `every` seconds.

    It is called in a thread of its own; `left()` turns true when nobody listens any more.

    >>> telling = in_thread(lambda tell, left: tell("a"))
    >>> list(telling)
    ['a']
    """
    left = threading.Event()
    said: queue.SimpleQueue[Step | _End] = queue.SimpleQueue()

    def speak() -> None:
        try:
            end = _End(work(said.put, left.is_set))
        except BaseException as error:
            end = _End(error=error)
        said.put(end)

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
    result: Result = item.result
    return result


def with_heartbeat(
    work: Callable[[Callable[[], bool]], Iterator[Step]], every: float
) -> Iterator[Step | None]:
    """What `work(left)` yields, in a thread of its own (see `in_thread`), and None meanwhile.

    >>> list(with_heartbeat(lambda left: iter("abc"), every=60.0))
    ['a', 'b', 'c']
    """

    def speak(tell: Callable[[Step], None], left: Callable[[], bool]) -> None:
        for item in work(left):
            tell(item)
            if left():
                break

    return in_thread(speak, every)
