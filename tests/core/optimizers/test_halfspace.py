"""The cut box against the general solver for linear programs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from antidote_core.optimizers.structured import lowest_in_cut_box

NUMBER = st.integers(-4, 4).map(float) | st.floats(-10, 10).map(lambda x: round(x, 3))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), d=st.integers(1, 6))
def test_equal_to_the_linear_program(data, d):
    cost, normal, one, other = (
        np.array(data.draw(st.lists(NUMBER, min_size=d, max_size=d))) for _ in range(4)
    )
    lower, upper = np.minimum(one, other), np.maximum(one, other)
    limit = data.draw(NUMBER)
    found = lowest_in_cut_box(cost, normal, limit, lower, upper)
    answer = linprog(cost, normal[None], [limit], bounds=np.column_stack([lower, upper]))
    if answer.status == 2:
        lowest = np.where(normal > 0, lower, upper) @ normal
        assert found is None or lowest <= limit + 1e-6  # the solver allows itself a tolerance
        return
    if found is None:
        assert np.where(normal > 0, lower, upper) @ normal >= limit - 1e-6
        return
    assert (found >= lower - 1e-12).all()
    assert (found <= upper + 1e-12).all()
    assert normal @ found <= limit + 1e-9
    np.testing.assert_allclose(cost @ found, answer.fun, atol=1e-5)
