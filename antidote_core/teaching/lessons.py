"""The idea in eight steps on points of the plane; each with one picture and one control.

Nothing is written down: every figure comes from clustering again when the control moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.clustering import get_clustering
from antidote_core.datasets import load_dataset
from antidote_core.fairness import balance_cost
from antidote_core.geometry import nearest_center
from antidote_core.numerals import number, percent, points_text
from antidote_core.reporting.figures.palette import ANTIDOTE, VANILLA, framed, ink
from antidote_core.reporting.figures.tables import cluster_table, group_cost_table
from antidote_core.reporting.text.words import balance_sentence, social_sentence
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, fold
from antidote_core.teaching.planar import (
    Frame,
    PlanarProblem,
    Position,
    Scene,
    descend,
    fair_share,
    mix_html,
    planar_problem,
    plane_scene,
)
from antidote_core.types import Floats

ROOM = 0.6  # around what a plane must show, in its own units
ONE_POINT_AT = tuple(range(-6, 9))
TEN, OTHER_SIZES = 10, (1, 3, 30)
WANTED = tuple(range(35, 75, 5))  # fair shares in percent
DISTANCES = tuple(range(0, 14))
FAR = 8.0  # where the copies of the step about capture lie
COPIES = tuple(range(1, 17))
STARTS = (1, 2, 3, 5, 10)
SEEDS = 20
GROWTH = RunSpec(
    dataset="blobs",
    start_size=2,
    step=2,
    target=-0.6,
    budget=200,
    max_rounds=12,
    place="minmax",
    max_price=None,
)


@dataclass(frozen=True)
class Figure:
    """One number under the picture; `word` is its entry in the glossary."""

    label: str
    value: str
    word: str
    note: str


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step shows for one value of its control.

    Either a `scene` for the plane or a `chart`; `alt` says it in words, `table` in numbers.
    """

    sentence: str
    alt: str
    table: pd.DataFrame
    figures: tuple[Figure, ...] = ()
    scene: Scene | None = None
    chart: go.Figure | None = None
    mix: str = ""


@dataclass(frozen=True)
class Lesson:
    """One step: what it says, its control, and what the control shows."""

    name: str
    title: str
    text: str
    label: str
    options: Callable[[], tuple[int | str, ...]]
    default: int | str
    show: Callable[[int | str, bool], Shown]
    moral: str


def _frame_around(*places: Floats) -> Frame:
    """A frame around all places (m, 2)."""
    everything = np.vstack(places)
    return everything.min(axis=0) - ROOM, everything.max(axis=0) + ROOM


def _at(x: float, planar: PlanarProblem, copies: int) -> Floats:
    """`copies` points at (x, middle of the data)."""
    return np.tile([x, float(planar.data.points[:, 1].mean())], (copies, 1))


def _ends(values: Sequence[float], planar: PlanarProblem) -> Frame:
    """A frame around the data and everywhere the control can put points."""
    return _frame_around(
        planar.data.points, _at(min(values), planar, 1), _at(max(values), planar, 1)
    )


def _costs(
    planar: PlanarProblem, position: Position, with_social: bool = False
) -> tuple[Figure, ...]:
    vanilla = planar.vanilla
    before = f"before {number(vanilla.balance.cost)}"
    ratio = position.balance.ratios.min()
    figures = [
        Figure("Balance cost, lower is fairer", number(position.balance.cost), "balance cost",
               f"{before}; worst cluster at {percent(float(ratio))} of its fair share"),
        Figure("Changed cluster", str(int(position.moved.sum())), "cluster",
               f"of {planar.data.n}"),
    ]  # fmt: skip
    if with_social:
        note = f"before {number(vanilla.social.cost)}"
        cost = number(position.social.cost)
        figures.insert(1, Figure("Social cost, lower is fairer", cost, "social cost", note))
    return tuple(figures)


def _alt(planar: PlanarProblem, position: Position, what: str) -> str:
    return (
        f"Plane with {planar.data.n} points of two groups and two clusters. {what} "
        f"{balance_sentence(position.balance, planar.data.group_names)}"
    )


