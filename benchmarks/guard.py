"""Does the guard hold, and what does it cost? Runs with and without it, judged by another count.

    python -m benchmarks.guard [--seconds 600] [--places rows minmax] [--seeds 0 1 2] [--ks 2 3 4]
                               [--optimizers structured design] [--out runs.jsonl]
    python -m benchmarks.guard --table runs.jsonl
    python -m benchmarks.guard --speed

For every data set, k, cost and optimizer: four fifths of the fair share, or the cost of Fair-Lloyd
within 0.1%. "sound" says that eight `KMeans(n_init=10)` with seeds of this file all leave every
cluster its share and the inertia its limit, counted point by point. Runs without the guard stand
beside those of the first seed. What stands in the file of `--out` is not run again, and `--table`
counts it. `--speed` compares evaluations with and without the guard, in turns.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.paper.rows import form_of

SETS = (("bank", None), ("creditcard", None), ("adult", None), ("adult", "sex"), ("lfw", None))
OFF = {"min_share": 0, "max_price": None}
FRESH = range(9000, 9008)
LIMITS = {"budget": 300, "max_rounds": 12, "max_seconds": 20.0, "growth": "bisect"}
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
    known = {tuple(run["key"]) for run in read(options.out)}
    for seed, k, (name, protected), fairness in itertools.product(
        options.seeds, options.ks, SETS, ("balance", "social")
    ):
        cases = [
            (optimizer, place, guard)
            for optimizer in options.optimizers
            for place in options.places
            for guard in ((True, False) if seed == options.seeds[0] else (True,))
            if (name, protected, k, fairness, optimizer, place, seed, guard) not in known
        ]
        if not cases:
            continue
        form = "twin" if name == "lfw" and form_of("lfw") == "twin" else None
        data = ac.load_dataset(name, protected=protected, rows=form)
        target = target_of(data, fairness, k, seed)
        for optimizer, place, guard in cases:
            if time.monotonic() - begun > options.seconds:
                print(f"Stopped after {options.seconds:g} s.")
                return
            spec = ac.RunSpec(
                dataset=name, protected=protected, rows=form, fairness=fairness, k=k, seed=seed,
                target=target, optimizer=optimizer, place=place,
                start_size=STARTS.get(place, 20), **LIMITS, **({} if guard else OFF),
            )  # fmt: skip
            view = ac.run(spec, data)
            run = {
                "key": [name, protected, k, fairness, optimizer, place, seed, guard],
                "outcome": view.verdict.outcome.value,
                "vanilla": view.vanilla_cost,
                "cost": view.cost,
                "target": view.target,
                "size": view.size,
                "points": data.n,
                "smallest": view.smallest_share,
                "price": view.price,
                "sound": sound(data, spec, view) if view.size else True,
                "seconds": view.seconds,
            }
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(run) + "\n")
            print(line(run), flush=True)
    table(options.out)


def read(path: str) -> list[dict[str, Any]]:
    """The runs in a file; none where there is no such file."""
    if not Path(path).exists():
        return []
    return [json.loads(text) for text in Path(path).read_text(encoding="utf-8").splitlines()]


def line(run: dict[str, Any]) -> str:
    name, protected, k, fairness, optimizer, place, seed, guard = run["key"]
    return (
        f"{name}{'/' + protected if protected else ''} {k} {fairness} {optimizer} {place} {seed} "
        f"{'on' if guard else 'off'} | {run['outcome']}: {run['vanilla']:.4f} -> {run['cost']:.4f} "
        f"(target {run['target']:.4f}), {run['size']} ({run['size'] / run['points']:.2%}), "
        f"smallest {run['smallest']:.3f}, price {run['price']:+.3f}, "
        f"{'sound' if run['sound'] else 'NOT SOUND'}, {run['seconds']:.1f} s"
    )


def table(path: str) -> None:
    """Per data set, k, cost, optimizer and place: how many are confirmed, and their sizes."""
    runs = read(path)
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for run in runs:
        rows.setdefault(tuple(run["key"][:6]), []).append(run)
    print("| data | k | cost | optimizer | place | confirmed | sizes | without the guard |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, protected, k, fairness, optimizer, place), found in rows.items():
        kept = [run for run in found if run["key"][7]]
        free = [run for run in found if not run["key"][7]]
        good = [run for run in kept if run["outcome"] in ("confirmed", "nothing needed")]
        sizes = ", ".join(str(run["size"]) for run in good) or "-"
        beside = ", ".join(
            f"{run['outcome']}, {run['size']}, smallest {run['smallest']:.1%}" for run in free
        )
        print(
            f"| {name}{'/' + protected if protected else ''} | {k} | {fairness} | {optimizer} | "
            f"{place} | {len(good)} of {len(kept)} | {sizes} | {beside} |"
        )
    guarded = [run for run in runs if run["key"][7]]
    for outcome, count in Counter(run["outcome"] for run in guarded).most_common():
        print(f"{outcome}: {count} of {len(guarded)} with the guard")
    broken = [r for r in guarded if r["outcome"] == "confirmed" and not r["sound"]]
    print(f"confirmed and not sound: {len(broken)}")
    for run in broken:
        print(line(run))


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
    parser.add_argument("--optimizers", nargs="+", default=["structured", "design"])
    parser.add_argument("--out", default="guard-runs.jsonl")
    parser.add_argument("--table", metavar="FILE")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.speed:
        speed()
    elif options.table:
        table(options.table)
    else:
        compare(options)


if __name__ == "__main__":
    main()
