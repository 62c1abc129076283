"""The moving picture of a run: what the browser is given to draw curve and map step by step.

Three kinds of parcels. The points of U go once per map, as bytes. The steps of the run go a few at
a time and stay as they are, so that a new round costs its own few kilobytes. What is said about all
of them (lines, axes, colours, words) is small and may change every second.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from antidote_core.algorithms.algorithm2.realism import nearest_real_distance
from antidote_core.analysis.snapshots import Lead, Moves, nearest_rows, number_atoms, tug_of_war
from antidote_core.clustering import get_clustering
from antidote_core.fairness import FairnessCost, get_fairness
from antidote_core.numerals import number, share_of_data
from antidote_core.places import ROWS
from antidote_core.projection import SEED, Layout, Plane, map_rows
from antidote_core.reporting.figures import palette
from antidote_core.reporting.figures.curve import Line, curve_words, is_near, label_lines
from antidote_core.reporting.figures.maps import (
    features_caption,
    features_plane,
    layout_caption,
    map_frame,
)
from antidote_core.reporting.text.words import map_caption
from antidote_core.runs.spec import FOUR_FIFTHS, RunSpec
from antidote_core.runs.verdict import cost_digits
from antidote_core.runs.view import RunView, Step
from antidote_core.types import Dataset, Floats, Ints

DRAWN = 50_000  # points of U; a canvas draws so many within a frame or two
PER_PARCEL = 16  # steps
COLUMNS = 12  # of a table that are shown of one person
LABEL_ROOM = 0.085  # part of the height that a label needs
AHEAD = 5  # rounds that the axis of a live run has room for from the beginning
TICKS = 5
FAR_POINTS = 0.005  # of U at either end of an axis may lie outside the home view


@dataclass(frozen=True, eq=False)
class Ground:
    """The map that a run plays on: rows (m,) of U at `places` (m, 2), and where others land.

    `key` names the map among those of one run. `borders` says that borders between clusters are
    straight lines of this plane, `equal` that both axes have the same scale.
    """

    key: str
    rows: Ints
    places: Floats
    place: Callable[[Floats], Floats]
    axis_titles: tuple[str, str]
    caption: str
    borders: bool = False
    equal: bool = False


def plane_ground(data: Dataset, spec: RunSpec, plane: Plane, key: str = "pca") -> Ground:
    """The principal components, or the two features there are, as they are.

    >>> from antidote_core import load_dataset
    >>> from antidote_core.projection import fit_plane
    >>> data = load_dataset("two-optima")
    >>> ground = plane_ground(data, RunSpec(data.name), fit_plane(data.points, data.feature_names))
    >>> ground.borders, len(ground.rows) == data.n
    (True, True)
    """
    rows = map_rows(data.n, SEED, DRAWN)
    flat = plane.exact and data.points.shape[1] == 2
    return Ground(
        key,
        rows,
        plane.place(data.points[rows]),
        plane.place,
        plane.names,
        map_caption(plane.share, plane.exact, len(rows), data.n, SEED),
        flat and get_clustering(spec.clustering).by_nearest_center,
        plane.exact,
    )


def features_ground(data: Dataset, spec: RunSpec, features: tuple[int, int]) -> Ground:
    """Two features against each other.

    >>> from antidote_core import load_dataset
    >>> data = load_dataset("two-optima")
    >>> features_ground(data, RunSpec(data.name), (0, 1)).axis_titles == data.feature_names
    True
    """
    plane = features_plane(data, features)
    key = f"features {features[0]} {features[1]}"
    if plane.exact:
        return plane_ground(data, spec, plane, key)
    rows = map_rows(data.n, SEED, DRAWN)
    caption = features_caption(data, len(rows))
    places = plane.place(data.points[rows])
    return Ground(key, rows, places, plane.place, plane.names, caption)


def layout_ground(data: Dataset, layout: Layout) -> Ground:
    """The frozen UMAP layout; what is not in it lands beside its nearest points."""
    return Ground(
        "umap",
        layout.rows,
        layout.positions,
        lambda points: layout.place(data.points, points),
        ("UMAP 1", "UMAP 2"),
        layout_caption(data, layout),
    )


# -- U ------------------------------------------------------------------------------------------


def points_parcel(run_id: str, data: Dataset, ground: Ground, labels: Ints) -> bytes:
    """U on this map: places (m, 2) as float32, groups (m,) and plain labels (m,) as bytes.

    A line of JSON stands before them, padded so that the numbers begin at a multiple of four.
    `labels` (n,) are those of all points under plain clustering.

    >>> from antidote_core import load_dataset
    >>> data = load_dataset("two-optima")
    >>> ground = features_ground(data, RunSpec(data.name), (0, 1))
    >>> head = points_parcel("r", data, ground, data.groups).split(b"\\n")[0]
    >>> json.loads(head)
    {'kind': 'points', 'run': 'r', 'ground': 'features 0 1', 'count': 400}
    """
    head = json.dumps(
        {"kind": "points", "run": run_id, "ground": ground.key, "count": len(ground.rows)}
    )
    padding = " " * (-(len(head.encode()) + 1) % 4)
    return b"".join(
        (
            (head + padding + "\n").encode(),
            np.ascontiguousarray(ground.places, dtype="<f4").tobytes(),
            data.groups[ground.rows].astype(np.uint8).tobytes(),
            labels[ground.rows].astype(np.uint8).tobytes(),
        )
    )


# -- steps --------------------------------------------------------------------------------------


def step_parcel(
    run_id: str, data: Dataset, found: Sequence[Moves], ground: Ground, begin: int
) -> dict[str, Any]:
    """The steps from `begin` on, of all that were `found` so far.

    A parcel brings the atoms that appear in it for the first time: their place on the map, their
    row in original units and their nearest neighbours. Later steps change nothing in it.
    """
    numbers = number_atoms(found)
    known = 1 + max((name for step in numbers[:begin] for name in step), default=-1)
    fresh: dict[int, tuple[Floats, int]] = {}
    part = found[begin:]
    for names, step in zip(numbers[begin:], part, strict=True):
        for name, atom, row in zip(names, step.atoms, step.rows.tolist(), strict=True):
            if name >= known:
                fresh.setdefault(name, (atom, row))
    k = len(part[0].centers)
    centers = ground.place(np.vstack([step.centers for step in part]))
    steps = [
        {
            "centers": _rounded(centers[i * k : (i + 1) * k]),
            "atoms": [list(pair) for pair in zip(names, step.copies.tolist(), strict=True)],
            **_moved(step, ground.rows),
        }
        for i, (names, step) in enumerate(zip(numbers[begin:], part, strict=True))
    ]
    return {
        "kind": "steps",
        "run": run_id,
        "ground": ground.key,
        "first": begin,
        "steps": steps,
        "known": known,
        "people": _people(data, fresh, ground),
        "columns": [column.name for column in data.columns[:COLUMNS]],
        "hidden": max(0, len(data.columns) - COLUMNS),
    }


def _moved(step: Moves, rows: Ints) -> dict[str, Any]:
    """Which of the drawn rows (m,) are in another cluster, a bit each, and in which one each is.

    Of two clusters it is the other one, which need not be said.
    """
    drawn = np.isin(rows, step.moved, assume_unique=True)
    clusters = step.clusters[np.searchsorted(step.moved, rows[drawn])]
    return {
        "moved": _base64(np.packbits(drawn, bitorder="little")) if drawn.any() else "",
        "clusters": _base64(clusters.astype(np.uint8)) if len(step.centers) > 2 else "",
        "changed": len(step.moved),
    }


def _people(
    data: Dataset, fresh: Mapping[int, tuple[Floats, int]], ground: Ground
) -> list[dict[str, Any]]:
    """What a click on an atom tells, in the order of the atoms' numbers."""
    if not fresh:
        return []
    atoms = np.array([atom for atom, _ in fresh.values()])
    rows = np.array([row for _, row in fresh.values()])
    places = _rounded(ground.place(atoms))
    near, distances = nearest_rows(data.points, atoms, rows)
    own = _values(data, atoms)
    others = _values(data, data.points[near.ravel()])
    count = near.shape[1]
    return [
        {
            "at": places[i],
            "row": int(rows[i]),
            "group": data.group_names[data.groups[rows[i]]] if rows[i] >= 0 else "",
            "values": own[i],
            "near": [
                {
                    "row": int(near[i, j]),
                    "group": data.group_names[data.groups[near[i, j]]],
                    "distance": f"{distances[i, j]:.2f}",
                    "values": others[i * count + j],
                }
                for j in range(count)
            ],
        }
        for i in range(len(atoms))
    ]