def _shown(
    planar: PlanarProblem,
    position: Position,
    frame: Frame,
    dark: bool,
    sentence: str,
    social: bool = False,
) -> Shown:
    names = planar.data.group_names
    return Shown(
        sentence,
        _alt(planar, position, sentence.replace("**", "")),
        cluster_table(position.balance, names),
        _costs(planar, position, social),
        plane_scene(
            planar.data,
            frame,
            position.centers,
            before=planar.vanilla.centers,
            antidote=position.antidote,
            moved=position.moved,
            dark=dark,
        ),
        mix=mix_html(position.balance, names, dark),
    )


@lru_cache(maxsize=1)
def lloyd_rounds() -> tuple[Floats, ...]:
    """Centres (2, 2) of k-means on the blobs after 0, 1, 2... rounds, until nothing changes.

    It begins badly on purpose, at the two points farthest to the left.
    """
    points = load_dataset("blobs").points
    return tuple(descend(points, points[np.argsort(points[:, 0])[:2]]))


def _centre(value: int | str, dark: bool) -> Shown:
    data, rounds = load_dataset("blobs"), lloyd_rounds()
    step = int(value)
    labels, squared = nearest_center(data.points, rounds[step])
    distance, last = float(squared.mean()), len(rounds) - 1
    if step == 0:
        sentence = (
            "**Start:** two centres are guessed, here badly. Every point goes to the nearer one."
        )
    elif step < last:
        moved = float(np.linalg.norm(rounds[step] - rounds[step - 1], axis=1).max())
        sentence = (
            f"**Round {step}:** each centre moved to the average of its points (the farther one "
            f"by {number(moved, 2)}), then every point chose its nearer centre again."
        )
    else:
        sentence = "**The end:** each centre is the average of its points; nothing moves any more."
    sizes = np.bincount(labels, minlength=2)
    return Shown(
        sentence,
        f"Plane with {data.n} points and two centres. {sentence.replace('**', '')} The clusters "
        f"hold {sizes[0]} and {sizes[1]} points.",
        pd.DataFrame(
            {
                "cluster": ["cluster 1", "cluster 2"],
                "points": sizes,
                "centre x": rounds[step][:, 0],
                "centre y": rounds[step][:, 1],
            }
        ),
        (
            Figure("Average squared distance", number(distance, 2), "centre",
                   "what k-means makes small"),
            Figure("Points per cluster", f"{sizes[0]} and {sizes[1]}", "cluster", f"of {data.n}"),
        ),
        plane_scene(
            data, _frame_around(data.points), rounds[step],
            before=rounds[step - 1] if step else None, groups=False, dark=dark,
        ),
    )  # fmt: skip


def _groups(value: int | str, dark: bool) -> Shown:
    planar = planar_problem("blobs", "balance")
    vanilla, names = planar.vanilla, planar.data.group_names
    by_balance = value == "who is where"
    sentence = (
        balance_sentence(vanilla.balance, names)
        if by_balance
        else social_sentence(vanilla.social, names)
    )
    ratio = percent(float(vanilla.balance.ratios.min()))
    figures: tuple[Figure, ...]
    if by_balance:
        figures = (
            Figure("Balance cost, lower is fairer", number(vanilla.balance.cost), "balance cost",
                   f"−1 best, 0 worst: the worst cluster has {ratio} of its fair share"),
        )  # fmt: skip
    else:
        figures = tuple(
            Figure(f"{name}: squared distance", number(float(cost)), "social cost",
                   "decides: this is the social cost" if j == vanilla.social.group else "lower")
            for j, (name, cost) in enumerate(zip(names, vanilla.social.group_costs, strict=True))
        )  # fmt: skip
    return Shown(
        sentence,
        _alt(planar, vanilla, sentence),
        cluster_table(vanilla.balance, names)
        if by_balance
        else group_cost_table(vanilla.social, names),
        figures,
        plane_scene(
            planar.data,
            _frame_around(planar.data.points),
            vanilla.centers,
            spokes=None if by_balance else vanilla.labels,
            dark=dark,
        ),
        mix=mix_html(vanilla.balance, names, dark) if by_balance else "",
    )


def _one_point(value: int | str, dark: bool) -> Shown:
    planar = planar_problem("blobs", "balance")
    position = planar.position(_at(float(value), planar, 1))
    shift = np.linalg.norm(position.centers - planar.vanilla.centers, axis=1)
    pulled = int(shift.argmax())
    changed = int(position.moved.sum())
    crossing = "nobody changes cluster" if not changed else f"{changed} change cluster"
    sentence = (
        f"**One point among {planar.data.n}** pulls centre {pulled + 1} by "
        f"{number(float(shift[pulled]), 3)} and the border by about half of that: {crossing}."
    )
    return _shown(planar, position, _ends(ONE_POINT_AT, planar), dark, sentence, social=True)


