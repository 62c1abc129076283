"""Maps of points on a plane: groups or clusters, centres, antidote points, borders.

`map_figure` draws any of them, `run_map_figure` U ∪ V at one step of a run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from antidote_core.algorithms.algorithm2.realism import nearest_real_distance
from antidote_core.analysis.snapshots import Snapshot
from antidote_core.clustering import get_clustering
from antidote_core.projection import MAP_LIMIT, SEED, Layout, Plane, cluster_cells, map_rows
from antidote_core.reporting.figures import palette
from antidote_core.reporting.text.words import chart_text, map_caption
from antidote_core.runs.spec import RunSpec
from antidote_core.types import Dataset, Floats, Ints

SVG_LIMIT = 1_000  # beyond this many points the browser draws with WebGL
MAX_TRACES = 40
HEIGHT, RUN_HEIGHT = 460, 430
COLORINGS = ("group", "cluster", "changed")
VISIBLE_MOVE = 0.02  # part of the map's width from which on a moved centre gets an arrow


def map_figure(
    places: Floats,
    codes: Ints,
    names: Sequence[str],
    marks: Sequence[palette.Mark],
    axis_titles: tuple[str, str],
    *,
    centers: Floats | None = None,
    antidote: Floats | None = None,
    cells: Sequence[Floats] = (),
    square: bool = False,
    dark: bool = False,
    height: int = HEIGHT,
) -> go.Figure:
    """Points at places (m, 2), coloured and shaped by codes (m,) into names and marks.

    `centers` (k, 2) and `antidote` (v, 2) are places on the same map, `cells` one polygon per
    cluster (`cluster_cells`); `square` keeps both axes at one scale.
    """
    many = len(places) > SVG_LIMIT
    scatter = go.Scattergl if many else go.Scatter
    figure = go.Figure()
    for index, cell in enumerate(cells):
        figure.add_trace(_cell(cell, index, dark))
    # Drawn in turns: one trace per code would let the last one hide all others.
    turns = max(1, MAX_TRACES // len(names)) if many else 1
    for turn in range(turns):
        for code, name in enumerate(map(chart_text, names)):
            at = places[turn::turns][codes[turn::turns] == code].astype(np.float32)
            figure.add_trace(
                scatter(
                    x=at[:, 0],
                    y=at[:, 1],
                    mode="markers",
                    name=name,
                    legendgroup=str(code),
                    showlegend=turn == 0,
                    marker=palette.rimmed(
                        marks[code].symbol,
                        4 if many else 7,
                        marks[code].color,
                        palette.ink(dark),
                        0 if many else 0.5,
                        opacity=0.5 if many else 0.85,
                    ),
                    hovertemplate=f"{name}<extra></extra>",
                )
            )
    # WebGL traces lie above all others, so what must stay on top is of the same kind.
    if antidote is not None and len(antidote):
        figure.add_trace(scatter(**_antidote(antidote, dark)))
    if centers is not None:
        figure.add_trace(scatter(**_centers(centers, dark)))
    palette.framed(
        figure, height, legend={**palette.LEGEND_ABOVE, "itemsizing": "constant"}, dragmode="pan"
    )
    across, up = map(chart_text, axis_titles)
    figure.update_xaxes(title=across, zeroline=False)
    figure.update_yaxes(title=up, zeroline=False)
    if square:
        figure.update_yaxes(scaleanchor="x", scaleratio=1)
    return figure


def map_frame(places: Floats) -> tuple[Floats, Floats]:
    """Lower and upper corner (2,) of a frame a little wider than the places (m, 2)."""
    lower, upper = places.min(axis=0), places.max(axis=0)
    room = 0.04 * (upper - lower)
    return lower - room, upper + room


def _cell(cell: Floats, index: int, dark: bool) -> go.Scatter:
    closed = np.vstack([cell, cell[:1]])
    return go.Scatter(
        x=closed[:, 0],
        y=closed[:, 1],
        mode="lines",
        fill="toself",
        fillcolor=_faint(palette.cluster_mark(index, dark).color),
        line={"color": palette.ink(dark), "width": 2.5},
        showlegend=False,
        hoverinfo="skip",
    )


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.12)"


def _centers(centers: Floats, dark: bool, size: int = 13, letters: int = 20) -> dict[str, Any]:
    return {
        "x": centers[:, 0],
        "y": centers[:, 1],
        "mode": "markers+text",
        "name": "centre",
        "text": [str(c + 1) for c in range(len(centers))],
        "textposition": "bottom right",
        "textfont": {"size": letters, "color": palette.ink(dark), "weight": "bold"},
        "marker": palette.rimmed("x", size, palette.ink(dark), palette.ink(not dark), 1.5),
        "hovertemplate": "centre of cluster %{text}<extra></extra>",
    }


def _antidote(antidote: Floats, dark: bool) -> dict[str, Any]:
    return {
        "x": antidote[:, 0],
        "y": antidote[:, 1],
        "mode": "markers",
        "name": "antidote",
        "marker": palette.rimmed("star", 13, palette.ANTIDOTE, palette.ink(dark)),
        "hovertemplate": "antidote point<extra></extra>",
    }


@dataclass(frozen=True, eq=False)
class Picture:
    """Where everything lands on one map: the drawn rows (m,) of U at `places` (m, 2).

    `atoms` are the distinct antidote points, `copies` how often each occurs.
    """

    rows: Ints
    places: Floats
    atoms: Floats
    copies: Ints | Floats
    before: Floats
    after: Floats
    axis_titles: tuple[str, str]
    caption: str
    cells: Sequence[Floats] = ()
    exact: bool = False


def flat_picture(data: Dataset, spec: RunSpec, shot: Snapshot, plane: Plane) -> Picture:
    """On the plane of the principal components, or of two features as they are."""
    atoms, copies = _atoms(shot)
    rows = map_rows(data.n, SEED, MAP_LIMIT)
    places = plane.place(data.points[rows])
    cells: Sequence[Floats] = ()
    flat = plane.exact and data.points.shape[1] == 2
    if flat and get_clustering(spec.clustering).by_nearest_center:
        everything = np.vstack([places, atoms]) if len(atoms) else places
        cells = cluster_cells(shot.centers, *map_frame(everything))
    caption = map_caption(plane.share, plane.exact, len(rows), data.n, SEED)
    before, after = plane.place(shot.before), plane.place(shot.centers)
    return Picture(
        rows, places, plane.place(atoms), copies, before, after, plane.names, caption, cells,
        plane.exact,
    )  # fmt: skip


def features_plane(data: Dataset, features: tuple[int, int]) -> Plane:
    """Two features of the standardised data against each other."""
    axes = np.zeros((2, data.points.shape[1]))
    axes[0, features[0]] = axes[1, features[1]] = 1.0
    names = (data.feature_names[features[0]], data.feature_names[features[1]])
    return Plane(np.zeros(data.points.shape[1]), axes, 1.0, names, exact=data.points.shape[1] == 2)


def features_caption(data: Dataset, drawn: int) -> str:
    """What a map of two features among more shows."""
    points = f"all {data.n:,}" if drawn == data.n else f"a random {drawn:,}"
    return (
        f"Two of {data.points.shape[1]} features, in standard deviations. Points that look close "
        f"may differ in all the others. Drawn: {points} of {data.n:,} points (seed {SEED})."
    )


def layout_caption(data: Dataset, layout: Layout) -> str:
    """What a frozen UMAP layout shows, and what it does not."""
    return (
        f"UMAP of {len(layout.rows):,} of {data.n:,} points (seed {SEED}), frozen: only neighbours "
        "mean something here, not distances or sizes. Antidote points and centres stand beside "
        "their nearest real points, however far away they are: see the table for the distance."
    )


def layout_picture(data: Dataset, shot: Snapshot, layout: Layout) -> Picture:
    """In a frozen UMAP layout of U; V and the centres are placed beside their nearest points."""
    atoms, copies = _atoms(shot)
    caption = layout_caption(data, layout)
    return _umap_picture(data, shot, layout, layout.place(data.points, atoms), copies, caption)


def joint_picture(data: Dataset, shot: Snapshot, joint: Layout) -> Picture:
    """In a UMAP layout made of U and V together; rows below zero are those of V, in order."""
    real = joint.rows >= 0
    places = joint.positions[~real]
    around = Layout(joint.rows[real], joint.positions[real])
    caption = (
        f"UMAP of {int(real.sum()):,} real and {len(places):,} antidote points together "
        f"(seed {SEED}). U lies elsewhere than in the frozen map: UMAP was free to move it. Copies "
        "of one antidote point are neighbours of each other, so they form a clump of their own."
    )
    return _umap_picture(data, shot, around, places, np.ones(len(places), dtype=int), caption)


def _umap_picture(
    data: Dataset,
    shot: Snapshot,
    layout: Layout,
    atoms: Floats,
    copies: Ints | Floats,
    caption: str,
) -> Picture:
    before, after = (layout.place(data.points, at) for at in (shot.before, shot.centers))
    axes = ("UMAP 1", "UMAP 2")
    return Picture(layout.rows, layout.positions, atoms, copies, before, after, axes, caption)


def run_map_figure(
    data: Dataset,
    shot: Snapshot,
    picture: Picture,
    coloring: str,
    dark: bool = False,
) -> go.Figure:
    """U small and pale, V as large outlined stars, centres before (hollow) and after."""
    if coloring == "changed":
        codes, names, marks = _changed(data, shot, dark)
    else:
        codes, names, marks = colored(data, shot.labels, len(shot.centers), coloring, dark)
    figure = map_figure(
        picture.places,
        codes[picture.rows],
        names,
        marks,
        picture.axis_titles,
        cells=picture.cells,
        square=picture.exact,
        dark=dark,
        height=RUN_HEIGHT,
    )
    many = len(picture.places) > SVG_LIMIT
    # WebGL traces lie above all others, so what must stay on top is of the same kind.
    scatter = go.Scattergl if many else go.Scatter
    _add_centers(figure, scatter, picture, dark)
    if len(picture.atoms):
        distances = nearest_real_distance(data.points, _atoms(shot)[0])
        if len(distances) != len(picture.atoms):  # a joint map draws every copy
            drawn = shot.step.antidote[: len(picture.atoms)]
            distances = nearest_real_distance(data.points, drawn)
        figure.add_trace(_stars(scatter, picture, distances, dark))
    figure.update_layout(margin={"l": 10, "r": 10, "t": 56, "b": 40}, uirevision="keep")
    figure.update_xaxes(title_standoff=6)
    return figure


def _atoms(shot: Snapshot) -> tuple[Floats, Ints | Floats]:
    if shot.step.weights is not None:
        return shot.step.antidote, shot.step.weights
    atoms, copies = np.unique(shot.step.antidote, axis=0, return_counts=True)
    return atoms.reshape(-1, shot.step.antidote.shape[1]), copies


def colored(
    data: Dataset, labels: Ints, k: int, coloring: str, dark: bool
) -> tuple[Ints, tuple[str, ...], list[palette.Mark]]:
    """Codes (n,), their names and marks: points by their group, or by their cluster of `k`."""
    if coloring == "cluster":
        names = tuple(f"cluster {c + 1}" for c in range(k))
        return labels, names, [palette.cluster_mark(c, dark) for c in range(k)]
    marks = [palette.group_mark(code, dark) for code in range(len(data.group_names))]
    return data.groups, data.group_names, marks


def _changed(
    data: Dataset, shot: Snapshot, dark: bool
) -> tuple[Ints, tuple[str, ...], list[palette.Mark]]:
    moved = int(shot.changed.sum())
    names = ("same cluster as before", f"changed cluster ({moved:,} of {data.n:,})")
    pale = palette.Mark(palette.pale(dark), "circle", "")
    return shot.changed, names, [pale, palette.Mark(palette.ink(dark), "diamond", "")]


def _stars(scatter: type, picture: Picture, distances: Floats, dark: bool) -> go.Scatter:
    sizes = np.minimum(15 + 5 * np.sqrt(np.maximum(picture.copies - 1.0, 0.0)), 40)
    texts = [
        f"antidote point{f', {count:,.4g} times' if count != 1 else ''}<br>"
        f"{distance:.2f} standard deviations from the nearest real point"
        for count, distance in zip(picture.copies.tolist(), distances.tolist(), strict=True)
    ]
    return scatter(
        x=picture.atoms[:, 0],
        y=picture.atoms[:, 1],
        mode="markers",
        name=f"antidote ({math.ceil(picture.copies.sum() - 1e-9):,})",
        text=texts,
        hovertemplate="%{text}<extra></extra>",
        marker=palette.rimmed("star", sizes, palette.ANTIDOTE, palette.ink(dark), 1.5, opacity=1.0),
    )


def _add_centers(figure: go.Figure, scatter: type, picture: Picture, dark: bool) -> None:
    width = float(np.ptp(picture.places, axis=0).max()) or 1.0
    moved = np.linalg.norm(picture.after - picture.before, axis=1) > VISIBLE_MOVE * width
    names = [str(c + 1) for c in range(len(picture.after))]
    if moved.any():
        figure.add_trace(
            scatter(
                x=picture.before[:, 0],
                y=picture.before[:, 1],
                mode="markers",
                name="centre before",
                text=names,
                hovertemplate="centre %{text} of plain clustering<extra></extra>",
                marker=palette.rimmed("circle", 11, palette.VANILLA, palette.ink(dark), 2),
            )
        )
    for old, new in zip(picture.before[moved], picture.after[moved], strict=True):
        figure.add_annotation(
            x=new[0], y=new[1], ax=old[0], ay=old[1],
            xref="x", yref="y", axref="x", ayref="y",
            showarrow=True, arrowhead=2, arrowsize=1.2, arrowwidth=2, arrowcolor=palette.ink(dark),
            standoff=8, startstandoff=5, text="",
        )  # fmt: skip
    figure.add_trace(scatter(**_centers(picture.after, dark, 12, 18)))