def _values(data: Dataset, points: Floats) -> list[list[str]]:
    """The first columns of points (m, d) in original units, as people read them."""
    frame = data.to_original(points).iloc[:, :COLUMNS]
    return [[_cell(value) for value in row] for row in frame.itertuples(index=False)]


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    short = float(f"{value:.5g}")
    return f"{short + 0.0:,.4f}".rstrip("0").rstrip(".").replace("-", "−")


def step_label(view: RunView, step: Step, spec: RunSpec) -> str:
    """What the player says of a step."""
    cost = get_fairness(spec.fairness)
    level = cost.level(step.cost, cost_digits(view))
    if not step.size:
        return f"{step.title} · nothing added · {level}"
    if step.rows is not None:
        people = len(np.unique(step.rows))
        added = f"{step.size:,} {'copy' if step.size == 1 else 'copies'} of {people:,} people"
        if step.weights is not None:
            added = f"{step.added:,.1f} more weight for {people:,} people"
    else:
        added = f"{step.size:,} {'point' if step.size == 1 else 'points'}"
    return f"{step.title} · {added} · {level}"


def stored_sentence(ended: float) -> str:
    """When a run was computed that is shown again; `ended` in seconds since 1970."""
    return f"Stored result of {datetime.fromtimestamp(ended):%d %B %Y, %H:%M}."


