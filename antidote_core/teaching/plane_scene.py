"""Drawings of a plane with groups, clusters and antidote points, as plain values for the browser.

A scene says what lies where and how it looks; the page draws it. It changes many times a second
while somebody plays, so it is data and no chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from antidote_core.fairness import BalanceTable
from antidote_core.projection import cluster_cells
from antidote_core.reporting.figures.palette import (
    ANTIDOTE,
    DECIDES,
    LIGHT_INK,
    SOTA,
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
        "rival": _stars(rival, SOTA),
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
        legend.append(("star", SOTA, "the algorithm's point"))
    scene["grey"], scene["aim"] = VANILLA, DECIDES
    scene["legend"] = [{"symbol": s, "color": c, "name": n} for s, c, n in legend]
    return scene


def mix_html(table: BalanceTable, group_names: Sequence[str], dark: bool = False) -> str:
    """100 % bars as HTML: the whole data, then every cluster; the deciding part is outlined."""
    counts = table.counts
    rows: list[tuple[str, Floats, int | None]] = [("whole data", counts.sum(axis=0), None)]
    rows += [(f"cluster {c + 1}", row, c) for c, row in enumerate(counts)]
    unequal = float(table.ratios[table.cluster, table.group]) < EQUAL
    lines = []
    for name, row, cluster in rows:
        total = float(row.sum())
        parts = []
        for j, count in enumerate(row.tolist()):
            share = count / total if total else 0.0
            decides = unequal and (cluster, j) == (table.cluster, table.group)
            outline = f"outline:3px solid {DECIDES};outline-offset:-3px;" if decides else ""
            words = f"{name}: {percent(share)} {group_names[j]}" + (" (decides)" if decides else "")
            parts.append(
                f'<span title="{escape(words)}" style="width:{100 * share:.2f}%;'
                f"background:{group_mark(j, dark).color};{outline}display:inline-block;height:100%;"
                f'text-align:center;overflow:hidden;color:{LIGHT_INK};min-width:{4 * decides}px">'
                f"{percent(share) if share >= WRITABLE else ''}</span>"
            )
        if not total:
            parts = ['<span style="padding:0 .5em">nobody: antidote points only</span>']
        lines.append(
            '<div style="display:flex;align-items:center;gap:.6em;margin:.25em 0">'
            f'<span style="flex:0 0 5.2em">{name}</span>'
            '<span style="flex:1;display:flex;height:1.7em;line-height:1.7em;font-size:.85em;'
            f'border:1px solid {VANILLA}">{"".join(parts)}</span></div>'
        )
    key = " ".join(
        f'<span style="white-space:nowrap;margin-right:1em"><span style="display:inline-block;'
        f'width:.8em;height:.8em;background:{group_mark(j, dark).color}"></span> {escape(n)}</span>'
        for j, n in enumerate(group_names)
    )
    note = f'<span style="color:{DECIDES}">▢ decides the balance cost</span>' if unequal else ""
    return f'<div class="mix">{"".join(lines)}<div style="font-size:.85em">{key}{note}</div></div>'


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
