"""Steps of work by one thread: the limit holds in a step, and only there."""

import pytest
import sklearn.cluster  # noqa: F401  # loads the libraries whose threads are counted
from threadpoolctl import threadpool_info, threadpool_limits

from antidote_core.algorithms.steps import one_thread


def threads():
    return {entry["filepath"]: entry["num_threads"] for entry in threadpool_info()}


def test_libraries_have_one_thread_in_a_step_and_theirs_between_steps():
    def work():
        for _ in range(3):
            yield threads()

    with threadpool_limits(2):
        before = threads()
        assert 2 in before.values()
        for within in one_thread(work()):
            assert set(within.values()) == {1}
            assert threads() == before
        assert threads() == before


def test_work_that_is_left_is_closed_and_errors_pass():
    closed = []

    def work():
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    steps = one_thread(work())
    assert next(steps) == 1
    steps.close()
    assert closed == [True]

    def fails():
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(one_thread(fails()))