def far_sentence(data: Dataset, step: Step) -> str:
    """How far V is from all that is real; empty where it copies rows, or there is none.

    >>> from antidote_core import load_dataset, run
    >>> view = run(RunSpec("blobs", place="wide", start_size=3, budget=60, max_rounds=1))
    >>> far_sentence(load_dataset("blobs"), view.steps[-1])[:37]
    'V lies up to 9.5 standard deviations '
    """
    if step.rows is not None or not step.size:
        return ""
    away = float(nearest_real_distance(data.points, np.unique(step.antidote, axis=0)).max())
    return f"V lies up to {away:.2g} standard deviations from the nearest real point."


def _tug(lead: Lead | None) -> dict[str, Any] | None:
    """The bar below the curve: how much of the lead is left, and what that means."""
    if lead is None:
        return None
    part = min(1.0, max(0.0, lead.now / lead.before))
    if lead.now < 0:
        text = f"tipped: the fairer one leads by {number(-lead.now, 0)}"
    elif lead.now == lead.before:
        text = f"plain leads by {number(lead.before, 0)} in inertia"
    else:
        text = f"lead {number(lead.now, 0)} of {number(lead.before, 0)}; tips at 0"
    return {"left": round(part, 4), "text": text}


# -- what is said about all of them ---------------------------------------------------------------


