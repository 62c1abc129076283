"""Teaching set: two blobs of unequal group mix."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.plane import cloud, members, teaching_set
from antidote_core.types import Floats, Ints


def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Left almost only group A; right mixed, with group B towards the border."""
    points = np.vstack(
        [cloud(rng, (-1.35, 0.0), (0.9, 0.9), 110), cloud(rng, (1.35, 0.0), (0.9, 0.9), 90)]
    )
    towards_border = np.argsort(points[110:, 0] + 0.8 * rng.normal(size=90))
    right = np.zeros(90, dtype=np.int64)
    right[towards_border[:55]] = 1
    return points, np.concatenate([members(rng, 110, 5), right])


INFO = teaching_set(
    "blobs",
    "Two blobs",
    "Two blobs of unequal group mix: the left cluster has almost nobody of group B, and moving the "
    "border a little to the right would change that.",
    draw,
)
