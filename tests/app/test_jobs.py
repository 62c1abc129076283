"""Answers in the background: given up when nobody waits, never while somebody does."""

import threading

import pytest

from pages._ui.jobs import answers
from pages._ui.jobs.answers import Jobs, Stale


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch):
    """Jobs whose only thread is kept busy until the event is set."""
    monkeypatch.setattr(answers, "STALE_SECONDS", 0.05)
    jobs, go_on = Jobs(), threading.Event()
    jobs.ask("slow", ("first",), go_on.wait, 30)
    yield jobs, go_on
    go_on.set()


def test_an_answer_that_nobody_waits_for_is_given_up_and_can_be_asked_for_again(held) -> None:
    jobs, go_on = held
    waiting = jobs.ask("slow", ("second",), lambda: 2)
    threading.Event().wait(0.1)
    go_on.set()
    assert isinstance(waiting.exception(10), Stale)
    assert answers.answer(waiting) is None
    assert jobs.ask("slow", ("second",), lambda: 2).result(10) == 2


def test_an_answer_that_a_page_waits_for_comes_however_long_the_others_take(held) -> None:
    jobs, go_on = held
    waiting = jobs.ask("slow", ("second",), lambda: 2)
    for _ in range(10):
        threading.Event().wait(0.02)
        jobs.still_wanted([waiting])
    go_on.set()
    assert waiting.result(10) == 2


class Process:
    """A process that ends when told."""

    def __init__(self) -> None:
        self.code: int | None = None

    def poll(self) -> int | None:
        return self.code


def test_layouts_are_computed_a_few_at_a_time_and_each_gets_its_turn() -> None:
    layouts = answers.Layouts()
    begun: dict[str, Process] = {}

    def asked(name: str):
        return layouts.working(name, lambda: begun.setdefault(name, Process()))

    assert all(asked(name) for name in "abcd")
    assert list(begun) == ["a", "b"]
    assert layouts.working("c", None)  # it waits, though nobody asks to begin it any more
    begun["a"].code = 1
    assert layouts.working("a", None) is None  # ended without a file
    assert asked("a") is None  # and is not tried again and again
    assert list(begun) == ["a", "b", "c"]
    for name in "bcd":
        begun[name].code = 0
        layouts.working(name, None)
    assert list(begun) == ["a", "b", "c", "d"]


def test_a_layout_that_cannot_be_begun_is_not_waited_for() -> None:
    def begin():
        raise OSError(28, "No space left on device")

    assert answers.Layouts().working("a", begin) is None


def test_a_server_forgets_layouts_of_long_ago() -> None:
    layouts = answers.Layouts()
    for number in range(3 * answers.KEPT):
        process = Process()
        layouts.working(str(number), lambda process=process: process)
        process.code = 0
    assert len(layouts._begun) <= answers.KEPT + answers.LAYOUTS_AT_ONCE
