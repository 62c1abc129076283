"""Random search: the yardstick every other optimizer must beat."""

from __future__ import annotations

import numpy as np

from antidote_core.optimizers.protocol import UnitCube, minimiser


@minimiser
def random_search(cube: UnitCube, rng: np.random.Generator) -> None:
    """Points drawn uniformly from the box, one after the other."""
    while True:
        cube(rng.random(cube.dim))
