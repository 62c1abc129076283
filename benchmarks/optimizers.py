"""`python -m benchmarks.optimizers [--full]`: what each optimizer reaches, what a run takes.

Three tables, single thread:
- gain over plain clustering at |V| = 10 with 1000 evaluations, structured against SRE + RACOS, both
  ZOOpt's own SRE (the paper's software, clipped into the box) and ours; k = 2, 3;
- cost reached at |V| = 1, 5, 10, 50, 100 per optimizer (with --full on every data set, else bank);
- seconds of a whole run at the paper's settings (V_s = 10, n' = 100, ξ = 1, 1000 evaluations)
  against the same search done by ZOOpt and scikit-learn (timed on a part of its evaluations).
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import math
import sys
import time
from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from antidote_core import Problem, RunSpec, run
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box
from benchmarks.data import NAMES, available
from benchmarks.rivals import scikit_objective, zoopt_sre

BUDGET = 1000
EMBED = 100
TIMED_EVALUATIONS = 40
OPTIMIZERS = ("structured", "cmaes", "racos", "sracos", "random")


def problem_of(data, fairness: str, k: int) -> Problem:
    """Adult in the optimum the paper used (restarts=1), the others by the portfolio."""
    return Problem(data, fairness=fairness, k=k, restarts=1 if data.name == "adult" else 10)


def reached(problem: Problem, optimizer: str, size: int, seed: int = 0) -> float:
    d = problem.points.shape[1]
    lower, upper = problem.box("minmax")
    minimise = get_optimizer(optimizer).minimiser(problem, size, EMBED)
    box = Box(np.tile(lower, size), np.tile(upper, size))
    rng = np.random.default_rng(seed)
    return minimise(lambda x: problem.evaluate(x.reshape(size, d)), box, BUDGET, rng).value


def reached_by_zoopt(problem: Problem, size: int, seed: int = 0) -> float:
    d = problem.points.shape[1]
    lower, upper = problem.box("minmax")
    return zoopt_sre(
        lambda x: problem.evaluate(x.reshape(size, d)),
        np.tile(lower, size), np.tile(upper, size), EMBED, BUDGET, seed,
    )[1]  # fmt: skip


def gains() -> None:
    print("gain at |V| = 10, 1000 evaluations    structured  SRE+RACOS (ZOOpt)  SRE+RACOS (ours)")
    ratios: dict[str, list[float]] = {"ZOOpt": [], "ours": []}
    for name in NAMES:
        data = available(name)
        if data is None:
            continue
        for k in (2, 3):
            for fairness in ("balance", "social"):
                problem = problem_of(data, fairness, k)
                plain = problem.vanilla.cost
                ours = plain - reached(problem, "structured", 10)
                rivals = {
                    "ZOOpt": plain - reached_by_zoopt(problem, 10),
                    "ours": plain - reached(problem, "racos", 10),
                }
                case = f"{name} k={k} {fairness}"
                print(
                    f"{case:36} {ours:11.5f}  {rivals['ZOOpt']:17.5f}  {rivals['ours']:16.5f}",
                    flush=True,
                )
                if fairness == "social":
                    for rival, gain in rivals.items():
                        if gain > 0:
                            ratios[rival].append(ours / gain)
    for rival, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"social gain over SRE+RACOS ({rival}): {mean:.2f} times, geometric mean of "
              f"{len(values)} cells where that one gains at all")  # fmt: skip


def sizes(names: tuple[str, ...]) -> None:
    print("\ncost reached at k = 2                    " + "".join(f"{o:>12}" for o in OPTIMIZERS))
    for name in names:
        data = available(name)
        if data is None:
            continue
        for fairness in ("balance", "social"):
            problem = problem_of(data, fairness, 2)
            for size in (1, 5, 10, 50, 100):
                costs = [reached(problem, optimizer, size) for optimizer in OPTIMIZERS]
                case = f"{name} {fairness} |V|={size} (plain {problem.vanilla.cost:.5g})"
                print(f"{case:41}" + "".join(f"{cost:12.5f}" for cost in costs), flush=True)


def rows() -> Iterator[dict[str, object]]:
    """A whole run at the paper's settings against ZOOpt with scikit-learn inside."""
    for name in NAMES:
        data = available(name)
        if data is None:
            continue
        for fairness in ("balance", "social"):
            spec = RunSpec(
                dataset=name, fairness=fairness, optimizer="racos", restarts=1, growth="restart",
                start_size=10, step=1, embed_dim=EMBED, budget=BUDGET, max_rounds=1,
            )  # fmt: skip
            result = run(spec, data)
            problem = Problem(data, fairness=fairness, restarts=1)
            lower, upper = problem.box("minmax")
            objective = scikit_objective(problem, 10, n_init=1)
            begun = time.perf_counter()
            zoopt_sre(
                objective, np.tile(lower, 10), np.tile(upper, 10), EMBED, TIMED_EVALUATIONS, 0
            )
            per_evaluation = (time.perf_counter() - begun) / TIMED_EVALUATIONS
            yield {
                "case": f"paper-setting run, {name} k=2 {fairness} (ours verified, all included)",
                "rival": "ZOOpt SRE+RACOS with scikit-learn",
                "ours_seconds": result.seconds,
                "rival_seconds": per_evaluation * BUDGET,
                "ratio": per_evaluation * BUDGET / result.seconds,
            }


def main() -> None:
    with threadpool_limits(1):
        gains()
        sizes(NAMES if "--full" in sys.argv else ("bank",))
        print()
        for found in rows():
            print(
                f"{found['case']:62} {found['ours_seconds']:6.1f} s  "
                f"{found['ratio']:6.1f} x {found['rival']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
