"""Would V pass for data? Distance to real points, and a spread that makes clumps look like data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidote_core.nearest import nearest_center
from antidote_core.types import Floats

CROWD = 0.99  # a point farther off than this share of the real points are from each other is remote
SAMPLE = 2000
SPREADS = (1.0, 0.5, 0.25, 0.1)
INSIDE = 0.98  # of the way to the border of the cell


def nearest_real_distance(points: Floats, antidote: Floats) -> Floats:
    """Distance (m,) of every antidote point (m, d) to the nearest real point (n, d).

    >>> nearest_real_distance(np.array([[0.0], [4.0]]), np.array([[1.0], [9.0]])).tolist()
    [1.0, 5.0]
    """
    if not len(antidote):
        return np.empty(0)
    from scipy.spatial import KDTree

    atoms, where = np.unique(antidote, axis=0, return_inverse=True)
    distances, _ = KDTree(points).query(atoms)
    return np.asarray(distances)[where.ravel()]


def usual_distance(points: Floats) -> float:
    """How far the most lonely of the real points are from their nearest neighbour (99 in 100)."""
    from scipy.spatial import KDTree

    sample = points[:: max(1, len(points) // SAMPLE)]
    distances, _ = KDTree(points).query(sample, k=min(2, len(points)))
    return float(np.quantile(np.atleast_2d(distances.T)[-1], CROWD))


def remoteness(points: Floats, antidote: Floats) -> tuple[str, ...]:
    """A sentence when V is extreme, none when it is not."""
    if not len(antidote):
        return ()
    distances = nearest_real_distance(points, antidote)
    usual = usual_distance(points)
    remote = int((distances > usual).sum())
    places = len(np.unique(antidote, axis=0))
    sentences = []
    if remote:
        sentences.append(
            f"{remote} of {len(antidote)} antidote points are extreme: up to "
            f"{distances.max():.3g} standard deviations from any real point, where 99 in 100 real "
            f"points have one within {usual:.3g}."
        )
    if len(antidote) > places:
        sentences.append(
            f"The {len(antidote)} antidote points are copies of {places}; spread them out before "
            "they have to pass for data."
        )
    return tuple(sentences)


def spreads(
    points: Floats, antidote: Floats, centers: Floats, box: tuple[Floats, Floats]
) -> Iterator[tuple[float, Floats]]:
    """(scale, V) with every clump of V scattered like the real points next to it, widest first.

    Each clump keeps its mean, so k-means feels the same pull; every point stays in the box and in
    the cell of the clump. What the scatter does to the contest of inertias must be checked anew.
    """
    from scipy.spatial import KDTree

    tree = KDTree(points)
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    clouds = []
    for atom, count in zip(atoms, counts, strict=True):
        _, rows = tree.query(atom, k=min(int(count), len(points)))
        cloud = points[np.resize(np.atleast_1d(rows), count)]
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
