"""How fair a clustering is, by many notions: from who is in which cluster and what groups pay.

Every notion is a function of the cluster x group table (..., k, g) or of the group costs (..., g),
so that one call gives its value and another its values in resampled populations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from antidote_core.analysis.snapshots import DRAWS, TAIL, drawn_means, drawn_tables
from antidote_core.fairness import assigned_squared, cluster_counts, group_means
from antidote_core.fairness.bounded_representation import beyond_bounds
from antidote_core.fairness.distances.relative_social import best_alone
from antidote_core.fairness.minimum_representation import MAJORITY
from antidote_core.quality import SILHOUETTE_SAMPLE, silhouettes
from antidote_core.types import Floats, Ints

FOUR_FIFTHS = 0.8


@dataclass(frozen=True, eq=False)
class Notion:
    """`cells` gives a value for every place (..., places), `combine` makes one number of them.

    `places` says what these are: "cells", "clusters", "groups" or "pairs" of groups. `decides`
    picks the place that decides, `ideal` the value that could not be fairer, and no value is below
    `least` or above `most(k)`. `of` says what it is a function of: the "table" of clusters and
    groups, or "costs", "relative" costs or "silhouettes" of the groups.
    """

    name: str
    cells: Callable[[Floats], Floats]
    combine: Callable[..., Floats]
    places: str
    decides: Callable[..., np.intp]
    ideal: Callable[[Floats], float]
    least: float
    most: Callable[[int], float]
    of: str = "table"


def _relative(counts: Floats) -> Floats:
    """Share of a group in a cluster over its share of all, (..., k, g); 0 in empty clusters."""
    totals = counts.sum(axis=-1, keepdims=True)
    overall = counts.sum(axis=-2, keepdims=True) / counts.sum(axis=(-2, -1), keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return np.divide(shares, overall, out=np.ones_like(shares), where=overall > 0)


def _part_of_fair_share(counts: Floats) -> Floats:
    relative = _relative(counts)
    inverse = np.divide(1.0, relative, out=np.zeros_like(relative), where=relative > 0)
    return np.minimum(relative, inverse)


def _flat(table: Floats) -> Floats:
    return table.reshape(*table.shape[:-2], -1)


def _pairwise(counts: Floats) -> Floats:
    most = counts.max(axis=-1)
    return np.divide(counts.min(axis=-1), most, out=np.zeros_like(most), where=most > 0)


def _beyond_bounds(counts: Floats) -> Floats:
    """Whole people by which a cell is outside of its bounds."""
    return _flat(np.ceil(beyond_bounds(counts) - 1e-9))


def _kl(counts: Floats) -> Floats:
    """KL(overall mix, cluster's mix) of every cluster; infinite where a group is missing."""
    overall = counts.sum(axis=-2, keepdims=True) / counts.sum(axis=(-2, -1), keepdims=True)
    relative = _relative(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(overall > 0, -overall * np.log(relative), 0.0)
    return terms.sum(axis=-1)


def _spread(counts: Floats) -> Floats:
    """How every group spreads over clusters: shares (..., k, g) that add up to 1 over clusters."""
    sizes = counts.sum(axis=-2, keepdims=True)
    return np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)


def _variation(counts: Floats) -> Floats:
    spread = _spread(counts)
    pairs = combinations(range(counts.shape[-1]), 2)
    return np.stack(
        [np.abs(spread[..., a] - spread[..., b]).sum(axis=-1) / 2 for a, b in pairs], axis=-1
    )


def _entropy(counts: Floats) -> Floats:
    spread = _spread(counts)
    logs = np.log(spread, out=np.zeros_like(spread), where=spread > 0)
    return -(spread * logs).sum(axis=-2)


def _ratio(counts: Floats) -> Floats:
    """The smallest n_a / n_b over clusters for every pair of groups, in the order of the groups."""
    pairs = combinations(range(counts.shape[-1]), 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [np.fmin.reduce(counts[..., a] / counts[..., b], axis=-1) for a, b in pairs]
    return np.nan_to_num(np.stack(found, axis=-1), nan=0.0, posinf=np.inf)


def _lacking(counts: Floats) -> Floats:
    """What every group lacks to a majority in the cluster where it is strongest."""
    totals = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return np.maximum(MAJORITY - shares.max(axis=-2), 0.0)


def _met(values: Floats, axis: int) -> Floats:
    return np.asarray(values.min(axis=axis) >= FOUR_FIFTHS - 1e-12, dtype=np.float64)


def _over(values: Floats, axis: int) -> Floats:
    least = values.min(axis=axis)
    return np.divide(values.max(axis=axis), least, out=np.full_like(least, np.inf), where=least > 0)


def _pair_in_data(counts: Floats) -> float:
    sizes = counts.sum(axis=0)
    return float(sizes.min() / sizes.max())


def _constant(value: float) -> Callable[[Floats], float]:
    return lambda _: value


_ONE, _ZERO = _constant(1.0), _constant(0.0)
_FAIR: Callable[[Floats], Floats] = lambda counts: _flat(_part_of_fair_share(counts))  # noqa: E731
_BY_CLUSTER: Callable[[Floats], Floats] = lambda c: _part_of_fair_share(c).min(axis=-1)  # noqa: E731
_AS_IS: Callable[[Floats], Floats] = lambda costs: costs  # noqa: E731

_ANY = lambda k: math.inf  # noqa: E731
_UP_TO_1 = lambda k: 1.0  # noqa: E731

NOTIONS = (
    Notion("balance", _FAIR, np.min, "cells", np.argmin, _ONE, 0.0, _UP_TO_1),
    Notion("mean balance", _BY_CLUSTER, np.mean, "clusters", np.argmin, _ONE, 0.0, _UP_TO_1),
    Notion("pairwise balance", _pairwise, np.min, "clusters", np.argmin, _pair_in_data, 0.0,
           _UP_TO_1),
    Notion("minimum ratio", _ratio, np.min, "pairs", np.argmin, _ONE, 0.0, _ANY),
    Notion("four fifths", _FAIR, _met, "cells", np.argmin, _ONE, 0.0, _UP_TO_1),
    Notion("bounded representation", _beyond_bounds, np.max, "cells", np.argmax, _ZERO, 0.0, _ANY),
    Notion("KL error", _kl, np.sum, "clusters", np.argmax, _ZERO, 0.0, _ANY),
    Notion("total variation", _variation, np.max, "pairs", np.argmax, _ZERO, 0.0, _UP_TO_1),
    Notion("minimum representation", _lacking, np.max, "groups", np.argmax, _ZERO, 0.0,
           lambda k: MAJORITY),
    Notion("entropy", _entropy, np.mean, "groups", np.argmin, lambda c: math.log(len(c)), 0.0,
           math.log),
    Notion("social", _AS_IS, np.max, "groups", np.argmax, _ZERO, 0.0, _ANY, "costs"),
    Notion("gap", _AS_IS, np.ptp, "groups", np.argmax, _ZERO, 0.0, _ANY, "costs"),
    Notion("social ratio", _AS_IS, _over, "groups", np.argmax, _ONE, 1.0, _ANY, "costs"),
    Notion("relative social", _AS_IS, np.max, "groups", np.argmax, _ONE, 0.0, _ANY, "relative"),
    Notion("silhouette by group", _AS_IS, np.ptp, "groups", np.argmin, _ZERO, 0.0, lambda k: 2.0,
           "silhouettes"),
)  # fmt: skip


def _group_silhouettes(
    points: Floats,
    labels: Ints,
    groups: Ints,
    weights: Floats | None,
    g: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Mean silhouettes (g,) and those of resampled populations, (draws, g).

    The silhouette of a person, and the sample of large data, stay as they are. A group that the
    sample has nobody of is given the mean of all: it decides nothing.
    """
    scores, rows = _silhouettes(points, labels, weights, seed=0)
    groups, weights = groups[rows], None if weights is None else weights[rows]
    there = [j for j in range(g) if (groups == j).any()]
    means = np.full(g, np.average(scores, weights=weights))
    drawn = np.full((DRAWS, g), means[0])
    means[there] = group_means(scores, groups, g, weights)[there]
    drawn[:, there] = np.stack(
        [drawn_means(scores, weights, groups == j, rng) for j in there], axis=1
    )
    return means, drawn


def _silhouettes(
    points: Floats, labels: Ints, weights: Floats | None, seed: int
) -> tuple[Floats, Ints]:
    """Silhouettes (m,) of all rows, or of a sample of many, and these rows; 0 in one cluster."""
    rows = np.arange(len(points))
    if len(rows) > SILHOUETTE_SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(rows, SILHOUETTE_SAMPLE, replace=False))
    if len(np.unique(labels[rows])) < 2:
        return np.zeros(len(rows)), rows
    sampled = None if weights is None else weights[rows]
    return silhouettes(points[rows], labels[rows], sampled, compiled=False), rows


def fairness_table(
    points: Floats,
    labels: Ints,
    groups: Ints,
    cluster_names: Sequence[object],
    group_names: Sequence[str],
    weights: Floats | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """One row per notion for labels (n,) and groups (n,), codes from 0: see `fairness_report`.

    >>> points, labels = np.array([[0.0], [2.0], [8.0], [9.0]]), np.array([0, 0, 1, 1])
    >>> found = fairness_table(points, labels, np.array([0, 1, 0, 1]), (0, 1), ("f", "m"))
    >>> found.loc[["balance", "KL error", "social"], "value"].tolist()
    [1.0, 0.0, 0.625]
    """
    rng = np.random.default_rng(seed)
    k, g = len(cluster_names), len(group_names)
    mass = np.ones(len(labels)) if weights is None else weights
    sizes = np.bincount(labels, weights=mass, minlength=k)
    centers = np.stack(
        [np.bincount(labels, weights=mass * x, minlength=k) / sizes for x in points.T], axis=1
    )
    squared = assigned_squared(labels, centers, points)
    people = cluster_counts(labels, groups, k, g).astype(np.int64)
    counts = cluster_counts(labels, groups, k, g, weights)
    drawn = drawn_tables(people, labels, groups, weights, rng)
    costs = group_means(squared, groups, g, weights)
    drawn_costs = np.stack(
        [drawn_means(squared, weights, groups == j, rng) for j in range(g)], axis=1
    )
    alone = best_alone(points, groups, k, weights)
    alone = np.where(alone > 0.0, alone, costs)  # nothing to compare with: 1
    alone = np.where(alone > 0.0, alone, 1.0)
    drawn_by = {
        "table": (counts, drawn),
        "costs": (costs, drawn_costs),
        "relative": (costs / alone, drawn_costs / alone),
        "silhouettes": _group_silhouettes(points, labels, groups, weights, g, rng),
    }
    pairs = [f"{a} / {b}" for a, b in combinations(group_names, 2)]
    rows = []
    for notion in NOTIONS:
        own, others = drawn_by[notion.of]
        cells = notion.cells(own)
        most = notion.most(k)

        def within(x: Floats, least: float = notion.least, most: float = most) -> float:
            return float(min(max(float(x), least), most)) + 0.0  # no rounding beyond, no minus 0

        value = within(notion.combine(cells, axis=-1))
        spread = notion.combine(notion.cells(others), axis=-1)
        low, high = np.quantile(spread, [TAIL, 1.0 - TAIL], method="nearest")
        place = int(notion.decides(cells))
        cluster: object = None
        group: object = None
        if notion.places == "cells":
            cluster, group = cluster_names[place // g], group_names[place % g]
        elif notion.places == "clusters":
            cluster = cluster_names[place]
        else:
            group = (pairs if notion.places == "pairs" else group_names)[place]
        rows.append(
            {
                "notion": notion.name,
                "value": value,
                "ideal": notion.ideal(own),
                "low": min(within(low), value),
                "high": max(within(high), value),
                "cluster": cluster,
                "group": group,
                "least": notion.least,
                "most": most,
            }
        )
    return pd.DataFrame(rows).set_index("notion")


def worst_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Of every notion the row that is farthest from its ideal, with the table's name beside it.

    >>> near = pd.DataFrame({"value": [1], "ideal": [1]}, index=["balance"])
    >>> worst = worst_rows({"sex": near, "age": near.assign(value=0)})
    >>> worst[["value", "attribute"]].to_numpy().tolist()
    [[0, 'age']]
    """
    rows = []
    for notion in next(iter(tables.values())).index:
        away = {n: abs(t.loc[notion, "value"] - t.loc[notion, "ideal"]) for n, t in tables.items()}
        name = max(away, key=lambda n: away[n])
        rows.append(tables[name].loc[[notion]].assign(attribute=name))
    return pd.concat(rows)
