"""Teaching set: antidote points act only from far away."""

from __future__ import annotations

import numpy as np

from antidote_core.datasets.plane import cloud, members, teaching_set
from antidote_core.types import Floats, Ints

SIZE = 600


def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
    """A long even band cut in its middle, with a stripe of group B just right of the cut."""
    x = 6.0 * (np.arange(SIZE) + rng.random(SIZE)) / SIZE - 3.0
    y = cloud(rng, (0.0, 0.0), (1.0, 0.5), SIZE)[:, 1]
    groups = np.zeros(SIZE, dtype=np.int64)
    for where, share in ((x <= 0.0, 0.08), ((x > 0.0) & (x < 1.0), 0.95), (x >= 1.0, 0.08)):
        size = int(where.sum())
        groups[where] = members(rng, size, round(share * size))
    return np.column_stack([x, y]), groups


INFO = teaching_set(
    "needs-distance",
    "Needs distance",
    "A stripe of group B stands just right of the border: ten antidote points inside the band "
    "hardly move the border, the same ten far to the right carry it across the stripe.",
    draw,
)
