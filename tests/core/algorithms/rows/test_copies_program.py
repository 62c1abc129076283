"""The program over copies against SciPy, its rounding, and the response against Lloyd."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from antidote_core.algorithms.design.contest import RowContest
from antidote_core.algorithms.design.fair_constraints import cells_at
from antidote_core.algorithms.rows.copies_program import Limits, between, plan_copies, whole_copies
from antidote_core.algorithms.rows.fair_shifts import fair_shifts
from antidote_core.algorithms.rows.row_limits import OVERLOOKED, Response, RowLimits
from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.datasets import dataset_from_frame
from antidote_core.errors import SpecError
from antidote_core.places import allowed_rows, check_allowed
from antidote_core.problem import Problem


def limits(seed, rows=4, columns=3000, wanted=60.0):
    """A few rows that must be met, and one that may be anywhere within a range."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(0.0, 1.0, (rows, columns))
    lower = np.append(np.full(rows - 1, wanted), -5.0)
    upper = np.append(np.full(rows - 1, np.inf), 5.0)
    strict = np.append(np.ones(rows - 1), 0.0)
    return Limits(matrix, lower, upper, np.zeros(rows), strict).scaled()


@pytest.mark.parametrize("seed", range(3))
def test_sifting_finds_the_optimum_of_the_whole_program(seed):
    program = limits(seed)
    plan = plan_copies(program, cap=5.0)
    one_sided = np.isfinite(program.upper)
    whole = linprog(
        np.ones(program.matrix.shape[1]),
        A_ub=np.vstack([-program.matrix, program.matrix[one_sided]]),
        b_ub=np.concatenate([-program.lower, program.upper[one_sided]]),
        bounds=(0.0, 5.0),
        method="highs",
    )
    assert plan.short.max() < 1e-9
    assert plan.copies.sum() == pytest.approx(whole.fun, rel=1e-6)
    assert plan.bound == pytest.approx(whole.fun, rel=1e-6)


def test_at_most_as_many_fractions_as_rows():
    program = limits(7)
    copies = plan_copies(program, cap=5.0).copies
    assert (np.abs(copies - copies.round()) > 1e-6).sum() <= len(program.lower)


@pytest.mark.parametrize("seed", range(3))
def test_whole_copies_still_meet_the_strict_limits(seed):
    program = limits(seed)
    plan = plan_copies(program, cap=5.0)
    copies = whole_copies(program, plan, cap=5)
    strict = program.strict > 0
    assert copies.dtype == np.int64
    assert copies.min() >= 0
    assert copies.max() <= 5
    assert (program.matrix[strict] @ copies >= program.lower[strict] - 1e-5).all()
    assert copies.sum() <= plan.copies.sum() + len(program.lower) + 1


def test_a_size_that_does_not_suffice_leaves_slack():
    program = limits(1)
    enough = plan_copies(program, cap=5.0).copies.sum()
    plan = plan_copies(program, cap=5.0, size=enough / 2)
    assert plan.copies.sum() <= enough / 2 + 1e-6
    assert plan.short.max() > 0.1


def test_the_response_foretells_where_lloyd_ends():
    rng = np.random.default_rng(3)
    points = np.vstack([rng.normal(0.0, 1.0, (20000, 2)), rng.normal(2.2, 1.0, (20000, 2))])
    groups = np.zeros(len(points), dtype=np.int64)
    evaluator = KMeansEvaluator(points, groups, k=2, restarts=3, seed=0)
    start = evaluator.basins[0]
    cells = cells_at(start, points, groups)
    response = Response.at(cells, points, np.zeros(2))
    row = int(points.sum(axis=1).argmax())
    copies = 400
    foretold = copies * response.of_copies(points[[row]], cells.labels[[row]])[:, 0]
    ended = evaluator.descend(np.repeat(points[[row]], copies, axis=0), start).centers
    went = (ended - start).ravel()
    own = cells.labels[row]
    fixed = np.zeros((2, 2))  # as if nobody changed sides
    fixed[own] = copies * (points[row] - start[own]) / cells.sizes[own]
    off = np.linalg.norm(went - foretold)
    assert off < 0.1 * np.linalg.norm(went)
    assert off < 0.5 * np.linalg.norm(went - fixed.ravel())


def test_allowed_rows_are_ordinary_in_every_feature():
    points = np.random.default_rng(0).normal(size=(500, 3))
    allowed = allowed_rows(points)
    lower, upper = np.percentile(points, [1, 99], axis=0)
    assert np.array_equal(allowed, ((points >= lower) & (points <= upper)).all(axis=1))


def test_sentences_where_no_row_is_left():
    points = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(SpecError, match="No row has every feature within percentiles 10 to 90"):
        allowed_rows(points, (10, 90))
    with pytest.raises(SpecError, match=r"the smaller one first; got \(99, 1\)"):
        allowed_rows(points, (99, 1))
    with pytest.raises(SpecError, match="names no row that may be copied"):
        check_allowed(np.zeros(2, dtype=bool), 2)
    with pytest.raises(SpecError, match="true or false for each of the 2 rows"):
        check_allowed(np.ones(3, dtype=bool), 2)


def test_between_two_plans_sizes_are_linear_and_shortfalls_are_counted():
    program = limits(2)
    plan = plan_copies(program, cap=5.0, size=20.0)
    start = np.random.default_rng(0).uniform(0.0, 1.0, program.matrix.shape[1])
    mixed = between(program, plan, start, 0.25)
    assert mixed.copies.sum() == pytest.approx(0.75 * start.sum() + 0.25 * plan.copies.sum())
    for row in range(len(program.lower)):
        value = sum(a * m for a, m in zip(program.matrix[row], mixed.copies, strict=True))
        missed = max(program.lower[row] - value, value - program.upper[row], 0.0)
        assert mixed.short[row] == pytest.approx(missed, abs=1e-9)


def test_a_shift_that_leaves_too_much_inertia_gets_a_tangent():
    rng = np.random.default_rng(4)
    points = np.vstack([rng.normal(0.0, 1.0, (300, 2)), rng.normal(4.0, 1.0, (300, 2))])
    frame = pd.DataFrame(points, columns=["a", "b"])
    frame["group"] = np.where(rng.random(600) < 0.5, "x", "y")
    data = dataset_from_frame(frame, features=["a", "b"], protected="group")
    problem = Problem(data, fairness="balance", k=2, max_price=0.05)
    builder = RowLimits(RowContest(problem, 0.0), fair_shifts(problem), np.arange(600))
    start = problem.vanilla.centers
    cells = cells_at(start, problem.points, problem.groups)
    loose = []
    for step in (0.05, 0.1, 0.5, 1.0):
        moved = start + step
        inertia = ((problem.points[:, None] - moved) ** 2).sum(axis=2).min(axis=1).sum()
        place = builder.too_loose(cells, np.full(4, step), 1.0)
        loose.append(place is not None)
        assert loose[-1] == (inertia > problem.guard.most * (1.0 + OVERLOOKED))
        assert place is None or np.allclose(place.centers, moved)
    assert set(loose) == {True, False}