@lru_cache(maxsize=1)
def grown() -> RunView:
    """A real run of Algorithm 2 on the blobs."""
    return fold(grow(GROWTH, cache=ProblemCache(compiled=False)))


def _rounds(value: int | str, dark: bool) -> Shown:
    planar, view = planar_problem("blobs", "balance"), grown()
    done = view.history[int(value) - 1]
    position = planar.position(done.antidote)
    target = number(view.target, 2)
    sentence = (
        f"**Round {value}: {done.size} points.** Of up to {GROWTH.budget} placements the best "
        f"costs {number(done.cost)}."
    )
    if not done.reached:
        sentence += f" Above the target of {target}, so {GROWTH.step} more points are allowed."
    elif view.verification is not None:
        sentence += (
            f" **At or below the target of {target}: done.** {view.verification.agreement} "
            "independent clusterings agree."
        )
    return _shown(planar, position, _frame_around(planar.data.points), dark, sentence)


def _wanted(value: int | str, dark: bool) -> Shown:
    view, plain = grown(), planar_problem("blobs", "balance").vanilla
    sizes = [0, *(done.size for done in view.history)]
    shares = [fair_share(plain), *(-done.cost for done in view.history)]
    wanted = int(value) / 100
    enough = next((i for i, share in enumerate(shares) if share >= wanted), None)
    reached = shares[-1 if enough is None else enough]
    asked = f"**At least {percent(wanted)} of the fair share in every cluster:**"
    if enough is None:
        sentence = (
            f"{asked} this run did not get there; its last round, with {points_text(sizes[-1])}, "
            f"stands at {percent(reached)}."
        )
    elif enough == 0:
        sentence = f"{asked} plain clustering has {percent(shares[0])} already; nothing to add."
    else:
        before = percent(shares[enough - 1])
        sentence = (
            f"{asked} {points_text(sizes[enough])} are enough ({percent(reached)}). "
            f"{points_text(sizes[enough - 1])} were not ({before})."
        )
    return Shown(
        sentence,
        "Chart of the fair share of the worst-served group against the number of antidote points. "
        + sentence.replace("**", ""),
        pd.DataFrame({"points": sizes, "fair share": shares}),
        (
            Figure("Points it takes", "more" if enough is None else str(sizes[enough]),
                   "antidote data", f"beside {len(plain.labels)} real ones"),
            Figure("Balance cost, lower is fairer", number(-reached), "balance cost",
                   f"target {number(-wanted, 2)}; before {number(-shares[0])}"),
        ),
        chart=share_figure(sizes, shares, wanted, enough, dark),
    )  # fmt: skip


def share_figure(
    sizes: Sequence[int],
    shares: Sequence[float],
    wanted: float,
    enough: int | None,
    dark: bool = False,
) -> go.Figure:
    """Fair share against points, what is wanted, and the first size that is `enough`."""
    figure = go.Figure()
    figure.add_scatter(
        x=list(sizes), y=list(shares), mode="lines+markers", name="best placement found",
        line={"color": ANTIDOTE, "shape": "hv", "width": 3}, marker={"size": 8},
        hovertemplate="%{x} points: %{y:.0%}<extra></extra>",
    )  # fmt: skip
    figure.add_hline(
        wanted, line={"color": ink(dark), "dash": "dash", "width": 2},
        annotation={"text": f"wanted: {percent(wanted)}", "font": {"size": 14}},
    )  # fmt: skip
    if enough is not None:
        figure.add_scatter(
            x=[sizes[enough]], y=[shares[enough]], mode="markers", name="enough",
            marker={"color": ANTIDOTE, "symbol": "star", "size": 20,
                    "line": {"width": 1.5, "color": ink(dark)}},
            hovertemplate="%{x} points are enough: %{y:.0%}<extra></extra>",
        )  # fmt: skip
    framed(figure, 320, 50)
    figure.update_xaxes(title="antidote points", fixedrange=True)
    figure.update_yaxes(
        title="fair share of the worst-served group", fixedrange=True, tickformat=".0%",
        range=[0.25, 0.8],
    )  # fmt: skip
    return figure


