"""Teaching set: two k-means optima of nearly the same inertia, one unfair and one fair."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.plane import cloud, members, teaching_set
from antidote_core.types import Floats, Ints


def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Four blobs at the corners of a rectangle slightly wider than high; groups differ by side."""
    corners = [(-1.55, -1.5), (-1.55, 1.5), (1.55, -1.5), (1.55, 1.5)]
    points = np.vstack([cloud(rng, corner, (0.45, 0.45), 100) for corner in corners])
    groups = [members(rng, 100, 15 if x < 0 else 85) for x, _ in corners]
    return points, np.concatenate(groups)


INFO = teaching_set(
    "two-optima",
    "Two optima",
    "Four blobs that split as well into left and right (unfair) as into top and bottom (fair): "
    "plain k-means prefers left and right by a hair, and a few points tip it over.",
    draw,
)
