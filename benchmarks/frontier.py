"""`python -m benchmarks.frontier [restarts ...]`: 60 cells here, 3 cells in the paper's own way.

The sweeps are bank, k = 2, balance and social cost, five sizes: one of searched cells with six
seeds, one of searched and designed cells with three. All is included: the start of the processes,
the fair algorithms, four or eight independent clusterings per cell, quality. The rival is ZOOpt's
SRE with RACOS and scikit-learn's k-means inside, with the same evaluations per cell and the same
number of starts per clustering, nothing checked, with all cores for its threads. With several
starts it is timed on a part of its evaluations, and says so.
"""

import sys
import tempfile
import time
from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from antidote_core import Problem, load_dataset
from antidote_core.engine import Runner
from antidote_core.engine.settings import cores
from antidote_core.runs.kinds import SWEEP
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE
from benchmarks.rivals import scikit_objective, zoopt_sre

BUDGET, EMBED = 1000, 100
RIVAL_SIZES = (10, 50, 200)
PART = 60  # evaluations on which a rival with several starts is timed
RESTARTS = (1, 10)
SWEEPS = {
    "searched": (("structured",), range(6)),
    "half of them designed": (("structured", "design"), range(3)),
}


def sweep_spec(name: str, restarts: int) -> SweepSpec:
    optimizers, seeds = SWEEPS[name]
    return SweepSpec(
        "bank",
        combinations=(("kmeans", "balance"), ("kmeans", "social")),
        optimizers=optimizers,
        sizes=(10, 20, 50, 100, 200),
        seeds=tuple(seeds),
        budget=BUDGET,
        embed_dim=EMBED,
        restarts=restarts,
    )


def sweep_seconds(spec: SweepSpec) -> float:
    """From asking for the sweep, in an empty home folder, to its end."""
    with tempfile.TemporaryDirectory() as home, Runner(home) as runner:
        begun = time.perf_counter()
        sweep = runner.submit(spec)
        runner.wait(sweep)
        taken = time.perf_counter() - begun
        view = runner.view(sweep, kind=SWEEP)
        assert view.count(DONE) == len(spec.cells), view.reason
    return taken


def rival_seconds(restarts: int, budget: int) -> float:
    """Three cells of the sweep, one after the other, scaled to the whole budget."""
    data = load_dataset("bank")
    taken = 0.0
    for size in RIVAL_SIZES:
        problem = Problem(data, fairness="social", k=2, restarts=restarts)
        lower, upper = problem.box("minmax")
        objective = scikit_objective(problem, size, n_init=restarts)
        begun = time.perf_counter()
        with threadpool_limits(cores()):
            zoopt_sre(objective, np.tile(lower, size), np.tile(upper, size), EMBED, budget, 0)
        taken += time.perf_counter() - begun
    return taken * BUDGET / budget


def rows(restarts: tuple[int, ...] = RESTARTS) -> Iterator[dict[str, object]]:
    for starts in restarts:
        budget = BUDGET if starts == 1 else PART
        rival = rival_seconds(starts, budget)
        part = "" if budget == BUDGET else f", timed on {budget} of {BUDGET} evaluations"
        for name in SWEEPS:
            spec = sweep_spec(name, starts)
            ours = sweep_seconds(spec)
            yield {
                "case": f"{len(spec.cells)} cells, {name}, bank, {starts} start(s) per clustering",
                "rival": f"{len(RIVAL_SIZES)} cells by ZOOpt with scikit-learn{part}",
                "ours_seconds": ours,
                "rival_seconds": rival,
                "ratio": rival / ours,
            }


def main() -> None:
    for row in rows(tuple(int(text) for text in sys.argv[1:]) or RESTARTS):
        print(
            f"{row['case']:62} {row['ours_seconds']:6.0f} s; {row['rival']}: "
            f"{row['rival_seconds']:.0f} s ({row['ratio']:.2f} times)",
            flush=True,
        )


if __name__ == "__main__":
    main()