def _distance(value: int | str, dark: bool) -> Shown:
    planar = planar_problem("needs-distance", "balance")
    position = planar.position(_at(float(value), planar, TEN))
    others = [(m, planar.evaluate(_at(float(value), planar, m))) for m in OTHER_SIZES]
    listed = ", ".join(f"{points_text(m)} {number(cost)}" for m, cost in others)
    pull = "One cluster was taken by the antidote points alone. " if position.captured else ""
    sentence = (
        f"**{TEN} points at x = {value}:** balance cost {number(position.balance.cost)} instead "
        f"of {number(planar.vanilla.balance.cost)}. {pull}At the same place: {listed}."
    )
    return _shown(planar, position, _ends(DISTANCES, planar), dark, sentence)


def _capture(value: int | str, dark: bool) -> Shown:
    planar = planar_problem("blobs", "balance")
    copies = int(value)
    position = planar.position(_at(FAR, planar, copies))
    cost = number(position.balance.cost, 2)
    if position.captured:
        sentence = (
            f"**{points_text(copies)} at x = {FAR:g} took a centre for themselves.** All real "
            f"points share the other one, and the cost is {cost}, the worst there is. (Leaving the "
            "empty cluster out would look perfect. It is counted.)"
        )
    else:
        sentence = (
            f"**{points_text(copies)} at x = {FAR:g}:** balance cost {cost}. More points, more "
            "pull; go on."
        )
    return _shown(
        planar, position, _frame_around(planar.data.points, _at(FAR, planar, 1)), dark, sentence
    )


