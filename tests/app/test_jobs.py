"""Answers in the background: given up when nobody waits, never while somebody does."""

import gc
import threading
import weakref

import pytest

from antidote_core import load_dataset
from pages._ui.shared import answers
from pages._ui.shared.rooms import STALE_SECONDS, Jobs, Stale


class Clock:
    """Shows what it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def held():
    """Jobs whose only thread is kept busy until the event is set, and their clock."""
    clock, go_on = Clock(), threading.Event()
    jobs = Jobs(clock)
    jobs.ask("slow", ("first",), go_on.wait, 30)
    yield jobs, go_on, clock
    go_on.set()


def test_an_answer_that_nobody_waits_for_is_given_up_and_can_be_asked_for_again(held) -> None:
    jobs, go_on, clock = held
    waiting = jobs.ask("slow", ("second",), lambda: 2)
    clock.now += STALE_SECONDS + 1
    go_on.set()
    assert isinstance(waiting.exception(10), Stale)
    assert answers.answer(answers.Job(waiting, there=True)) is None
    assert jobs.ask("slow", ("second",), lambda: 2).result(10) == 2


def test_an_answer_that_a_page_waits_for_comes_however_long_the_others_take(held) -> None:
    jobs, go_on, clock = held
    waiting = jobs.ask("slow", ("second",), lambda: 2)
    for _ in range(10):
        clock.now += STALE_SECONDS - 1
        jobs.still_wanted([waiting])
    go_on.set()
    assert waiting.result(10) == 2


def test_answers_that_are_let_go_are_held_by_nobody(held) -> None:
    jobs, go_on, _ = held
    data = load_dataset("blobs")
    waiting = jobs.ask("slow", ("second",), len, data.points)
    rows = weakref.ref(data)
    del data
    jobs.clear()
    assert waiting.cancelled()
    assert answers.answer(answers.Job(waiting, there=True)) is None
    go_on.set()
    gc.collect()
    assert rows() is None
    assert jobs.ask("slow", ("second",), lambda: 2).result(10) == 2
