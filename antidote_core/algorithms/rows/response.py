"""How far the centres move when rows are copied, with the people who change sides counted in.

k-means rests where N_c (M_c - B_c) = sum of w_i (x_i - B_c) over the cell of c at M. Copies change
the sums directly; a centre that moves takes over people at the boundary, which moves it further.
With q the vector that holds x - B_c at c and -(x - B_e) at e for a person x at the boundary of c
and e, and rho the density of such people, the second derivative of the inertia is H = N - J,
J = sum rho q qᵀ, and the shift is u = H⁻¹ y, y_c = sum over the cell at B of w_i (x_i - B_c).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.cluster_sums import Cells
from antidote_core.types import Floats, Ints

NEAR_SHARE = 0.02  # of all people, taken for those at a boundary
NEAR_PEOPLE = 40
STIFFEST = 0.1  # of N, kept of H: beyond that a tenfold response would be trusted


@dataclass(frozen=True, eq=False)
class Response:
    """H⁻¹ (k * d, k * d) at the centres of the cells."""

    cells: Cells
    inverse: Floats

    @classmethod
    def at(cls, cells: Cells, points: Floats, held: Floats) -> Response:
        """The response at these cells with `held` (k,) copies in them already."""
        k, d = cells.centers.shape
        scale = np.repeat(np.sqrt(cells.sizes + held), d)
        taken = _crossing(cells, points) / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(np.eye(k * d) - taken)
        inverse = (vectors / np.maximum(values, STIFFEST)) @ vectors.T
        return cls(cells, inverse / np.outer(scale, scale))

    def of_copies(self, columns: Floats, labels: Ints) -> Floats:
        """Shift (k * d, m) that one copy of each of the rows (m, d) brings."""
        d = columns.shape[1]
        effect = np.empty((len(self.inverse), len(columns)))
        for c, center in enumerate(self.cells.centers):
            mine = labels == c
            effect[:, mine] = self.inverse[:, c * d : (c + 1) * d] @ (columns[mine] - center).T
        return effect

    def of_none(self) -> Floats:
        """Shift (k * d,) without any copies."""
        return -self.inverse @ (self.cells.sizes[:, None] * self.cells.shifts).ravel()


def _crossing(cells: Cells, points: Floats) -> Floats:
    """J (k * d, k * d) from the people nearest to a boundary."""
    centers = cells.centers
    k, d = centers.shape
    norms = (centers**2).sum(axis=1)
    powers = norms - 2.0 * points @ centers.T  # squared distances but for |x|^2
    rows = np.arange(len(points))
    own = powers[rows, cells.labels]
    powers[rows, cells.labels] = np.inf
    other = powers.argmin(axis=1)
    margins = powers[rows, other] - own
    wanted = min(len(points), max(int(NEAR_SHARE * len(points)), NEAR_PEOPLE))
    width = float(np.partition(margins, wanted - 1)[wanted - 1])
    crossing = np.zeros((k * d, k * d))
    if width <= 0.0:
        return crossing
    near = np.flatnonzero(margins <= width)
    for c in range(k):
        for e in range(k):
            between = near[(cells.labels[near] == c) & (other[near] == e)]
            if e == c or not len(between):
                continue
            reach = np.zeros((len(between), k * d))
            reach[:, c * d : (c + 1) * d] = points[between] - centers[c]
            reach[:, e * d : (e + 1) * d] = centers[e] - points[between]
            crossing += reach.T @ reach / width
    return crossing
