"""The table behind every chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from antidote_core.algorithms.algorithm2.realism import nearest_real_distance, neighbour_distances
from antidote_core.analysis.snapshots import FEW, GroupIntervals
from antidote_core.fairness import BalanceTable, SocialTable
from antidote_core.numerals import change, number, percent
from antidote_core.types import Dataset, Floats

DECIDES_MARK = "◀ decides"
FEW_MARK = f"⚠ fewer than {FEW} people"
DISTANCE = "distance to nearest real point"
TIMES_USUAL = "times the usual distance"
COPIES = "copies"


def group_table(data: Dataset) -> pd.DataFrame:
    """Points and share of every group, in the order of the codes."""
    names = pd.DataFrame({data.protected: data.group_names})
    sizes = data.group_sizes
    return set_apart(names, ("points", "share")).assign(
        points=sizes, share=[percent(size / data.n) for size in sizes]
    )


def cluster_table(table: BalanceTable, group_names: tuple[str, ...]) -> pd.DataFrame:
    """One row per cluster and group: how many, which share, and how near to the fair share.

    "of fair share" is min(R, 1/R): 100 % where the cluster has exactly the group's share in the
    whole data, less where it has too few or too many.
    """
    totals = table.counts.sum(axis=1)
    whole = table.counts.sum(axis=0) / table.counts.sum()
    return pd.DataFrame(
        {
            "cluster": f"cluster {c + 1}",
            "group": group_names[j],
            "points": round(count),
            "share here": percent(count / totals[c]) if totals[c] else "empty",
            "share overall": percent(whole[j]),
            "of fair share": percent(float(table.ratios[c, j])),
            "": DECIDES_MARK if (c, j) == (table.cluster, table.group) else "",
        }
        for (c, j), count in np.ndenumerate(table.counts)
    )


def ratio_table(table: BalanceTable, group_names: tuple[str, ...]) -> pd.DataFrame:
    """Groups x clusters: points and how near to the fair share; the deciding cell is marked."""
    columns = {}
    for c, (counts, ratios) in enumerate(zip(table.counts, table.ratios, strict=True)):
        cells = [
            f"{round(count):,} · {percent(ratio)}"
            for count, ratio in zip(counts, ratios, strict=True)
        ]
        if c == table.cluster:
            cells[table.group] += " ◀"
        columns[f"cluster {c + 1}"] = cells
    return pd.DataFrame(columns, index=list(group_names))


def group_cost_table(table: SocialTable, group_names: tuple[str, ...]) -> pd.DataFrame:
    """Average squared distance to the centre per group; the deciding group is marked."""
    return pd.DataFrame(
        {
            "group": group_names,
            "average cost": table.group_costs,
            "": [DECIDES_MARK if j == table.group else "" for j in range(len(group_names))],
        }
    )


def interval_table(
    found: GroupIntervals, balance: BalanceTable, group_names: tuple[str, ...]
) -> pd.DataFrame:
    """Per cluster and group: share of the cluster and part of the fair share, with intervals."""
    totals = balance.counts.sum(axis=1)
    return pd.DataFrame(
        {
            "cluster": f"cluster {c + 1}",
            "group": group_names[j],
            "people": int(count),
            "share here": percent(balance.counts[c, j] / totals[c]) if totals[c] else "empty",
            "share, 95 % interval": _span(found.shares[c, j], percent),
            "of fair share": percent(float(balance.ratios[c, j])),
            "of fair share, 95 % interval": _span(found.ratios[c, j], percent),
            "": FEW_MARK if count < FEW else "",
        }
        for (c, j), count in np.ndenumerate(found.people)
    )


def cost_interval_table(
    found: GroupIntervals, social: SocialTable, group_names: tuple[str, ...]
) -> pd.DataFrame:
    """What each group pays, with its interval."""
    people = found.people.sum(axis=0)
    return pd.DataFrame(
        {
            "group": group_names,
            "people": people,
            "average cost": [number(cost, 4) for cost in social.group_costs],
            "95 % interval": [_span(each, lambda x: number(x, 4)) for each in found.costs],
            "": [FEW_MARK if count < FEW else "" for count in people],
        }
    )


def _span(ends: Floats, written: Callable[[float], str]) -> str:
    return f"{written(float(ends[0]))} to {written(float(ends[1]))}"


def feature_table(data: Dataset) -> pd.DataFrame:
    """Every feature in its original units: average, spread and range."""
    original = data.points * data.scale + data.shift
    return pd.DataFrame(
        {
            "feature": data.feature_names,
            "average": original.mean(axis=0),
            "standard deviation": original.std(axis=0),
            "smallest": original.min(axis=0),
            "largest": original.max(axis=0),
        }
    )


def center_table(data: Dataset, centers: Floats, sizes: Floats) -> pd.DataFrame:
    """The centres (k, d) in original units, with the points each cluster holds."""
    frame = set_apart(data.to_original(centers), ("cluster", "points"))
    frame.insert(0, "cluster", [f"cluster {c + 1}" for c in range(len(centers))])
    frame.insert(1, "points", sizes.round().astype(int))
    return frame


def antidote_table(data: Dataset, antidote: Floats) -> pd.DataFrame:
    """Distinct antidote points in original units, how often each occurs, and how far from reality.

    The distance is in standard deviations of the features, over all features together, and in
    multiples of the usual distance (median) between real neighbours.
    """
    atoms, counts = np.unique(
        antidote.reshape(-1, data.points.shape[1]), axis=0, return_counts=True
    )
    table = set_apart(data.to_original(atoms), (COPIES, DISTANCE, TIMES_USUAL))
    table.insert(0, COPIES, counts)
    table[DISTANCE] = nearest_real_distance(data.points, atoms)
    table[TIMES_USUAL] = table[DISTANCE] / neighbour_distances(data.points)[0]
    return table.sort_values(COPIES, ascending=False, ignore_index=True)


def set_apart(frame: pd.DataFrame, ours: Iterable[str]) -> pd.DataFrame:
    """The table with other names for columns that are named like one of ours.

    >>> set_apart(pd.DataFrame({"copies": [1], "age": [2]}), ["copies"]).columns.tolist()
    ['copies (table)', 'age']
    """
    names = {}
    for name in ours:
        names[name] = f"{name} (table)"
        while names[name] in frame.columns:
            names[name] += " (table)"
    return frame.rename(columns=names)


NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Measure:
    """One column of a comparison: how it is called, which way is better, how it is written.

    `column` is its name in rows and records, `written` writes a value, `ticks` is the format of an
    axis.
    """

    column: str
    title: str
    better: str
    written: Callable[[float], str] = number
    ticks: str = ""

    @property
    def axis(self) -> str:
        """The title of an axis."""
        return f"{self.title.lower()}, {self.better}"

    def shown(self, value: float) -> str:
        """A value as people read it.

        >>> PRICE.shown(0.021).replace("\\xa0", " "), SMALLEST.shown(math.nan)
        ('+2.1 %', 'not known')
        """
        return NOT_KNOWN if math.isnan(value) else self.written(value)


PRICE = Measure("price", "Price of fairness", "lower is better", change, "+.4~p")
SMALLEST = Measure("smallest_share", "Smallest cluster", "larger is better", percent, ".4~p")
SILHOUETTE = Measure("silhouette", "Silhouette", "higher is better")
