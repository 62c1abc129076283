"""Algorithm 1 on a whole data set: ranges of λ, the clusterpath on a map, the direct search.

With the samples the paper did it on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antidote_core.algorithms.algorithm1.solve import (
    ConvexResult,
    social_of_u,
    solve_convex,
    surrogate,
)
from antidote_core.clustering.son import SonClustering, lambda_of_one_cluster, son_path
from antidote_core.datasets.registry import subsample
from antidote_core.errors import SpecError
from antidote_core.projection import Plane, fit_plane
from antidote_core.types import Dataset, Floats, Ints

PAPER_SAMPLE = 100
PAPER_LAMBDAS = tuple(round(0.001 * i, 3) for i in range(1, 11))
SWEEP_GAP, PATH_GAP = 1e-9, 1e-8  # relative duality gaps: figures, and a drawing
FUSING_FROM = 0.1  # of the λ at which surely all centres are one
LADDER = (1, 2, 5)  # sizes the direct search tries besides the one asked for


@dataclass(frozen=True)
class SweepPoint:
    """One λ: the social cost of U before and after, and into how many clusters U falls."""

    lam: float
    vanilla_cost: float
    cost: float
    vanilla_clusters: int
    clusters: int

    @property
    def difference(self) -> float:
        """Vanilla cost minus cost after: positive when the antidote points helped."""
        return self.vanilla_cost - self.cost


def lambda_sweep(
    points: Floats,
    groups: Ints,
    lambdas: Sequence[float] = PAPER_LAMBDAS,
    gamma: float = 0.99,
    size: int = 10,
) -> tuple[SweepPoint, ...]:
    """The paper's figure: V from the surrogate, U ∪ V clustered exactly, for every λ in turn.

    The surrogate knows no λ, so V is the same for all of them.
    """
    antidote, _ = surrogate(points, groups, gamma, size)
    union = np.vstack([points, antidote])
    paths = [son_path(x, lambdas, relative_gap=SWEEP_GAP) for x in (points, union)]
    return tuple(
        SweepPoint(
            float(lam),
            social_of_u(before, points, groups).cost,
            social_of_u(after, points, groups).cost,
            before.clusters,
            len(np.unique(after.labels[: len(points)])),
        )
        for lam, before, after in zip(lambdas, *paths, strict=True)
    )


def fusing_lambdas(points: Floats, count: int = 12) -> tuple[float, ...]:
    """λ from where centres are still apart to where surely all of them are one."""
    last = lambda_of_one_cluster(points)
    return tuple(np.geomspace(FUSING_FROM * last, last, count).tolist())


def clusterpath(points: Floats, count: int = 24) -> tuple[tuple[float, ...], list[SonClustering]]:
    """λ and clusterings from almost no pull to one cluster, for drawing."""
    last = lambda_of_one_cluster(points)
    lambdas = tuple(np.geomspace(last / 50, last, count).tolist())
    return lambdas, list(son_path(points, lambdas, relative_gap=PATH_GAP))


def paper_sample(
    data: Dataset, size: int = PAPER_SAMPLE, two_groups: bool = True, seed: int = 0
) -> Dataset:
    """`size` rows, stratified by group, of the two largest groups (as in the paper) or of all."""
    if data.weights is not None:
        raise SpecError(
            "Algorithm 1 counts every row once, and these rows have weights; use Algorithm 2, or "
            "take rows without weights."
        )
    if two_groups and len(data.group_names) > 2:
        largest = np.sort(np.argsort(-data.group_sizes, kind="stable")[:2])
        rows = np.flatnonzero(np.isin(data.groups, largest))
        names = tuple(data.group_names[j] for j in largest)
        data = replace(
            data.take(rows),
            groups=np.searchsorted(largest, data.groups[rows]),
            group_names=names,
            source=f"{data.source}, groups {names[0]} and {names[1]} only",
            notes=(*data.notes, f"Only the two largest groups are kept: {' and '.join(names)}."),
        )
    return subsample(data, min(size, data.n), seed)


@dataclass(frozen=True, eq=False)
class Path:
    """Centres on a map, (steps, n, 2), for rising λ; `clusters` of each step."""

    plane: Plane
    places: Floats
    lambdas: tuple[float, ...]
    clusters: tuple[int, ...]
    antidote: Floats


@dataclass(frozen=True)
class Sweeps:
    """Differences over the paper's range of λ, where clusters fuse, and for other samples."""

    paper: tuple[SweepPoint, ...]
    fusing: tuple[SweepPoint, ...]
    others: tuple[tuple[SweepPoint, ...], ...]

    def of(self, kind: str) -> tuple[SweepPoint, ...]:
        """The sweep named "paper" or "fusing"."""
        return self.fusing if kind == "fusing" else self.paper


def sweeps(data: Dataset, others: Sequence[Dataset], gamma: float, size: int) -> Sweeps:
    """Both ranges for `data`, and the paper's range for other samples of the same data set."""

    def sweep(one: Dataset, lambdas: Sequence[float]) -> tuple[SweepPoint, ...]:
        return lambda_sweep(one.points, one.groups, lambdas, gamma, size)

    return Sweeps(
        sweep(data, PAPER_LAMBDAS),
        sweep(data, fusing_lambdas(data.points)),
        tuple(sweep(other, PAPER_LAMBDAS) for other in others),
    )


def path_of(data: Dataset, gamma: float, size: int, with_antidote: bool) -> Path:
    """The clusterpath of U, or of U ∪ V with the surrogate's V, on the plane of U."""
    antidote = surrogate(data.points, data.groups, gamma, size)[0][: size if with_antidote else 0]
    lambdas, found = clusterpath(np.vstack([data.points, antidote]))
    plane = fit_plane(data.points, data.feature_names)
    places = np.stack([plane.place(one.centers[: data.n]) for one in found])
    whole = np.concatenate([plane.place(data.points)[None], places])
    clusters = tuple(len(np.unique(one.labels[: data.n])) for one in found)
    return Path(plane, whole, (0.0, *lambdas), (data.n, *clusters), plane.place(antidote))


def direct_search(data: Dataset, lam: float, size: int, budget: int, seed: int) -> ConvexResult:
    """The best of a few sizes up to `size`, each searched on exact clustering."""
    tried = []
    vanilla = None
    for count in sorted({*(n for n in LADDER if n < size), size}):
        found = solve_convex(
            data.points, data.groups, lam, size=count, method="direct", seed=seed, budget=budget,
            vanilla=vanilla,
        )  # fmt: skip
        vanilla = found.vanilla
        tried.append(found)
    return min(tried, key=lambda found: found.cost)
