"""A sign of life from work that is silent for long: it has a thread, the listener keeps time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class _End:
    """The last thing a worker says; `error` is what it died of, if anything."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class Pulsed(Generic[Item]):
    """What `work` yields, in order, and None whenever that takes longer than `every` seconds.

    `work(left)` is called in a thread of its own; `left()` turns true when nobody listens any more.

    >>> list(Pulsed(lambda left: iter("abc"), every=60.0))
    ['a', 'b', 'c']
    """

    def __init__(self, work: Callable[[Callable[[], bool]], Iterator[Item]], every: float) -> None:
        self._work, self._every = work, every
        self._left = threading.Event()
        self._said: queue.SimpleQueue[Item | _End] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._speak, daemon=True)

    def _speak(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._work(self._left.is_set):
                self._said.put(item)
                if self._left.is_set():
                    break
        except BaseException as caught:
            error = caught
        self._said.put(_End(error))

    def __iter__(self) -> Iterator[Item | None]:
        self._thread.start()
        try:
            while True:
                try:
                    item = self._said.get(timeout=self._every)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(item, _End):
                    break
                yield item
        finally:
            self._left.set()
            self._thread.join()
        if item.error is not None:
            raise item.error
