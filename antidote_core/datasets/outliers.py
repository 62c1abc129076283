"""Teaching set: a few far-away members of one group take a cluster for themselves."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.plane import cloud, members, teaching_set
from antidote_core.types import Floats, Ints


def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Two equal, equally mixed blobs, and eleven points of group B far off."""
    points = np.vstack(
        [
            cloud(rng, (-1.2, 0.0), (0.55, 0.65), 140),
            cloud(rng, (1.2, 0.0), (0.55, 0.65), 140),
            cloud(rng, (5.6, 5.2), (0.3, 0.3), 11),
        ]
    )
    groups = [members(rng, 140, 40), members(rng, 140, 40), np.ones(11, dtype=np.int64)]
    return points, np.concatenate(groups)


INFO = teaching_set(
    "outliers",
    "An outlier group",
    "Eleven far-away points of group B take a cluster for themselves and leave everybody else in "
    "the other, although two well-mixed halves are there to be found.",
    draw,
)
