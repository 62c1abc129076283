"""Drawings of a plane with groups, clusters and antidote points, as plain values for the browser.

A scene says what lies where and how it looks; the page draws it. It changes many times a second
while somebody plays, so it is data and no chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from antidote_core.fairness import BalanceTable
from antidote_core.projection import cluster_cells
from antidote_core.reporting.documents.page import render
from antidote_core.reporting.figures.palette import (
    ANTIDOTE,
    BASELINE,
    DECIDES,
    LIGHT_INK,
    VANILLA,
    cluster_mark,
    group_mark,
    ink,
)
from antidote_core.reporting.text.words import EQUAL, percent
from antidote_core.types import Dataset, Floats, Ints

Frame = tuple[Floats, Floats]
Scene = dict[str, Any]
WRITABLE = 0.13  # narrower parts of a bar have no room for their figure


def plane_scene(
    data: Dataset,
    frame: Frame,
    centers: Floats,
    *,
    before: Floats | None = None,
    antidote: Floats | None = None,
    rival: Floats | None = None,
    moved: np.ndarray | None = None,
    spokes: Ints | None = None,
    groups: bool = True,
    dark: bool = False,
) -> Scene:
    """The plane of a clustering.

    `centers` (k, 2) with their cells, `before` (k, 2) the centres without antidote points,
    `antidote` and `rival` (m, 2) two sets of points, `moved` (n,) marks points to outline, `spokes`
    (n,) the labels of points to join to their centres; without `groups` all points look alike.
    """
    lower, upper = frame
    cells = cluster_cells(centers, lower, upper)
    marks = [group_mark(code, dark) for code in range(len(data.group_names))]
    codes = data.groups if groups else np.zeros(data.n, dtype=np.int64)
    names = data.group_names if groups else ("point",)
    legend = [(marks[c].symbol, marks[c].color if groups else VANILLA, n)
              for c, n in enumerate(names)]  # fmt: skip
    legend.append(("x", ink(dark), "centre of a cluster"))
    scene: Scene = {
        "frame": [*lower.tolist(), *upper.tolist()],
        "ink": ink(dark),
        "cells": [
            {"corners": _pairs(cell), "color": cluster_mark(index, dark).color}
            for index, cell in enumerate(cells)
        ],
        "border": _inner_edges(cells, frame),
        "points": [
            {
                "at": _pairs(data.points[codes == code]),
                "color": legend[code][1],
                "symbol": marks[code].symbol,
                "moved": [] if moved is None else np.flatnonzero(moved[codes == code]).tolist(),
            }
            for code in range(len(names))
        ],
        "spokes": [] if spokes is None else _spokes(data.points, centers, spokes),
        "centers": _pairs(centers),
        "before": [],
        "old": [],
        "antidote": _stars(antidote, ANTIDOTE),
        "rival": _stars(rival, BASELINE),
    }
    if before is not None:
        scene["before"] = _pairs(before)
        scene["old"] = _inner_edges(cluster_cells(before, lower, upper), frame)
        legend.append(("dash", VANILLA, "border and centres before"))
    if moved is not None and moved.any():
        legend.append(("ring", ink(dark), "changed cluster"))
    if scene["antidote"]:
        legend.append(("star", ANTIDOTE, "antidote point"))
    if scene["rival"]:
        legend.append(("star", BASELINE, "the algorithm's point"))
    scene["grey"], scene["aim"] = VANILLA, DECIDES
    scene["legend"] = [{"symbol": s, "color": c, "name": n} for s, c, n in legend]
    return scene


def mix_html(table: BalanceTable, group_names: Sequence[str], dark: bool = False) -> str:
    """100 % bars as HTML: the whole data, then every cluster; the deciding part is outlined."""
    unequal = float(table.ratios[table.cluster, table.group]) < EQUAL
    colors = [group_mark(j, dark).color for j in range(len(group_names))]
    rows = [("whole data", _parts("whole data", table.counts.sum(axis=0), group_names, colors))]
    for c, counts in enumerate(table.counts):
        name = f"cluster {c + 1}"
        deciding = table.group if unequal and c == table.cluster else None
        rows.append((name, _parts(name, counts, group_names, colors, deciding)))
    key = list(zip(group_names, colors, strict=True))
    look = {"rim": VANILLA, "decides": DECIDES, "ink": LIGHT_INK}
    return str(render("mix.html", rows=rows, key=key, unequal=unequal, **look))


def _parts(
    name: str,
    counts: Floats,
    group_names: Sequence[str],
    colors: Sequence[str],
    deciding: int | None = None,
) -> list[dict[str, Any]]:
    """The parts of one bar; none when nobody is in it."""
    if not counts.sum():
        return []
    shares = (counts / counts.sum()).tolist()
    return [
        {
            "share": share,
            "color": colors[j],
            "decides": j == deciding,
            "words": f"{name}: {percent(share)} {group_names[j]}{' (decides)' * (j == deciding)}",
            "figure": percent(share) if share >= WRITABLE else "",
        }
        for j, share in enumerate(shares)
    ]


def _pairs(points: Floats) -> list[list[float]]:
    return np.round(points, 3).tolist()


def _stars(antidote: Floats | None, color: str) -> list[dict[str, Any]]:
    if antidote is None or not len(antidote):
        return []
    places, copies = np.unique(np.round(antidote, 3), axis=0, return_counts=True)
    return [
        {"at": place.tolist(), "copies": int(count), "color": color}
        for place, count in zip(places, copies, strict=True)
    ]


def _spokes(points: Floats, centers: Floats, labels: Ints) -> list[list[list[float]]]:
    return np.round(np.stack([points, centers[labels]], axis=1), 3).tolist()


def _inner_edges(cells: Sequence[Floats], frame: Frame) -> list[list[list[float]]]:
    """The edges of the cells that do not run along the frame, each once."""
    lower, upper = frame
    edges = []
    for cell in cells:
        for start, end in zip(cell, np.roll(cell, -1, axis=0), strict=True):
            along = np.isclose(start, end) & (np.isclose(start, lower) | np.isclose(start, upper))
            # Neighbours run along a shared edge in opposite directions: keep one of them.
            if not along.any() and tuple(start) < tuple(end):
                edges.append(_pairs(np.array([start, end])))
    return edges
