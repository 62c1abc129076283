"""CMA-ES, evolution with a learned covariance, through the `cmaes` package."""

from __future__ import annotations

import math

import numpy as np

from antidote_core.optimizers.protocol import UnitCube, minimiser

SIGMA = 0.2  # first standard deviation, in widths of the box
# Up to this many coordinates the full covariance is learned, above only its diagonal. At budgets of
# some thousands the diagonal is as good from 30 coordinates on, even on rotated ellipsoids, and a
# full one costs O(dim^3) for every point.
FULL_UP_TO = 25
# A sample may lie this far outside the box, in widths; its value is that of the nearest point
# inside. So the mean can lean on the faces of the box, where the best antidote points often are
# (telling the clipped samples instead keeps it away from them), yet cannot drift off.
MARGIN = 0.3
_WORST = 1e300  # `cmaes` subtracts values: no infinities


@minimiser
def cmaes(cube: UnitCube, rng: np.random.Generator) -> None:
    """CMA-ES from the best start, or the middle of the box; restarts anywhere when converged.

    A restart doubles the population while at least ten generations still fit into the budget.
    """
    from cmaes import CMA, SepCMA

    strategy = CMA if cube.dim <= FULL_UP_TO else SepCMA
    population = 4 + math.floor(3 * math.log(cube.dim))
    mean = cube.starts[0][0] if cube.starts else np.full(cube.dim, 0.5)
    while True:
        seed = int(rng.integers(2**32))
        search = strategy(mean=mean, sigma=SIGMA, seed=seed, population_size=population)
        while not search.should_stop():
            generation = []
            for _ in range(population):
                u = np.clip(search.ask(), -MARGIN, 1 + MARGIN)
                generation.append((u, min(cube(u), _WORST)))
            search.tell(generation)
        if 20 * population <= cube.remaining:
            population *= 2
        mean = rng.random(cube.dim)
