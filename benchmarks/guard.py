"""Does the guard hold, and what does it cost? Runs with and without it, judged by another count.

    python -m benchmarks.guard [--seconds 600] [--places rows minmax] [--seeds 0 1 2] [--ks 2 3 4]
    python -m benchmarks.guard --speed

For every data set, k, cost and optimizer: four fifths of the fair share, or the cost of Fair-Lloyd
within 0.1%. "sound" says that eight `KMeans(n_init=10)` with seeds of this file all leave every
cluster its share and the inertia its limit, counted point by point. Runs without the guard stand
beside those of the first seed. `--speed` compares evaluations with and without the guard, in turns.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.paper.rows import form_of

SETS = (("bank", None), ("creditcard", None), ("adult", None), ("adult", "sex"), ("lfw", None))
OFF = {"min_share": 0, "max_price": None}
FRESH = range(9000, 9008)
LIMITS = {"budget": 300, "max_rounds": 12, "max_seconds": 12.0, "growth": "bisect"}
STARTS = {"rows": 100}  # the first size; 20 points in a box
NEARLY = 1.001  # of the cost of Fair-Lloyd, which no V can undercut


def sound(data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView) -> bool:
    """Whether eight fresh clusterings keep the usual guard, counted from scratch."""
    plain = KMeans(spec.k, init=view.vanilla.centers, n_init=1).fit(data.points)
    members = np.bincount(plain.labels_, minlength=spec.k)
    least = min(0.1 / spec.k * data.n, members.min())
    union = np.vstack([data.points, view.antidote])
    for seed in FRESH:
        model = KMeans(spec.k, n_init=10, random_state=seed).fit(union)
        labels = model.predict(data.points)
        inertia = ((data.points - model.cluster_centers_[labels]) ** 2).sum()
        if np.bincount(labels, minlength=spec.k).min() < least * (1 - 1e-9):
            return False
        if inertia > 1.1 * plain.inertia_ * (1 + 1e-6):
            return False
    return True


def target_of(data: ac.Dataset, fairness: str, k: int, seed: int) -> str | float:
    if fairness == "balance":
        return "four_fifths"
    fair = ac.baselines.fair_lloyd(data.points, data.groups, k, seed=seed)
    return NEARLY * fair.cost


def compare(options: argparse.Namespace) -> None:
    begun = time.monotonic()
    counted = dict.fromkeys(("runs", "reached", "confirmed", "not sound"), 0)
    print("data k cost optimizer place seed guard | outcome cost size smallest price sound seconds")
    for seed, k, (name, protected), fairness in itertools.product(
        options.seeds, options.ks, SETS, ("balance", "social")
    ):
        form = "twin" if name == "lfw" and form_of("lfw") == "twin" else None
        data = ac.load_dataset(name, protected=protected, rows=form)
        target = target_of(data, fairness, k, seed)
        for optimizer, place in itertools.product(("structured", "design"), options.places):
            for guard in ({}, OFF) if seed == options.seeds[0] else ({},):
                if time.monotonic() - begun > options.seconds:
                    print(f"Stopped after {options.seconds:g} s. With the guard: {counted}")
                    return
                spec = ac.RunSpec(
                    dataset=name, protected=protected, rows=form, fairness=fairness, k=k, seed=seed,
                    target=target, optimizer=optimizer, place=place,
                    start_size=STARTS.get(place, 20), **LIMITS, **guard,
                )  # fmt: skip
                view = ac.run(spec, data)
                fine = sound(data, spec, view) if view.size else True
                if not guard:
                    counted["runs"] += 1
                    counted["reached"] += view.reached
                    confirmed = view.verdict.outcome == "confirmed"
                    counted["confirmed"] += confirmed
                    counted["not sound"] += confirmed and not fine
                print(
                    f"{name}{'/' + protected if protected else ''} {k} {fairness} {optimizer} "
                    f"{place} {seed} {'off' if guard else 'on'} | {view.verdict.outcome.value!r} "
                    f"{view.vanilla_cost:.4f} -> {view.cost:.4f} (target {view.target:.4f}) "
                    f"{view.size} {view.smallest_share:.3f} {view.price:+.3f} "
                    f"{'sound' if fine else 'NOT SOUND'} {view.seconds:.1f}",
                    flush=True,
                )
    print(f"With the guard: {counted}")


def speed() -> None:
    """Evaluations with the guard (rank) and without (evaluate), the same V in turns."""
    for name in ("adult", "bank", "creditcard"):
        data = ac.load_dataset(name)
        for fairness in ("balance", "social"):
            problem = ac.Problem(data, fairness=fairness)
            rng = np.random.default_rng(0)
            lower, upper = problem.box("minmax")
            tries = [rng.uniform(lower, upper, (10, len(lower))) for _ in range(300)]
            for antidote in tries:  # anchors are built on the way
                problem.rank(antidote)
            spent = {"evaluate": [], "rank": []}
            for turn in range(14):  # who comes first meets the anchors as the other left them
                for method, seconds in sorted(spent.items(), reverse=bool(turn % 2)):
                    begun = time.perf_counter()
                    for antidote in tries:
                        getattr(problem, method)(antidote)
                    seconds.append(time.perf_counter() - begun)
            ratio = np.median(spent["rank"]) / np.median(spent["evaluate"])
            print(f"{name} {fairness}: with the guard {ratio:.3f} of the time without", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--places", nargs="+", default=["rows", "minmax"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--ks", nargs="+", type=int, default=[2, 3, 4])
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    speed() if options.speed else compare(options)


if __name__ == "__main__":
    main()