def show_parcel(
    run_id: str,
    data: Dataset,
    spec: RunSpec,
    view: RunView,
    shown: Sequence[int],
    ground: Ground,
    axes: Axes,
    *,
    fair: Mapping[str, float],
    live: bool,
    color: str,
    stored: str = "",
    dark: bool = False,
) -> dict[str, Any]:
    """Curve, axes, colours and words of the steps `shown`.

    `color` is how U is coloured: by "group", by "cluster" or by who "changed"; `stored` says when a
    run was computed that is shown again.
    """
    leads = tug_of_war(view)
    return {
        "kind": "show",
        "run": run_id,
        "ground": ground.key,
        "live": live,
        "answer": shown.index(view.answer_index),
        "labels": [step_label(view, view.steps[i], spec) for i in shown],
        "tugs": [_tug(leads[i]) for i in shown],
        "color": color,
        "stored": stored,
        "inks": {
            "ink": palette.ink(dark),
            "vanilla": palette.VANILLA,
            "antidote": palette.ANTIDOTE,
            "fair": palette.baseline_ink(dark),
            "hollow": palette.hollow(dark),
            "pale": palette.pale(dark),
            "moved": palette.DECIDES,
        },
        "groups": [
            {"name": name, **_mark(palette.group_mark(code, dark))}
            for code, name in enumerate(data.group_names)
        ],
        "clusters": [
            {"name": f"cluster {c + 1}", **_mark(palette.cluster_mark(c, dark))}
            for c in range(spec.k)
        ],
        "frame": list(axes.whole),
        "home": list(axes.home),
        "axes": list(ground.axis_titles),
        "equal": ground.equal,
        "borders": ground.borders,
        "copies": spec.place == ROWS,
        "n": data.n,
        "curve": stage_curve(view, spec, fair, shown, live),
        "alt": {"curve": curve_words(view, fair), "map": ground.caption},
    }


@dataclass(frozen=True)
class Axes:
    """Left, bottom, right and top of the map: the `whole` of it, and the `home` view of most.

    Both hold all centres and all of V, the whole all drawn points of U too. A few far points would
    otherwise press all others into a corner.
    """

    whole: tuple[float, ...]
    home: tuple[float, ...]


def map_axes(ground: Ground, parcels: Sequence[Mapping[str, Any]]) -> Axes:
    """The axes for all steps of the parcels, fixed before the first is drawn."""
    others = [place for parcel in parcels for step in parcel["steps"] for place in step["centers"]]
    others += [person["at"] for parcel in parcels for person in parcel["people"]]
    most = np.percentile(ground.places, [100 * FAR_POINTS, 100 * (1 - FAR_POINTS)], axis=0)
    added = np.reshape(others, (-1, 2))
    whole, home = (
        np.concatenate(map_frame(np.vstack([places, added]))) for places in (ground.places, most)
    )
    return Axes(tuple(whole.tolist()), tuple(home.tolist()))


