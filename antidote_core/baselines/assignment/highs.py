"""The one door to the HiGHS solver: a linear or mixed-integer program in, its solution out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from antidote_core.errors import SolverError, optional_packages
from antidote_core.types import Floats


class InfeasibleProgram(SolverError):
    """No point satisfies the constraints; callers say what that means for their problem."""


class TimeUp(SolverError):
    """The time allowed is over."""

    def __init__(self, limit: float) -> None:
        super().__init__(
            f"The solver HiGHS did not finish within {limit:g} seconds. "
            "Allow more time with time_limit, or use fewer points or clusters."
        )


@dataclass(frozen=True)
class Deadline:
    """When a computation must have ended; `after(None)` never comes."""

    limit: float
    moment: float

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The deadline that many seconds from now."""
        limit = math.inf if seconds is None else float(seconds)
        return cls(limit, time.monotonic() + limit)

    def remaining(self) -> float:
        """Seconds left; raises a sentence when there are none."""
        left = self.moment - time.monotonic()
        if left <= 0:
            raise TimeUp(self.limit)
        return left


@dataclass(frozen=True, eq=False)
class Program:
    """minimise cost @ x subject to row_lower <= matrix @ x <= row_upper, lower <= x <= upper.

    `matrix` is (rows, columns) sparse; `integer` (columns,) marks the variables that must be whole.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    matrix: sparse.csc_array
    row_lower: Floats
    row_upper: Floats
    integer: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Optimum:
    """Values of the columns, prices of the rows (LP only), objective, and a proven lower bound."""

    values: Floats
    row_prices: Floats
    objective: float
    bound: float


def solve(program: Program, deadline: Deadline, relative_gap: float = 0.0) -> Optimum:
    """Solve on one thread; a linear program ends at a vertex. Anything but an optimum raises."""
    with optional_packages():
        import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", min(deadline.remaining(), 1e9))
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = program.matrix.shape
    model.col_cost_ = program.cost
    model.col_lower_, model.col_upper_ = program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = program.matrix.indptr
    model.a_matrix_.index_ = program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    if program.integer is not None:
        whole, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        model.integrality_ = [whole if flag else real for flag in program.integer]
        solver.setOptionValue("mip_feasibility_tolerance", 1e-9)
        solver.setOptionValue("mip_rel_gap", relative_gap)
        solver.setOptionValue("mip_abs_gap", 1e-9)
    solver.passModel(model)
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kTimeLimit:
        raise TimeUp(deadline.limit)
    if status in (
        highspy.HighsModelStatus.kInfeasible,
        highspy.HighsModelStatus.kUnboundedOrInfeasible,
    ):
        raise InfeasibleProgram("The solver HiGHS found that no solution meets the constraints.")
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(
            f"The solver HiGHS stopped without an optimum: {solver.modelStatusToString(status)}."
        )
    solution, info = solver.getSolution(), solver.getInfo()
    objective = float(info.objective_function_value)
    return Optimum(
        np.array(solution.col_value),
        np.array(solution.row_dual),
        objective,
        objective if program.integer is None else float(info.mip_dual_bound),
    )
