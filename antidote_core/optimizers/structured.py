"""Structured search: what k-means can feel of V, then the basins, then CMA-ES.

k-means feels V only through the number and the sum of the antidote points in each cluster, so a few
locations with multiplicities (atoms) say everything about V. The search tries

1. atoms that move the centres straight downhill: for every cell the point of the box inside the
   cell that a linear program finds best for the gradient of the cost;
2. basin switches: the point of the box where one k-means optimum gains most on another;
3. CMA-ES over the locations of the best atoms.

For clusterings other than k-means the first two do not apply, and atoms start at real points. A
spectral clustering feels V through the edges of its graph: there the search begins at the middles
of edges that are cut, and many points are exchanged for other such places a few at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.clustering.parts.evaluator import PartitionedEvaluator
from antidote_core.clustering.spectral import SpectralEvaluator
from antidote_core.fairness.gradients import descent_directions
from antidote_core.geometry import nearest_center
from antidote_core.optimizers.cma import cmaes
from antidote_core.optimizers.protocol import Box, Evaluator, Minimise, evaluated
from antidote_core.places import Place, Rows
from antidote_core.problem import Problem
from antidote_core.types import Floats, Ints

SPLITS = (1.0, 0.75, 0.5, 0.25)
PULLS = (1.0, 0.5, 0.25, 0.125)  # of the way from a centre to its atom
DOWNHILL_ROUNDS = 2
PAIRED_ATOMS = 3
REAL_POINT_TRIES = 20
CELL_MARGIN = 0.02
BRIDGE_TRIES = 20
EXCHANGED = 0.1  # of the points, at a time
EXCHANGE_ABOVE = 200  # numbers to place: more than CMA-ES can learn in a budget


def structured(problem: Problem, size: int, place: Place | None = None) -> Minimise:
    """The structured search for `size` antidote points, as a `minimise` of the common protocol.

    Where V consists of copies of rows (`place`), it looks for the best rows directly.
    """

    @evaluated
    def search(evaluate: Evaluator, rng: np.random.Generator, start: ArrayLike | None) -> None:
        _Search(problem, size, evaluate, rng, place).run(start)

    return search


class _Search:
    def __init__(
        self,
        problem: Problem,
        size: int,
        evaluate: Evaluator,
        rng: np.random.Generator,
        place: Place | None = None,
    ) -> None:
        self.problem = problem
        self.rows = place.atoms if isinstance(place, Rows) else None
        self.size = size
        self.d = problem.points.shape[1]
        self.lower, self.upper = evaluate.box.lower[: self.d], evaluate.box.upper[: self.d]
        self.evaluate = evaluate
        self.rng = rng
        self.best_value = np.inf
        self.best_atoms = np.empty((0, self.d))
        self.best_counts = np.empty(0, dtype=np.int64)

    def run(self, start: ArrayLike | None) -> None:
        for x in np.asarray(start if start is not None else []).reshape(-1, self.size * self.d):
            self.attempt(*_counted(x.reshape(-1, self.d)))
        if isinstance(self.problem.evaluator, KMeansEvaluator | PartitionedEvaluator):
            self.downhill()
            self.switch_basin(self.problem.evaluator)
        elif isinstance(self.problem.evaluator, SpectralEvaluator):
            self.across_the_cut(self.problem.evaluator.bridges())
        else:
            self.real_points()
        while True:
            self.polish()

    def attempt(self, atoms: Floats, counts: Ints) -> float:
        value = self.evaluate(np.repeat(atoms, counts, axis=0).ravel())
        if value < self.best_value or not len(self.best_atoms):
            self.best_value = value
            self.best_atoms, self.best_counts = atoms, np.asarray(counts, dtype=np.int64)
        return value

    def best_antidote(self) -> Floats:
        return np.repeat(self.best_atoms, self.best_counts, axis=0)

    def downhill(self) -> None:
        """Atoms that move the centres along the gradient, tried with a few multiplicities.

        In a box wider than the data atoms may be so far off that V takes a centre with it: they
        come nearer until all points at the best of them are better than none.
        """
        problem = self.problem
        lower, upper = problem.box("minmax")
        wider = (self.lower < lower).any() or (self.upper > upper).any()
        pulls = PULLS if wider else PULLS[:1]
        for _ in range(DOWNHILL_ROUNDS):
            before = self.best_value
            centers, _, _ = problem.evaluator.statistics(self.best_antidote())
            for gradient in descent_directions(
                problem.fairness, centers, problem.points, problem.groups, problem.weights
            ):
                atoms = self.cell_atoms(centers, gradient)
                homes = centers[nearest_center(atoms, centers)[0]]
                for pull in pulls:
                    tries = self.arrangements(homes + pull * (atoms - homes), centers)
                    values = [self.attempt(locations, counts) for locations, counts in tries]
                    if not values or values[0] < problem.vanilla.cost:
                        break
            if not self.best_value < before:
                break

    def cell_atoms(self, centers: Floats, gradient: Floats) -> Floats:
        """For each cell the point of the box in it that moves its centre best, most gain first."""
        found = []
        for c, center in enumerate(centers):
            others = np.delete(centers, c, axis=0)
            # Inside the cell: nearer to this centre than to any other, with a little room.
            normals = 2.0 * (others - center)
            limits = (others**2).sum(axis=1) - center @ center
            room = CELL_MARGIN * ((others - center) ** 2).sum(axis=1)
            if self.rows is None:
                best = self.lowest(gradient[c], normals, limits - room)
            else:
                best = _lowest_row(self.rows, gradient[c], normals, limits - room)
            if best is not None:
                found.append((float(gradient[c] @ (best - center)), best))
        found.sort(key=lambda pair: pair[0])
        return np.array([x for _, x in found]).reshape(-1, self.d)

    def lowest(self, cost: Floats, normals: Floats, limits: Floats) -> Floats | None:
        """The point of the box of least cost·x with normals·x <= limits; None if there is none."""
        if len(limits) == 1:
            return lowest_in_cut_box(cost, normals[0], limits[0], self.lower, self.upper)
        from scipy.optimize import linprog

        bounds = np.column_stack([self.lower, self.upper])
        answer = linprog(cost, A_ub=normals, b_ub=limits, bounds=bounds)
        return answer.x if answer.status == 0 else None

    def arrangements(self, atoms: Floats, centers: Floats) -> Iterator[tuple[Floats, Ints]]:
        """One or two atoms with part of the points each; the rest idles at a centre."""
        for atom in atoms:
            idle = centers[((centers - atom) ** 2).sum(axis=1).argmin()]
            for share in SPLITS:
                active = max(1, round(share * self.size))
                yield _stack([atom, idle], [active, self.size - active])
                if active == 1:
                    break
        if self.size > 1:
            for i, first in enumerate(atoms[:PAIRED_ATOMS]):
                for second in atoms[i + 1 : PAIRED_ATOMS]:
                    for share in SPLITS[1:]:
                        active = min(max(1, round(share * self.size)), self.size - 1)
                        yield _stack([first, second], [active, self.size - active])

    def switch_basin(self, evaluator: KMeansEvaluator | PartitionedEvaluator) -> None:
        """All points where another optimum gains most on the present one."""
        home = evaluator.basins[0]
        for other in evaluator.basins[1:]:
            if self.rows is None:
                places = switch_points(home, other, self.lower, self.upper)
            else:
                gains = nearest_center(self.rows, home)[1] - nearest_center(self.rows, other)[1]
                places = [self.rows[gains.argmax()]]
            for location in places[:2]:
                self.attempt(location[None, :], np.array([self.size]))

    def real_points(self) -> None:
        """Clumps at real points, where nothing is known about how the clustering feels V."""
        points = self.problem.points
        atoms = min(self.problem.k, self.size)
        for _ in range(REAL_POINT_TRIES):
            rows = self.rng.choice(len(points), atoms, replace=False)
            counts = np.full(atoms, self.size // atoms)
            counts[: self.size % atoms] += 1
            self.attempt(points[rows], counts)

    def across_the_cut(self, bridges: Floats) -> None:
        """Points between the sides of the cut: one by one, spread along it, then exchanged."""
        points = self.problem.points
        if not len(bridges):
            return self.real_points()
        if self.size == 1:
            for bridge in bridges[:BRIDGE_TRIES]:
                self.attempt(bridge[None], np.array([1]))
            return self.real_points()
        self.attempt(*_counted(np.resize(bridges, (self.size, self.d))))
        self.real_points()
        places = np.vstack([bridges, points])
        for _ in range(BRIDGE_TRIES):
            self.attempt(*_counted(places[self.rng.choice(len(bridges), self.size)]))
        while self.best_atoms.size > EXCHANGE_ABOVE:
            antidote = self.best_antidote()
            rows = self.rng.choice(self.size, max(1, int(EXCHANGED * self.size)), replace=False)
            antidote[rows] = places[self.rng.choice(len(places), len(rows))]
            self.attempt(*_counted(antidote))

    def polish(self) -> None:
        """CMA-ES over the locations of the best atoms, their multiplicities fixed."""
        atoms, counts = self.best_atoms, self.best_counts
        count = len(atoms)
        box = Box(np.tile(self.lower, count), np.tile(self.upper, count))
        remaining = max(self.evaluate.budget - self.evaluate.count, 1)
        cmaes(
            lambda flat: self.attempt(flat.reshape(count, self.d), counts),
            box,
            remaining,
            self.rng,
            start=atoms.ravel(),
        )


def _lowest_row(rows: Floats, cost: Floats, normals: Floats, limits: Floats) -> Floats | None:
    """The row of least cost·x with normals·x <= limits; None if there is none."""
    inside = (rows @ normals.T <= limits).all(axis=1)
    if not inside.any():
        return None
    return np.asarray(rows[inside][(rows[inside] @ cost).argmin()])


def switch_points(home: Floats, other: Floats, lower: Floats, upper: Floats) -> list[Floats]:
    """Points of a box where d(v, home)^2 - d(v, other)^2 is largest, best first.

    For a fixed centre B_e of the other optimum this is the largest t with
    t <= |v - A_c|^2 - |v - B_e|^2 for every home centre A_c: linear in v.
    """
    from scipy.optimize import linprog

    found = []
    bounds = [*zip(lower, upper, strict=True), (None, None)]
    for center in other:
        normals = np.hstack([2.0 * (home - center), np.ones((len(home), 1))])
        limits = (home**2).sum(axis=1) - center @ center
        objective = np.zeros(len(lower) + 1)
        objective[-1] = -1.0
        answer = linprog(objective, A_ub=normals, b_ub=limits, bounds=bounds)
        if answer.status == 0:
            found.append((-float(answer.x[-1]), answer.x[:-1]))
    found.sort(key=lambda pair: pair[0])
    return [x for _, x in found]


def _counted(antidote: Floats) -> tuple[Floats, Ints]:
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    return atoms, counts


def _stack(locations: list[Floats], counts: list[int]) -> tuple[Floats, Ints]:
    kept = [i for i, count in enumerate(counts) if count > 0]
    return np.array([locations[i] for i in kept]), np.array([counts[i] for i in kept])


def lowest_in_cut_box(
    cost: Floats, normal: Floats, limit: float, lower: Floats, upper: Floats
) -> Floats | None:
    """The point x (d,) with lower <= x <= upper and normal·x <= limit of least cost·x.

    None when no point of the box lies in the halfspace. This is the fractional knapsack: from the
    best corner, go back in the coordinates that give up least cost per unit of normal·x.

    >>> x = lowest_in_cut_box(np.array([-2.0, -1.0]), np.ones(2), 1.5, np.zeros(2), np.ones(2))
    >>> x.tolist()
    [1.0, 0.5]
    """
    # Where the cost does not care, the side that helps the constraint.
    wants_upper = (cost < 0.0) | ((cost == 0.0) & (normal < 0.0))
    x = np.where(wants_upper, upper, lower)
    excess = float(normal @ x - limit)
    if excess <= 0.0:
        return x
    back = np.where(wants_upper, lower, upper)
    relief = normal * (x - back)
    useful = np.flatnonzero(relief > 0.0)
    price = cost[useful] * (back - x)[useful] / relief[useful]
    for i in useful[np.argsort(price, kind="stable")]:
        if relief[i] >= excess:
            x[i] += (back[i] - x[i]) * (excess / relief[i])
            return x
        x[i] = back[i]
        excess -= float(relief[i])
    return None
