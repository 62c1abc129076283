"""Small cone programs, written row by row and solved by Clarabel.

The programs here have a few hundred rows and are solved thousands of times, so they go to the
solver as they are: a modelling layer would take ten times as long to read them as Clarabel takes
to solve them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from antidote_core.errors import optional_packages
from antidote_core.types import Floats

MAX_ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Answer:
    """A point (v,), and one dual number (0 when the row does not bind) per row in order.

    `bound` is the value of the dual: no point costs less.
    """

    x: Floats
    duals: Floats
    bound: float


class ConeProgram:
    """minimise cost · x subject to linear rows and second-order cones.

    The largest x + y in the unit disc:

    >>> program = ConeProgram(2)
    >>> _ = program.norm_at_most(np.vstack([np.zeros(2), np.eye(2)]), [1, 0, 0])
    >>> program.minimise(np.array([-1.0, -1.0])).x.round(4).tolist()
    [0.7071, 0.7071]
    """

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self._matrices: list[Floats] = []
        self._limits: list[Floats] = []
        self._cones: list[tuple[str, int]] = []
        self._used = 0

    def at_most(self, rows: Floats, limits: ArrayLike) -> slice:
        """rows @ x <= limits; returns where the duals of these rows will be."""
        return self._add("linear", np.atleast_2d(rows), np.atleast_1d(limits))

    def norm_at_most(self, rows: Floats, offsets: ArrayLike) -> slice:
        """|w| <= w_0 for (w_0, w) = rows @ x + offsets."""
        return self._add("norm", -rows, np.asarray(offsets))

    def square_at_most(self, rows: Floats, offsets: Floats, bound: Floats, rest: float) -> slice:
        """|rows @ x + offsets|^2 <= bound @ x + rest, as |(2w, s - 1)| <= s + 1."""
        return self.norm_at_most(
            np.vstack([bound, 2.0 * rows, bound]),
            np.concatenate([[rest + 1.0], 2.0 * offsets, [rest - 1.0]]),
        )

    def _add(self, kind: str, matrix: Floats, limits: Floats) -> slice:
        self._matrices.append(matrix)
        self._limits.append(np.asarray(limits, dtype=np.float64))
        self._cones.append((kind, len(matrix)))
        begin = self._used
        self._used += len(matrix)
        return slice(begin, self._used)

    def minimise(self, cost: Floats) -> Answer | None:
        """The best x, or None when the solver finds none."""
        from scipy import sparse

        with optional_packages():
            import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_iter = MAX_ITERATIONS
        settings.max_threads = 1
        kinds = {"linear": clarabel.NonnegativeConeT, "norm": clarabel.SecondOrderConeT}
        try:
            solution = clarabel.DefaultSolver(
                sparse.csc_matrix((self.variables, self.variables)),
                cost,
                sparse.csc_matrix(np.vstack(self._matrices)),
                np.concatenate(self._limits),
                [kinds[kind](length) for kind, length in self._cones],
                settings,
            ).solve()
        except BaseException as error:
            # A panic inside the solver is not an Exception; whatever else came must pass.
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                return None
            raise
        x = np.array(solution.x)
        if str(solution.status) not in ("Solved", "AlmostSolved") or not np.isfinite(x).all():
            return None
        return Answer(x, np.array(solution.z), float(solution.obj_val_dual))
