"""Would V pass for data? Distance to real points, and a spread that makes clumps look like data."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.algorithm2.verification import SPREAD, verifying
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.runs.target import Verification, meets
from antidote_core.types import Floats, Ints

CROWD = 0.99  # a point farther off than this share of the real points are from each other is remote
SAMPLE = 500
CHUNK = 100
SPREADS = (1.0, 0.5, 0.25, 0.1)
INSIDE = 0.98  # of the way to the border of the cell


def nearest_real_distance(points: Floats, antidote: Floats) -> Floats:
    """Distance (m,) of every antidote point (m, d) to the nearest real point (n, d).

    >>> nearest_real_distance(np.array([[0.0], [4.0]]), np.array([[1.0], [9.0]])).tolist()
    [1.0, 5.0]
    """
    atoms, where = np.unique(antidote, axis=0, return_inverse=True)
    return _distances(points, atoms)[where.ravel()]


def _distances(points: Floats, places: Floats, own: Ints | None = None) -> Floats:
    """From each place to the nearest point, other than the point that it is (`own`)."""
    squares = np.einsum("ij,ij->i", points, points)
    found = np.empty(len(places))
    for begin in range(0, len(places), CHUNK):
        part = slice(begin, begin + CHUNK)
        # Short of |place|^2, which does not change which point is nearest.
        relative = squares - 2.0 * places[part] @ points.T
        if own is not None:
            relative[np.arange(len(relative)), own[part]] = np.inf
        offsets = places[part] - points[relative.argmin(axis=1)]
        found[part] = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    return found


@dataclass(frozen=True)
class Plausibility:
    """How far V is from reality.

    `farthest` is the largest distance of an antidote point to its nearest real point,
    `neighbour_median` the median distance between real neighbours (NaN where all points are
    copies), `neighbour_p99` the distance within which 99 in 100 real points have a neighbour;
    `remote` antidote points are beyond that.
    """

    farthest: float
    neighbour_median: float
    neighbour_p99: float
    remote: int


def plausibility(points: Floats, antidote: Floats) -> Plausibility:
    """How V (m, d), m >= 1, looks beside the real points (n, d).

    >>> plausibility(np.array([[0.0], [1.0], [3.0], [3.0]]), np.array([[9.0]]))
    Plausibility(farthest=6.0, neighbour_median=1.0, neighbour_p99=1.0, remote=1)
    """
    distances = nearest_real_distance(points, antidote)
    neighbour_median, neighbour_p99 = neighbour_distances(points)
    return Plausibility(
        float(distances.max()),
        neighbour_median,
        neighbour_p99,
        int((distances > neighbour_p99).sum()),
    )


def neighbour_distances(points: Floats) -> tuple[float, float]:
    """Distance from a real point to the nearest other one: the median, copies apart; 99 in 100."""
    rows = np.arange(0, len(points), max(1, len(points) // SAMPLE))
    found = _distances(points, points[rows], rows)
    distinct = found[found > 0]
    neighbour_median = float(np.median(distinct)) if len(distinct) else math.nan
    return neighbour_median, float(np.quantile(found, CROWD))


def spreads(
    points: Floats, antidote: Floats, centers: Floats, box: tuple[Floats, Floats]
) -> Iterator[tuple[float, Floats]]:
    """(scale, V) with every clump of V scattered like the real points next to it, widest first.

    Each clump keeps its mean, so k-means feels the same pull; every point stays in the box and in
    the cell of the clump. What the scatter does to the contest of inertias must be checked anew.
    """
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    clouds = []
    for atom, count in zip(atoms, counts, strict=True):
        near = np.argsort(((points - atom) ** 2).sum(axis=1), kind="stable")[:count]
        cloud = points[np.resize(near, count)]
        clouds.append(cloud - cloud.mean(axis=0))
    for scale in SPREADS:
        yield (
            scale,
            np.vstack(
                [
                    atom + scale * _fitted(atom, cloud, centers, box)
                    for atom, cloud in zip(atoms, clouds, strict=True)
                ]
            ),
        )


def _fitted(atom: Floats, cloud: Floats, centers: Floats, box: tuple[Floats, Floats]) -> Floats:
    """Offsets (m, d) of mean 0, shrunk per coordinate into the box, then together into the cell."""
    lower, upper = box
    with np.errstate(divide="ignore", invalid="ignore"):
        over = np.where(cloud.max(axis=0) > 0, (upper - atom) / cloud.max(axis=0), np.inf)
        under = np.where(cloud.min(axis=0) < 0, (lower - atom) / cloud.min(axis=0), np.inf)
    offsets = cloud * np.clip(np.minimum(over, under), 0.0, 1.0)
    labels, _ = nearest_center(atom[None, :], centers)
    own = centers[labels[0]]
    factor = 1.0
    for other in np.delete(centers, labels[0], axis=0):
        # 2 (other - own) · x <= |other|^2 - |own|^2 inside the cell
        normal = 2.0 * (other - own)
        room = other @ other - own @ own - normal @ atom
        reach = float((offsets @ normal).max(initial=0.0))
        if reach > INSIDE * room:
            factor = min(factor, max(INSIDE * float(room) / reach, 0.0))
    return factor * offsets


CHECKS = 8
AGREEMENT = 0.875


@dataclass(frozen=True, eq=False)
class Spread:
    """The scattered V (m, d), None when the clumps had to stay, and a sentence about it."""

    antidote: Floats | None
    sentence: str


def spread_out(
    problem: Problem,
    antidote: Floats,
    box: tuple[Floats, Floats],
    target: float,
    strict: bool,
    stopped: Callable[[], bool],
) -> Generator[int, None, Spread]:
    """V with every clump scattered like the real points next to it, widest scatter that holds.

    Each clump keeps its mean. A scatter holds when the cost meets the target (the cost it has now,
    if that misses the target already), and so do 7 of 8 independent clusterings with seeds of their
    own, among them the one of lowest objective. Yields the number of trials so far.
    """
    clumps = len(np.unique(antidote, axis=0))
    if clumps == len(antidote):
        return Spread(None, "The antidote points are all different: nothing had to be spread out.")
    before = problem.evaluate(antidote)
    if not meets(before, target, strict):
        target, strict = before, False
    centers = problem.cluster(antidote).centers
    trials = 0
    for scale, scattered in spreads(problem.points, antidote, centers, box):
        if stopped():
            return Spread(None, "Stopped before the antidote points could be spread out.")
        trials += 1
        yield trials
        if not meets(problem.evaluate(scattered), target, strict):
            continue
        if problem.keeps_guard(antidote) and not problem.keeps_guard(scattered):
            continue
        for found in verifying(problem, scattered, target, strict, CHECKS, SPREAD):
            if isinstance(found, Verification):
                break
            if stopped():
                return Spread(None, "Stopped before the antidote points could be spread out.")
            yield trials
        assert isinstance(found, Verification)
        if found.confirmed and found.share >= AGREEMENT:
            return Spread(
                scattered,
                f"The {clumps} clumps are spread out into {len(antidote):,} points at {scale:.0%} "
                f"of the scatter of the real points next to them; {found.agreeing} of {CHECKS} "
                "further clusterings still agree.",
            )
    return Spread(
        None,
        "Spread out, the antidote points would not keep the cost, so they stay in "
        f"{clumps} clump{'s' if clumps > 1 else ''}.",
    )
