"""What every optimizer reaches on two functions, for fixed seeds.

`python -m tests.golden.record_optimizers` writes optimizers.json anew: run it when a change of the
results is meant, and say in the commit why.
"""

import json
from pathlib import Path

import numpy as np

from antidote_core.optimizers import OPTIMIZERS
from antidote_core.optimizers.protocol import Box
from antidote_core.optimizers.sre import sre

FILE = Path(__file__).with_name("optimizers.json")
BUDGET = 200
SEEDS = (0, 1, 7)


def sphere(x):
    """Smooth, its minimum 0 off the middle."""
    return float(((x - 0.3) ** 2).sum())


def terraces(x):
    """Flat steps along every coordinate, and a slope: ties and jumps, as balance has."""
    return float(np.floor(4 * np.abs(x - 0.4)).sum() + 0.01 * np.abs(x).max())


FUNCTIONS = {"sphere": (sphere, 6), "terraces": (terraces, 40)}


def methods():
    """Name -> minimise, for every black box of the registry, plain and inside SRE."""
    for name, entry in OPTIMIZERS.items():
        if entry.minimise is not None:
            yield name, entry.minimise
            yield f"{name} in SRE", sre(entry.minimise, embed_dim=4)


def results():
    """{method: {function: {seed: best value}}}"""
    return {
        name: {
            function: {
                str(seed): minimise(
                    f,
                    Box(np.full(dim, -2.0), np.full(dim, 1.0)),
                    BUDGET,
                    np.random.default_rng(seed),
                ).value
                for seed in SEEDS
            }
            for function, (f, dim) in FUNCTIONS.items()
        }
        for name, minimise in methods()
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(results(), indent=1) + "\n", encoding="utf-8")
