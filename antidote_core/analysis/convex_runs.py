"""Algorithm 1 on a whole data set: ranges of λ, the clusterpath on a map, the direct search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.algorithm1.lambda_range import (
    PAPER_LAMBDAS,
    SweepPoint,
    clusterpath,
    fusing_lambdas,
    lambda_sweep,
)
from antidote_core.algorithms.algorithm1.solve import ConvexResult, solve_convex, surrogate
from antidote_core.projection import Plane, fit_plane
from antidote_core.types import Dataset, Floats

LADDER = (1, 2, 5)  # sizes the direct search tries besides the one asked for


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
