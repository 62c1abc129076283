"""Fairness against the number of antidote points: curves over seeds, and how sure they are.

Arithmetic on the rows of a sweep; every number keeps its meaning while cells are still missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.runs.sweep_spec import Setting
from antidote_core.runs.sweep_view import CellRow, Reference, SweepView

BAND = 0.9  # chance with which the band should hold the median over all seeds there are
CONFIDENCE = 0.9  # of the lower bound of the share of seeds that pass
MAJORITY = 0.5  # a size reaches the target when more than this share of its seeds does


@dataclass(frozen=True)
class Level:
    """One size of one setting over its seeds.

    `median` of the costs; `low` and `high` bound the median over all seeds there could be with the
    chance `coverage`, whatever the distribution of the costs (they are two of the costs in order).
    `passed` of the `judged` seeds reach the target, checked; `verified` is the mean share of their
    independent clusterings that do. Silhouette, price of fairness and the smallest cluster's share
    of U are medians over the seeds that know them. `failed` cells have no figures.
    """

    size: int
    share: float
    rows: tuple[CellRow, ...]
    median: float
    low: float
    high: float
    coverage: float
    passed: int
    judged: int
    verified: float
    silhouette: float
    price: float
    smallest_share: float
    failed: int

    @property
    def reaches(self) -> bool:
        """Whether most seeds reach the target, checked."""
        return self.judged > 0 and self.passed > MAJORITY * self.judged

    @property
    def fails(self) -> bool:
        """Whether it is known that not most seeds reach the target."""
        return self.judged > 0 and not self.reaches


@dataclass(frozen=True)
class Smallest:
    """The smallest size tried that reaches the target, and how far that can be trusted.

    The true smallest size lies above `above`, the largest size below it that fails (0 if none was
    tried), and is at most `size`. `share` of the `judged` seeds pass; with confidence 90% at least
    `at_least` of all seeds would. `later` are larger sizes that nevertheless fail.
    """

    size: int
    share_of_points: float
    above: int
    passed: int
    judged: int
    share: float
    at_least: float
    later: tuple[int, ...]


@dataclass(frozen=True)
class Noise:
    """Plain clustering from seed to seed: lowest, middle and highest cost of `runs` runs."""

    low: float
    middle: float
    high: float
    runs: int


@dataclass(frozen=True)
class Sureness:
    """How sure a curve is at the size that is reported.

    That is the smallest one that reaches the target, else the one with the lowest median, and
    `reaches` says which. `gain` is what plain clustering costs more than the median;
    `outside_noise` that the median lies below all plain clusterings seen, `band_outside` that the
    whole band does.
    """

    size: int
    reaches: bool
    passed: int
    judged: int
    verified: float
    at_least: float
    gain: float
    noise: Noise
    outside_noise: bool
    band_outside: bool


@dataclass(frozen=True)
class Curve:
    """One setting: its levels by size, what they are held against, and what follows from them."""

    setting: Setting
    levels: tuple[Level, ...]
    reference: Reference | None
    noise: Noise | None
    smallest: Smallest | None
    sureness: Sureness | None
    complete: bool


def curves(view: SweepView) -> tuple[Curve, ...]:
    """One curve per setting of the sweep, from the cells that are done so far."""
    if view.spec is None:
        return ()
    return tuple(curve(view, setting) for setting in view.spec.settings)


def curve(view: SweepView, setting: Setting) -> Curve:
    """The curve of one setting."""
    rows = [row for row in view.rows if row.setting == setting]
    sizes = sorted({row.size for row in rows})
    levels = tuple(
        level([row for row in rows if row.size == size])
        for size in sizes
        if any(row.done for row in rows if row.size == size)
    )
    reference = view.reference(setting)
    same = [row for row in view.rows if row.done and row.setting.problem == setting.problem]
    noise = noise_band(reference, same)
    found = smallest(levels)
    return Curve(
        setting=setting,
        levels=levels,
        reference=reference,
        noise=noise,
        smallest=found,
        sureness=sureness(levels, found, noise),
        complete=all(row.state in ("done", "failed") for row in rows),
    )


def level(rows: Sequence[CellRow]) -> Level:
    """The cells of one setting and one size, at least one of them done."""
    done = [row for row in rows if row.done]
    costs = sorted(row.cost for row in done)
    low, high, coverage = median_interval(costs)
    judged = [row for row in done if row.passed is not None]
    shares = [row.verified for row in judged if row.verified is not None]
    return Level(
        size=done[0].size,
        share=done[0].share,
        rows=tuple(done),
        median=float(np.median(costs)),
        low=low,
        high=high,
        coverage=coverage,
        passed=sum(bool(row.passed) for row in judged),
        judged=len(judged),
        verified=float(np.mean(shares)) if shares else math.nan,
        silhouette=known_median(row.silhouette for row in done),
        price=known_median(row.price for row in done),
        smallest_share=known_median(row.smallest_share for row in done),
        failed=sum(row.state == "failed" for row in rows),
    )


def known_median(values: Iterable[float]) -> float:
    """The median of those values that are numbers; NaN where none is.

    >>> known_median([3.0, math.nan, 1.0])
    2.0
    """
    known = [value for value in values if not math.isnan(value)]
    return float(np.median(known)) if known else math.nan


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The narrowest pair of mirrored order statistics that holds the median with chance BAND.

    The i-th smallest and i-th largest of n values enclose the median of what they were drawn from
    with chance 1 - 2 P(Bin(n, 1/2) < i). Where even the smallest and the largest do less than BAND,
    they are what there is, and the chance says so. Returns low, high and the chance.

    >>> median_interval([3.0, 1.0, 2.0, 5.0, 4.0])
    (1.0, 5.0, 0.9375)
    >>> median_interval([7.0])
    (7.0, 7.0, 0.0)
    """
    ordered = sorted(values)
    n = len(ordered)
    inside, missed = 0, 0.0  # P(Bin(n, 1/2) <= i), one side
    for i in range((n - 1) // 2 + 1):
        missed += math.comb(n, i) * 0.5**n
        if i > 0 and 1.0 - 2.0 * missed < BAND:
            break
        inside, chance = i, max(0.0, 1.0 - 2.0 * missed)
    return float(ordered[inside]), float(ordered[n - 1 - inside]), chance


def at_least(passed: int, judged: int) -> float:
    """Lower bound of the share of all seeds that pass, exact (Clopper and Pearson), one-sided.

    >>> round(at_least(5, 5), 3)
    0.631
    """
    from scipy.stats import beta

    if passed == 0:
        return 0.0
    return float(beta.ppf(1.0 - CONFIDENCE, passed, judged - passed + 1))


def smallest(levels: Sequence[Level]) -> Smallest | None:
    """The smallest size that reaches the target; None while no size does."""
    for found in levels:
        if found.reaches:
            return Smallest(
                size=found.size,
                share_of_points=found.share,
                above=max((x.size for x in levels if x.fails and x.size < found.size), default=0),
                passed=found.passed,
                judged=found.judged,
                share=found.passed / found.judged,
                at_least=at_least(found.passed, found.judged),
                later=tuple(x.size for x in levels if x.fails and x.size > found.size),
            )
    return None


def noise_band(reference: Reference | None, rows: Sequence[CellRow]) -> Noise | None:
    """Every plain clustering seen: those of the reference, and one per seed of the cells."""
    by_seed = {row.seed: row.vanilla for row in rows if not math.isnan(row.vanilla)}
    costs = list(by_seed.values())
    if reference is not None:
        costs += [reference.vanilla, *reference.noise]
    if not costs:
        return None
    return Noise(min(costs), float(np.median(costs)), max(costs), len(costs))


def sureness(
    levels: Sequence[Level], found: Smallest | None, noise: Noise | None
) -> Sureness | None:
    """How sure the curve is at the size that it reports; None before anything can be said."""
    if not levels or noise is None:
        return None
    if found is not None:
        [chosen] = [x for x in levels if x.size == found.size]
    else:
        chosen = min(levels, key=lambda x: (x.median, x.size))
    room = 1e-9 * max(1.0, abs(noise.low))
    return Sureness(
        size=chosen.size,
        reaches=found is not None,
        passed=chosen.passed,
        judged=chosen.judged,
        verified=chosen.verified,
        at_least=at_least(chosen.passed, chosen.judged),
        gain=noise.middle - chosen.median,
        noise=noise,
        outside_noise=chosen.median < noise.low - room,
        band_outside=chosen.high < noise.low - room,
    )


def quality_points(view: SweepView, measure: str = "silhouette") -> tuple[CellRow, ...]:
    """The cells that have both a cost and that measure."""
    return tuple(row for row in view.rows if row.done and not math.isnan(getattr(row, measure)))