@lru_cache(maxsize=8)
def costs_by_seed(starts: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Balance cost of "two optima" for 20 seeds: as it is, and with one point in its middle."""
    data = load_dataset("two-optima")
    fit = get_clustering("kmeans").fitted
    with_point = np.vstack([data.points, data.points.mean(axis=0)])
    costs = tuple(
        tuple(
            balance_cost(
                fit(points, k=2, restarts=starts, seed=seed).centers, data.points, data.groups
            )
            for seed in range(1, SEEDS + 1)
        )
        for points in (data.points, with_point)
    )
    return costs[0], costs[1]


def _noise(value: int | str, dark: bool) -> Shown:
    starts = int(value)
    vanilla, added = costs_by_seed(starts)
    low, high = min(vanilla), max(vanilla)
    gain = max(vanilla) - min(added)
    each = "one start" if starts == 1 else f"the best of {starts} starts"
    if high - low > 1e-6:
        sentence = (
            f"**With {each}, the seed alone moves plain clustering between {number(low, 2)} and "
            f"{number(high, 2)}.** Whoever compares an unlucky seed without the point and a lucky "
            f"one with it can report a gain of {number(gain, 2)}. It is luck."
        )
    else:
        sentence = (
            f"**With {each}, plain clustering gives {number(low, 2)} for every seed:** no noise. "
            + (
                "The extra point changes nothing, and now it shows."
                if max(abs(cost - low) for cost in added) < 1e-6
                else "What the extra point does is its own doing."
            )
        )
    ends = list(dict.fromkeys((number(low, 2), number(high, 2))))
    span = " to ".join(ends) if len(ends) > 1 else f"always {ends[0]}"
    seeds = list(range(1, SEEDS + 1))
    return Shown(
        sentence,
        f"Chart of the balance cost for {SEEDS} seeds. {sentence.replace('**', '')}",
        pd.DataFrame({"seed": seeds, "plain": vanilla, "with one point": added}),
        (
            Figure("Plain clustering, from seed to seed", span, "noise", f"over {SEEDS} seeds"),
            Figure("Gain somebody could claim", number(gain, 2), "cost", "with one useless point"),
        ),
        chart=noise_figure(vanilla, added, dark),
    )  # fmt: skip


def noise_figure(vanilla: Sequence[float], added: Sequence[float], dark: bool = False) -> go.Figure:
    """Costs by seed, without and with a point, and the band that plain clustering fills."""
    seeds = list(range(1, len(vanilla) + 1))
    figure = go.Figure()
    figure.add_hrect(min(vanilla), max(vanilla), fillcolor=VANILLA, opacity=0.15, line_width=0)
    # Side by side, because most pairs have the same cost.
    for name, costs, aside, color, symbol in (
        ("plain clustering", vanilla, -0.2, VANILLA, "circle"),
        ("with one useless point", added, 0.2, ANTIDOTE, "star"),
    ):
        figure.add_scatter(
            x=[seed + aside for seed in seeds], y=list(costs), mode="markers", name=name,
            customdata=seeds,
            marker={"color": color, "symbol": symbol, "size": 11,
                    "line": {"width": 1, "color": ink(dark)}},
            hovertemplate=name + ", seed %{customdata}: %{y:.3f}<extra></extra>",
        )  # fmt: skip
    framed(figure, 320, 50)
    figure.update_xaxes(title="seed", fixedrange=True, dtick=5, range=[0, len(vanilla) + 1])
    figure.update_yaxes(title="balance cost, lower is fairer", fixedrange=True, range=[-1.08, 0.08])
    return figure


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "centre",
        "What a centre is",
        "Clustering looks for places that stand for many points. k-means knows one trick and "
        "repeats it: every point goes to its nearest centre, and every centre moves to the "
        "average of its points.",
        "Rounds of k-means",
        lambda: tuple(range(len(lloyd_rounds()))),
        0,
        _centre,
        "A centre is an average. The border lies half-way between two centres.",
    ),
    Lesson(
        "groups",
        "What the groups get",
        "Now look at who the points are. The clustering never saw the groups, and still it "
        "treats them differently. There are two ways to ask how.",
        "Ask for",
        lambda: ("who is where", "how far they have it"),
        "who is where",
        _groups,
        "Balance asks whether every cluster is mixed like the whole. Social cost asks "
        "what the worst-placed group pays. Both are costs: lower is fairer.",
    ),
    Lesson(
        "one-point",
        "What one extra point does",
        "Put one made-up point beside the real ones and run the same clustering again. The "
        "point joins a cluster, and that cluster's average moves a little towards it.",
        "Where the point lies (x)",
        lambda: ONE_POINT_AT,
        2,
        _one_point,
        "A point pulls its centre by its distance divided by the size of the cluster. "
        "One is rarely enough.",
    ),
    Lesson(
        "algorithm",
        "What Algorithm 2 does",
        f"It allows {GROWTH.start_size} points and tries many placements. If the best of them "
        f"still costs more than the target ({number(float(GROWTH.target), 1)}), it allows "
        f"{GROWTH.step} more and goes on. This is a real run, just done.",
        "Round",
        lambda: tuple(range(1, len(grown().history) + 1)),
        1,
        _rounds,
        "Try, compare with the target, grow: it stops at the first size that is enough.",
    ),
    Lesson(
        "distance",
        "Why size and distance matter",
        "A stripe of group B stands just right of the border. Ten antidote points stay "
        "together while you move them away from the data.",
        "Where the ten points lie (x)",
        lambda: DISTANCES,
        1,
        _distance,
        "Pull is number times distance. Few points must lie far out, where no real point is; "
        "many may stay near.",
    ),
    Lesson(
        "capture",
        "What can go wrong: V takes a centre",
        "If more is better, why not many more? Antidote data (V) lie here far to the right. "
        "Add copies one by one and watch what k-means does with its second centre.",
        "How many copies",
        lambda: COPIES,
        4,
        _capture,
        "Beyond a certain pull the cheapest clustering gives V a centre of its own. So "
        "every claim here is checked by clustering everything again.",
    ),
    Lesson(
        "noise",
        "What can go wrong: a gain inside the noise",
        "These data split in two almost equally good ways, one unfair, one fair. Which one "
        "k-means finds depends on where it starts, that is, on the seed. One antidote point in "
        "the very middle does nothing at all; can you see that it does nothing?",
        "Starts per clustering, the best counts",
        lambda: STARTS,
        1,
        _noise,
        "A gain counts only when it is larger than what plain clustering does by itself "
        "from seed to seed.",
    ),
    Lesson(
        "wanted",
        "How fair is fair enough?",
        "Somebody has to say what is wanted: that is the target. Below is the run of step 4, round "
        "by round. Ask for more fairness and see what it takes.",
        "Fair share wanted, in percent",
        lambda: WANTED,
        WANTED[1],
        _wanted,
        "More fairness takes more points, and not evenly: two more may gain nothing or much. "
        "Four fifths (80 %) is a common rule of thumb, a choice and no law of nature.",
    ),
)