def stage_curve(
    view: RunView, spec: RunSpec, fair: Mapping[str, float], shown: Sequence[int], live: bool
) -> dict[str, Any]:
    """Cost against size as heights: upwards is fairer where the scale has two ends.

    Such a cost (balance: 0 to 100 % of the fair share) has a fixed axis; any other is drawn as it
    is, lower is fairer, on an axis around all that is known.
    """
    cost = get_fairness(spec.fairness)
    rising = cost.perfect is not None and math.isfinite(cost.worst)
    sign = -1.0 if rising else 1.0
    digits = cost_digits(view)
    lines = [(kind, sign * value, text) for kind, value, text in _lines(view, spec, fair, cost)]
    steps: list[dict[str, Any]] = [
        {
            "size": view.steps[i].size,
            "height": sign * view.steps[i].cost,
            "checked": bool(
                i and view.verification is not None and view.steps[i].size == view.size
                and view.steps[i].cost == view.cost
            ),
            "text": f"{cost.shown(view.steps[i].cost, digits)} with {view.steps[i].size:,} "
            f"({share_of_data(view.steps[i].size, view.points)})",
        }
        for i in shown
    ]  # fmt: skip
    now: dict[str, float] | None = None
    if view.current and math.isfinite(view.current["cost"]):
        now = {"size": view.current["size"], "height": sign * view.current["cost"]}
    own = [step["height"] for step in steps] + [sign * value for value in view.noise]
    own += [height for kind, height, _ in lines if kind != "fair"]
    own += [now["height"]] if now else []
    if rising:
        assert cost.perfect is not None
        low, high = sign * cost.worst + 0.0, sign * cost.perfect
        near, away = lines, []
    else:
        low, high = _around([height for height in own if math.isfinite(height)])
        near = [line for line in lines if is_near(line[1], low, high)]
        away = [line for line in lines if line not in near]
        low, high = min([low, *(h for _, h, _ in near)]), max([high, *(h for _, h, _ in near)])
    labels, top, bottom = label_lines(near, away, low, high, LABEL_ROOM * (high - low))
    largest = max([1, *(step["size"] for step in steps), *([now["size"]] if now else [])])
    if live:
        largest = max(largest, spec.start_size + (AHEAD - 1) * spec.step)
    band = [sign * value for value in view.noise_band] if view.noise else None
    return {
        "title": cost.headline if rising else f"{cost.label}, lower is fairer",
        "sizes": f"by number of {'copies' if spec.place == ROWS else 'points'} |V|",
        "steps": steps,
        "now": now,
        "band": sorted(band) if band else None,
        "lines": [_line(row) for row in labels],
        "range": [bottom, max(top, high)],
        "largest": largest,
        "x": [
            {"at": tick, "text": f"{tick:,.0f}", "share": share_of_data(int(tick), view.points)}
            for tick in _ticks(0, largest)
            if tick == int(tick)
        ],
        "y": [
            {"at": tick, "text": cost.shown(sign * tick, _digits(high - low))}
            for tick in _ticks(low, high)
        ],
    }


def _lines(
    view: RunView, spec: RunSpec, fair: Mapping[str, float], cost: FairnessCost
) -> list[Line]:
    digits = cost_digits(view)
    lines: list[Line] = []
    same = view.target == view.vanilla_cost
    if math.isfinite(view.vanilla_cost):
        beaten = " = target α, to be beaten" if same else ""
        text = f"plain clustering {cost.shown(view.vanilla_cost, digits)}{beaten}"
        lines.append(("vanilla", view.vanilla_cost, text))
    if math.isfinite(view.target) and not same:
        name = "target: four fifths" if spec.target == FOUR_FIFTHS else "target α"
        text = name if spec.target == FOUR_FIFTHS else f"{name} {cost.shown(view.target, digits)}"
        lines.append(("target", view.target, text))
    for label, value in fair.items():
        if math.isfinite(value):
            lines.append(("fair", value, f"{label} {cost.shown(value, digits)}"))
    return lines


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {"kind": row["kind"], "label": row["label"], "at": row["at"]}
    return {**kept, "height": row["cost"]} if "cost" in row else kept


def _around(heights: Sequence[float], room: float = 0.12) -> tuple[float, float]:
    low, high = (min(heights), max(heights)) if heights else (0.0, 1.0)
    spread = (high - low) or 0.02 * max(abs(high), 0.05)
    return low - room * spread, high + room * spread


def _ticks(low: float, high: float) -> list[float]:
    """A few round numbers between the two.

    >>> _ticks(0, 400), _ticks(-0.02, 0.5)
    ([0.0, 100.0, 200.0, 300.0, 400.0], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    """
    rough = (high - low) / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    apart = next(unit * m for m in (1, 2, 5, 10) if unit * m >= 0.7 * rough)
    first, last = math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9)
    return [round(i * apart, 12) for i in range(first, last + 1)]


def _digits(spread: float) -> int:
    """Decimals that tell ticks apart."""
    return max(0, -math.floor(math.log10(0.7 * spread / TICKS)))


def _mark(mark: palette.Mark) -> dict[str, str]:
    return {"color": mark.color, "symbol": mark.symbol}


def _rounded(places: Floats) -> list[list[float]]:
    return [[float(f"{value:.6g}") for value in place] for place in places]


def _base64(values: np.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode()
