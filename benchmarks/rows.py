"""Antidote data from copies of rows: size, cost, agreement, seconds.

    python -m benchmarks.rows [case ...] [--seed 0] [--lasting 0] [--outside 7000]
    python -m benchmarks.rows --best [case ...] [--limit 30]
    python -m benchmarks.rows --bound [case ...]

Single thread. Seconds are those to the first V that wins its contests and to the end. With
`--best` the fairest V of some sizes, each the best after `--limit` seconds if it takes longer. With
`--bound` no V is looked for, but fewer copies than the figures printed cannot do (social cost,
people where Fair-Lloyd puts them).

Rows with every feature within percentiles 1 to 99, at most five copies of each, no cluster below
a tenth of its even share (or plain clustering's own smallest), inertia on U at most a tenth above
plain clustering's. Agreement is counted by scikit-learn's KMeans(n_init=10) with eight seeds, from
`--outside` on, that no run has seen. The faces need ANTIDOTE_DATA_DIR; without it they are left
out.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time

import numpy as np
from sklearn.cluster import KMeans

from antidote_core.algorithms.rows.row_design import RowDesign
from antidote_core.algorithms.rows.row_designer import RowDesigner
from antidote_core.algorithms.steps import finish
from antidote_core.baselines import fair_lloyd
from antidote_core.geometry import nearest_center
from antidote_core.places import allowed_rows
from antidote_core.problem import Problem
from benchmarks.data import available

CASES = {
    "bank-2-balance": ("bank", 2, "balance", -0.97),
    "bank-2-four-fifths": ("bank", 2, "balance", -0.8),
    "bank-3-balance": ("bank", 3, "balance", -0.8),
    "adult-2-balance": ("adult", 2, "balance", -0.65),
    "adult-2-four-fifths": ("adult", 2, "balance", -0.8),
    "adult-3-balance": ("adult", 3, "balance", -0.5),
    "creditcard-2-balance": ("creditcard", 2, "balance", -0.92),
    "creditcard-2-more": ("creditcard", 2, "balance", -0.96),
    "lfw-2-balance": ("lfw", 2, "balance", -0.92),
    "bank-2-social": ("bank", 2, "social", 2.3135),
    "creditcard-2-social": ("creditcard", 2, "social", 19.0),
    "adult-2-social": ("adult", 2, "social", 4.135),
    "lfw-2-social": ("lfw", 2, "social", 1380.0),
}
OUTSIDE_RUNS = 8


BEST = {
    "lfw-2": ("lfw", 2, "balance", (0.01, 0.03, 0.1)),
    **{
        f"{name}-{k}": (name, k, "balance", (0.01, 0.03, 0.1))
        for k in (3, 4)
        for name in ("bank", "adult", "creditcard", "lfw")
    },
    "lfw-2-social": ("lfw", 2, "social", (0.05, 0.1, 0.2)),
}


def outside_costs(problem: Problem, design: RowDesign, outside: int) -> tuple[list[float], float]:
    """What fresh clusterings cost, and the price in inertia of the last of them."""
    union = np.vstack([problem.points, design.antidote(problem.points)])
    costs = []
    for fresh in range(outside, outside + OUTSIDE_RUNS):
        centers = KMeans(problem.k, n_init=10, random_state=fresh).fit(union).cluster_centers_
        costs.append(problem.fairness.of_centers(centers, problem.points, problem.groups))
    inertia = nearest_center(problem.points, centers)[1].sum()
    return costs, inertia / problem.vanilla.objective - 1.0


def measure(case: str, seed: int, lasting: float, outside: int) -> str | None:
    name, k, fairness, target = CASES[case]
    data = available(name)
    if data is None:
        return None
    problem = Problem(data, fairness=fairness, k=k, seed=seed)
    begun, first = time.perf_counter(), float("nan")
    designer = RowDesigner(problem, allowed_rows(problem.points), lasting=lasting)
    steps = designer.smallest(target)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            design = end.value
            break
        if np.isnan(first) and step.data.get("best_size") is not None:
            first = time.perf_counter() - begun
    wall = time.perf_counter() - begun
    costs, price = outside_costs(problem, design, outside)
    agree = sum(cost <= target for cost in costs)
    median = float(np.median(costs))
    return (
        f"{problem.vanilla.cost:9.4f} {target:9.4f} {median:9.4f} {design.size:6d} "
        f"{design.size / data.n:7.2%} {design.people:6d} {design.bound or float('nan'):8.1f} "
        f"{agree}/{OUTSIDE_RUNS} {price:+6.1%} {first:6.1f} {wall:6.1f}  "
        f"{'' if design.reached else 'NOT '}reached"
    )


def best(case: str, seed: int, lasting: float, outside: int, limit: float) -> str | None:
    name, k, fairness, shares = BEST[case]
    data = available(name)
    if data is None:
        return None
    problem = Problem(data, fairness=fairness, k=k, seed=seed)
    ends = np.inf
    designer = RowDesigner(
        problem,
        allowed_rows(problem.points),
        lasting=lasting,
        cancel=lambda: time.perf_counter() > ends,
    )
    parts = [f"{problem.vanilla.cost:9.4f}"]
    for share in shares:
        begun = time.perf_counter()
        ends = begun + limit
        design = finish(designer.best(int(share * data.n)))
        wall = time.perf_counter() - begun
        costs, _ = outside_costs(problem, design, outside)
        lowest = design.best_cost if design.holds else design.cost
        agree = sum(cost <= lowest + designer.shifts.close for cost in costs)
        state = "" if design.holds else ", stopped" if designer.stopped else ", not held"
        parts.append(
            f"{share:4.0%}: {float(np.median(costs)):9.4f} "
            f"({design.size}, {agree}/{OUTSIDE_RUNS}{state}, {wall:.0f} s)"
        )
    return "  ".join(parts)


def bound(case: str) -> str | None:
    """Lower bounds on the copies: as asked, from all rows, and with any number of each row."""
    name, k, fairness, target = CASES[case]
    data = available(name)
    if data is None or fairness != "social":
        return None
    problem = Problem(data, fairness=fairness, k=k)
    fair = fair_lloyd(problem.points, problem.groups, k, problem.vanilla.centers, restarts=1)
    labels = nearest_center(problem.points, fair.centers)[0]
    ordinary, everyone = allowed_rows(problem.points), np.ones(data.n, dtype=bool)
    limits = {
        "as asked": (ordinary, 5),
        "all rows": (everyone, 5),
        "any copies": (ordinary, np.inf),
    }
    parts = [f"{target:9.4f}  Fair-Lloyd {fair.cost:9.4f} "]
    for title, (allowed, cap) in limits.items():
        fewest = fewest_for_labels(problem, labels, allowed, cap, target)
        parts.append(f"{title}: {fewest:8.1f} ({fewest / data.n:.2%})")
    return "  ".join(parts)


def fewest_for_labels(
    problem: Problem, labels: np.ndarray, allowed: np.ndarray, cap: float, target: float
) -> float:
    """The fewest (fractional) copies with which centres at the means of these cells meet a target.

    m_i copies move the centre of cell c by sum_i m_i (x_i - mean_c) / (n_c + m_c). With
    p_i = m_i n_c / (n_c + m_c) <= cap and s_c their sum, this is sum_i p_i (x_i - mean_c) / n_c and
    m_c = n_c^2 / (n_c - s_c) - n_c: the costs of the groups and the copies are convex in p. Rivals
    are left out, and the limit on p_i is wider than that on m_i, so it is a bound from below.
    """
    import cvxpy as cp

    points, groups = problem.points, problem.groups
    copies, limits, centers = 0.0, [], []
    for c in range(problem.k):
        cell = points[labels == c]
        offered = points[(labels == c) & allowed]
        n, mean = len(cell), cell.mean(axis=0)
        part, shift = cp.Variable(len(offered), nonneg=True), cp.Variable(points.shape[1])
        limits.append(shift == (offered - mean).T @ part / n)
        if np.isfinite(cap):
            limits.append(part <= cap)
        copies += n * cp.inv_pos(1.0 - cp.sum(part) / n) - n
        centers.append(mean + shift)
    for group in np.unique(groups):
        members = (groups == group).sum()
        fixed, moving = 0.0, 0.0
        for c, center in enumerate(centers):
            those = points[(groups == group) & (labels == c)]
            if len(those):
                fixed += ((those - those.mean(axis=0)) ** 2).sum() / members
                moving += len(those) / members * cp.sum_squares(center - those.mean(axis=0))
        limits.append(fixed + moving <= target)
    program = cp.Problem(cp.Minimize(copies), limits)
    program.solve(solver=cp.CLARABEL)
    return float(program.value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", help=", ".join([*CASES, *BEST]))
    parser.add_argument("--best", action="store_true", help="the fairest V of some sizes")
    parser.add_argument("--bound", action="store_true", help="what no V can do with fewer copies")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for a size, with --best")
    parser.add_argument("--seed", type=int, default=0, help="of the problem")
    parser.add_argument("--lasting", type=float, default=0.0, help="z, in standard errors")
    parser.add_argument("--outside", type=int, default=7000, help="first of eight fresh seeds")
    options = parser.parse_args()
    if options.bound:
        lines = ((case, bound(case)) for case in options.case or CASES)
    elif options.best:
        lines = (
            (case, best(case, options.seed, options.lasting, options.outside, options.limit))
            for case in options.case or BEST
        )
    else:
        print(
            f"{'case':22} {'plain':>9} {'target':>9} {'median':>9} {'copies':>6} {'of U':>7} "
            f"{'people':>6} {'bound':>8} {'ok':>3} {'I(U)':>6} {'first':>6} {'wall':>6}"
        )
        lines = (
            (case, measure(case, options.seed, options.lasting, options.outside))
            for case in options.case or CASES
        )
    for case, line in lines:
        if line is not None:
            print(f"{case:22} {line}", flush=True)


if __name__ == "__main__":
    main()
