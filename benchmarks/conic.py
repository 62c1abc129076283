"""One program of a design, given to Clarabel as a matrix and through cvxpy: seconds per program.

    python -m benchmarks.conic

The program is that of the first pass towards a social target with all the optima of U as rivals.
cvxpy writes it from its equations and hands it to the same solver; both reach the same cost.
"""

import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import antidote_core as ac
from antidote_core.algorithms.design.contest import Contest
from antidote_core.algorithms.design.fair_constraints import Cells, SocialModel, cells_at
from antidote_core.algorithms.design.program import CELL_ROOM, Cut, place

REPEATS = 5
CASES = (("bank", 2), ("bank", 4), ("creditcard", 2), ("lfw", 2))


def group_parts(problem: ac.Problem, cells: Cells) -> list[list[tuple[int, float, Any, float]]]:
    """Per group: (cluster, share of the group there, its mean, what it pays to that mean)."""
    parts = []
    for j, members in enumerate(np.bincount(problem.groups)):
        parts.append([])
        for c in range(problem.k):
            own = problem.points[(problem.groups == j) & (cells.labels == c)]
            if len(own):
                mean = own.mean(axis=0)
                within = float(((own - mean) ** 2).sum() / members)
                parts[-1].append((c, len(own) / members, mean, within))
    return parts


def cvxpy_cost(
    unit: float,
    parts: list[list[tuple[int, float, Any, float]]],
    cells: Cells,
    cuts: list[Cut],
    box: tuple[np.ndarray, np.ndarray],
    size: int,
    present: np.ndarray,
) -> float:
    """The lowest social cost that the program promises, from its equations; `unit` scales it."""
    import cvxpy as cp

    lower, upper = box
    k, d = cells.means.shape
    totals = cells.sizes + present
    u, p, t = cp.Variable((k, d)), cp.Variable(k, nonneg=True), cp.Variable()
    rows = [totals / size @ p <= 1.0]
    for group in parts:
        paid = sum(
            cp.sum_squares(cells.means[c] + u[c] - mean) * share + within
            for c, share, mean, within in group
        )
        rows.append(paid / unit <= t)
    for c in range(k):
        rows += [
            u[c] <= cp.multiply(p[c], upper - cells.means[c]),
            u[c] >= cp.multiply(p[c], lower - cells.means[c]),
        ]
        for e in range(k):
            if e == c:
                continue
            across = cells.centers[e] - cells.centers[c]
            reach = cells.centers[e] @ cells.centers[e] - cells.centers[c] @ cells.centers[c]
            reach -= CELL_ROOM * across @ across
            rows.append(2.0 * across @ (u[c] + p[c] * cells.means[c]) <= p[c] * reach)
    shifts = cells.shifts
    for cut in cuts:
        # The target pays -N |u|^2 less than its centres at the means of U: here its tangent.
        own = (1 + cut.margin) * cells.inertia + float((totals * (shifts**2).sum(axis=1)).sum())
        theirs = cut.inertia
        for c in range(k):
            own = own - 2.0 * totals[c] * (shifts[c] @ u[c])
            if c == cut.captured:
                own = own + totals[c] * cp.quad_over_lin(u[c], p[c])
                continue
            q = cp.Variable()
            theirs = theirs + totals[c] * q
            for centre in cut.centers:
                away = cells.means[c] - centre
                rows.append(q <= 2.0 * away @ u[c] + p[c] * (away @ away))
        rows.append(own / cells.inertia <= theirs / cells.inertia)
    program = cp.Problem(cp.Minimize(t), rows)
    program.solve(solver="CLARABEL")
    return float(program.value) * unit


def rows() -> Iterator[dict[str, Any]]:
    """Seconds per program, ours and by cvxpy."""
    for name, k in CASES:
        if name == "lfw" and not os.environ.get("ANTIDOTE_DATA_DIR"):
            continue
        problem = ac.Problem(ac.load_dataset(name), fairness="social", k=k)
        cells = cells_at(problem.vanilla.centers, problem.points, problem.groups)
        assert cells is not None
        contest = Contest(problem)
        cuts = contest.cuts_against(problem.vanilla.centers, [])
        box, none = problem.box("minmax"), np.zeros(k, dtype=np.int64)
        model = SocialModel(problem.points, problem.groups, problem.vanilla.cost)
        size = len(problem.points) // 100
        parts = group_parts(problem, cells)
        ours, theirs = [], []
        for _ in range(REPEATS):
            begun = time.perf_counter()
            placed = place(cells, cuts, model, box, size, none)
            ours.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            cost = cvxpy_cost(problem.vanilla.cost, parts, cells, cuts, box, size, none)
            theirs.append(time.perf_counter() - begun)
        assert placed is not None
        assert abs(model.cost(placed.t) / cost - 1.0) < 1e-4, (model.cost(placed.t), cost)
        seconds = float(np.median(ours))
        yield {
            "case": f"design program, {name} k={k}, {len(cuts)} cuts",
            "ours_seconds": seconds,
            "rival": "cvxpy with Clarabel",
            "ratio": float(np.median(theirs)) / seconds,
        }


def main() -> None:
    for row in rows():
        print(
            f"{row['case']:44} {1000 * row['ours_seconds']:8.1f} ms, {row['rival']} takes "
            f"{row['ratio']:.1f} times as long",
            flush=True,
        )


if __name__ == "__main__":
    main()
