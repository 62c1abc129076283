"""Does the guard hold, and what does it cost? Runs with and without it, judged by another count.

    python -m benchmarks.guard [SECONDS] [SEED ...]

For every data set, k, cost and target: the structured search and the design, in the min-max box and
by copies of rows. "sound" says that eight `KMeans(n_init=10)` with seeds of this file all leave
every cluster its share and the inertia its limit, counted point by point. It stops after SECONDS
(600).
"""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.paper.rows import form_of

SETS = (("bank", None), ("creditcard", None), ("adult", None), ("adult", "sex"), ("lfw", None))
OFF = {"min_share": 0, "max_price": None}
FRESH = range(9000, 9008)
LIMITS = {"budget": 300, "max_rounds": 12, "max_seconds": 30.0}


def cases(seeds: list[int]):
    for seed in seeds:
        for k in (2, 3, 4):
            for dataset, protected in SETS:
                for fairness, target in (("balance", "four_fifths"), ("social", "sota")):
                    for optimizer in ("structured", "design"):
                        settings = dict(  # noqa: C408
                            dataset=dataset, protected=protected, fairness=fairness, k=k, seed=seed,
                            target=target, optimizer=optimizer, growth="bisect",
                        )  # fmt: skip
                        yield settings


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


def main(arguments: list[str]) -> None:
    limit = float(arguments[0]) if arguments else 600.0
    seeds = [int(text) for text in arguments[1:]] or [0, 1, 2]
    begun = time.monotonic()
    confirmed = unsound = reached = ran = 0
    print("data k cost optimizer place guard | outcome cost size smallest price sound seconds")
    for settings in cases(seeds):
        for place, start in (("minmax", 20), ("rows", 100)):
            for guard in ({}, OFF):
                if time.monotonic() - begun > limit:
                    print(f"Stopped after {limit:g} s.")
                    break
                form = form_of(settings["dataset"]) if settings["dataset"] == "lfw" else None
                spec = ac.RunSpec(**settings, **LIMITS, **guard, place=place, start_size=start,
                                  rows=form if form == "twin" else None)  # fmt: skip
                data = ac.load_dataset(spec.dataset, protected=spec.protected, rows=spec.rows)
                view = ac.run(spec, data)
                fine = sound(data, spec, view) if view.size else True
                if not guard:
                    ran += 1
                    reached += view.reached
                    confirmed += view.verdict.outcome == "confirmed"
                    unsound += view.verdict.outcome == "confirmed" and not fine
                print(
                    f"{spec.dataset}{'/' + spec.protected if spec.protected else ''} {spec.k} "
                    f"{spec.fairness} {spec.optimizer} {place} {'off' if guard else 'on'} | "
                    f"{view.verdict.outcome.value!r} {view.vanilla_cost:.4f} -> {view.cost:.4f} "
                    f"(target {view.target:.4f}) {view.size} {view.smallest_share:.3f} "
                    f"{view.price:+.3f} {'sound' if fine else 'NOT SOUND'} {view.seconds:.1f}",
                    flush=True,
                )
    print(f"With the guard: {ran} runs, {reached} reached, {confirmed} confirmed, "
          f"{unsound} of these not sound.")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
