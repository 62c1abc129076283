"""Sequential random embedding (SRE) around any optimizer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from antidote_core.checks import check_whole
from antidote_core.optimizers.protocol import (
    Box,
    Minimise,
    Minimum,
    Objective,
    UnitCube,
    minimiser,
)
from antidote_core.types import Floats


def sre(minimise: Minimise, embed_dim: int, rounds: int = 5) -> Minimise:
    """`minimise` (the paper's A), searching `embed_dim` (n') random directions at a time.

    After Qian, Hu and Yu (2016). Each round draws a matrix A (dim, n') with entries from
    N(0, 1/n') and lets `minimise` search the multiplier a and y in [-1, 1]^n' of
    x = a * carried + A y, where `carried` is the result of the rounds before. The rounds share the
    budget evenly and exactly.

    Where it departs from their SRE:

    - x is measured from the middle of the box in half widths, and clipped into the box; theirs
      knows no bounds, so the search space was wherever A y happened to lie;
    - a lies in [0, 2], and a round begins at a = 1, y = 0, which is `carried` itself (at first the
      best start, if there is one): one evaluation per round, and no round makes things worse;
    - with n' at or above the number of coordinates that can move nothing is embedded: `minimise`
      runs in the whole box.

    >>> from antidote_core.optimizers.racos import racos
    >>> def few_coordinates_matter(x):
    ...     return float((x[0] - 0.3) ** 2 + (x[1] + 0.5) ** 2)
    >>> box = Box(np.full(500, -1.0), np.full(500, 1.0))
    >>> plain = racos(few_coordinates_matter, box, 300, np.random.default_rng(0))
    >>> found = sre(racos, embed_dim=5)(few_coordinates_matter, box, 300, np.random.default_rng(0))
    >>> found.evaluations, bool(found.value < plain.value / 10)
    (300, True)
    """
    for name, value in (("embed_dim (n′)", embed_dim), ("rounds", rounds)):
        check_whole(name, value, 1)
    low_box = Box(np.r_[0.0, -np.ones(embed_dim)], np.r_[2.0, np.ones(embed_dim)])
    stay = np.r_[1.0, np.zeros(embed_dim)]

    @minimiser
    def embedded(cube: UnitCube, rng: np.random.Generator) -> None:
        carried, start = np.zeros(cube.dim), None
        if cube.starts:
            carried, start = 2 * cube.starts[0][0] - 1, stay
        for rounds_left in range(rounds, 0, -1):
            share = cube.remaining // rounds_left
            if share == 0:
                continue
            embedding = _Embedding(cube, carried, rng.standard_normal((cube.dim, embed_dim)))
            found = minimise(embedding.value, low_box, share, rng, start=start)
            carried, start = embedding.point(found.x), stay

    def minimise_embedded(f: Objective, box: Box, *given: Any, **options: Any) -> Minimum:
        whole = embed_dim >= np.count_nonzero(box.width)
        return (minimise if whole else embedded)(f, box, *given, **options)

    return minimise_embedded


class _Embedding:
    """One round: y (1 + n',) stands for a point (dim,) of [-1, 1]^dim, that is, of the cube."""

    def __init__(self, cube: UnitCube, carried: Floats, gaussian: Floats) -> None:
        self._cube = cube
        self._carried = carried
        self._matrix = gaussian / math.sqrt(gaussian.shape[1])

    def point(self, y: Floats) -> Floats:
        return np.clip(y[0] * self._carried + self._matrix @ y[1:], -1, 1)

    def value(self, y: Floats) -> float:
        return self._cube((1 + self.point(y)) / 2)
