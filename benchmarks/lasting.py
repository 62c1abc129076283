"""Does V last? It is designed on a random half of U and added to the other half.

    python -m benchmarks.lasting [case ...] [--halves 5] [--lasting 0 1 2] [--place rows]

For every case, margin and half: is the target met there, or are at least four fifths of the gain
kept? Judged by scikit-learn's KMeans(n_init=10) with four seeds, of which the one with the lowest
inertia decides. A half on which no design was found counts as not kept. Targets are set on the half
that V is designed on: for balance four fifths where plain clustering misses that, else half of the
way to a perfect mix; for social cost half of the way to Fair-Lloyd. The faces need
ANTIDOTE_DATA_DIR; without it they are left out.
"""

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np
from sklearn.cluster import KMeans

from antidote_core import Dataset, Problem, RunSpec, run
from antidote_core.algorithms.algorithm2.verification import for_half, halves
from antidote_core.baselines import fair_lloyd
from antidote_core.runs.view import MOST_OF_GAIN
from benchmarks.data import available

SETS = ("bank", "creditcard", "lfw", "two-optima", "needs-distance")
CASES = {f"{name}-{cost}": (name, cost) for name in SETS for cost in ("balance", "social")}
OUTSIDE = range(7000, 7004)


@dataclass(frozen=True)
class Try:
    """V of one half on the other: kept or not, its size, and what it gained on either half."""

    kept: bool
    met: bool
    reached: bool
    size: int
    gain: float
    unseen_gain: float


def target_of(problem: Problem) -> float:
    plain = problem.vanilla.cost
    if problem.fairness.name == "balance":
        return -0.8 if plain > -0.8 else 0.5 * (plain - 1.0)
    centers = fair_lloyd(problem.points, problem.groups, problem.k, seed=problem.seed).centers
    return 0.5 * (plain + problem.fairness.of_centers(centers, problem.points, problem.groups))


def unseen_cost(problem: Problem, antidote: np.ndarray) -> float:
    """The cost on U of the best of four clusterings of U and V by scikit-learn."""
    union = np.vstack([problem.points, antidote])
    fits = [KMeans(problem.k, n_init=10, random_state=seed).fit(union) for seed in OUTSIDE]
    best = min(fits, key=lambda fit: fit.inertia_)
    return problem.fairness.of_centers(best.cluster_centers_, problem.points, problem.groups)


def tried(spec: RunSpec, data: Dataset, seed: int) -> Try:
    first, second = (data.take(rows) for rows in halves(data.groups, seed))
    target = target_of(Problem.of(spec, first))
    view = run(replace(for_half(spec), target=float(target)), first)
    unseen = Problem.of(spec, second)
    plain, cost = unseen_cost(unseen, view.antidote[:0]), unseen_cost(unseen, view.antidote)
    gain, unseen_gain = view.vanilla_cost - view.cost, plain - cost
    met = cost <= target
    kept = view.reached and (met or unseen_gain >= MOST_OF_GAIN * gain)
    return Try(kept, met, view.reached, view.size, gain, unseen_gain)


def measure(name: str, fairness: str, place: str, lasting: float, count: int) -> str | None:
    data = available(name)
    if data is None:
        return None
    spec = RunSpec(
        dataset=name, fairness=fairness, optimizer="design", growth="bisect", place=place,
        lasting=lasting, max_seconds=None, max_size=data.n // 5,
    )  # fmt: skip
    begun = time.perf_counter()
    tries = [tried(spec, data, seed) for seed in range(count)]
    found = [t for t in tries if t.reached]
    part = float(np.median([t.unseen_gain / t.gain for t in found])) if found else float("nan")
    sizes = ", ".join(f"{t.size}{'' if t.kept else '*'}" if t.reached else "-" for t in tries)
    return (
        f"{lasting:4g} {len(found):3d}/{count} {sum(t.kept for t in tries):2d}/{count} "
        f"{sum(t.met for t in tries):2d}/{count} {part:6.0%} "
        f"{time.perf_counter() - begun:6.1f}  {sizes}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", help=", ".join(CASES))
    parser.add_argument("--halves", type=int, default=5, help="random halves of each set")
    parser.add_argument("--lasting", type=float, nargs="*", default=[0.0, 1.0, 2.0])
    parser.add_argument("--place", default="rows", help="rows, plausible, minmax or wide")
    options = parser.parse_args()
    print(
        f"{'case':22} {'z':>4} found kept  met {'gain':>6} {'wall':>6}  "
        "sizes (*: not kept, -: none found)"
    )
    for case in options.case or CASES:
        for lasting in options.lasting:
            line = measure(*CASES[case], options.place, lasting, options.halves)
            if line is not None:
                print(f"{case:22} {line}", flush=True)


if __name__ == "__main__":
    main()
