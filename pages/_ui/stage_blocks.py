"""The moving picture of a run: curve and map side by side, the player below; and one step of it.

The browser draws and plays it by itself. It is handed U once per map, every step of the run once,
and what is said about them; a page that is drawn again sends nothing that is known already. Of one
step: who is where, the antidote points as a table, and UMAP of U and V together.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.snapshots import (
    FEW,
    Moves,
    Snapshot,
    group_intervals,
    moves,
    shown_steps,
    snapshot,
    vanilla_tables,
)
from antidote_core.clustering import get_clustering
from antidote_core.fairness import get_fairness
from antidote_core.places import ROWS
from antidote_core.reporting.documents.page import template
from antidote_core.reporting.figures import bars, comparisons, maps, stage, tables
from antidote_core.reporting.figures.maps import COLORINGS
from antidote_core.reporting.text import words
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.runs.verdict import cost_digits
from pages._ui.jobs import store
from pages._ui.jobs.job_blocks import latest
from pages._ui.shared import answers
from pages._ui.shared.frame import MODEBAR, behind, is_dark
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL

PROJECTIONS = ("umap", "pca", "features")
SECONDS = 0.5  # between two looks at a live run
STEPS, PARCELS, GROUNDS = 512, 64, 6  # kept per room
WATCHED = "_watched"  # the run that was seen at work on this page


_picture = st.components.v2.component(
    "antidote_stage",
    html=template("stage.html"),
    css=template("stage.css"),
    js=template("stage.js"),
)
_hand_over = st.components.v2.component("antidote_stage_data", js=template("stage_data.js"))


def draw(
    run_id: str, data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView, live: bool,
    fair: dict[str, float],
) -> None:  # fmt: skip
    """The run as it plays; `fair` are costs known before the run says them itself."""
    if not view.steps:
        with st.container(height=300, border=True):
            st.markdown("The picture appears when plain clustering is done.")
        return
    if live:
        st.session_state[WATCHED] = run_id
    with st.container(key="stage", gap=None):
        place = st.container(gap=None)
        projection, color, features = _options(data, spec.place)
        projection = _drawable(run_id, data, projection)
        ground = _ground(run_id, data, spec, projection, features)
        with place:
            _picture(key="stage-picture", data={"run": run_id})
            points = store.room_of(run_id).kept(
                "stage points", (run_id, ground.key),
                lambda: stage.points_parcel(
                    run_id, data, ground, snapshot(data, spec, view, 0).labels
                ), most=GROUNDS,
            )  # fmt: skip
            _hand_over(key="stage-points", data=points)
            sent = shown_steps(len(view.steps), view.answer_index)
            for parcel in _parcels(run_id, data, spec, view, ground, sent, 0):
                _hand_over(key=f"stage-steps-{parcel['first']}", data=parcel)
            # Streamlit keeps what a fragment is given as long as the page: nothing of the data.
            st.fragment(_follow, run_every=SECONDS if live else None)(
                run_id, projection, features, sent, color, fair
            )
    far = stage.far_sentence(data, view.steps[view.answer_index])
    st.caption(f"{far} {ground.caption}" if far else ground.caption)


def _options(data: ac.Dataset, place: str) -> tuple[str, str, tuple[int, int]]:
    """Projection, colouring and the two features, chosen below the picture.

    UMAP puts V beside its nearest real points, however far it is: not the first choice in a box.
    """
    flat = data.points.shape[1] == 2
    usual = "features" if flat else "umap" if place == ROWS else "pca"
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    projection = bar.segmented_control(
        "Map by", ["features", "umap"] if flat else list(PROJECTIONS),
        default=usual, required=True, key="projection", bind=URL,
    )  # fmt: skip
    color = bar.segmented_control(
        "Colour by", list(COLORINGS), default="group", required=True, key="paint", bind=URL
    )
    if projection != "features" or flat:
        return projection, color, (0, 1)
    names = list(data.feature_names)
    x = bar.selectbox("Across", names, index=0, key="x", bind=URL, width=180)
    y = bar.selectbox("Up", names, index=1, key="y", bind=URL, width=180)
    return projection, color, (names.index(x), names.index(y))


def _drawable(run_id: str, data: ac.Dataset, projection: str) -> str:
    """The projection that was asked for; "pca" while a UMAP layout is computed."""
    if projection != "umap":
        return projection
    layout, computing = store.LAYOUTS.of(data, store.layouts_of(run_id))
    if layout is not None:
        return projection
    _say_umap(run_id, computing)
    return "pca"


def _ground(
    run_id: str, data: ac.Dataset, spec: ac.RunSpec, projection: str, features: tuple[int, int]
) -> stage.Ground:
    """The map, made once."""

    def made() -> stage.Ground:
        if projection == "umap":
            layout, _ = store.LAYOUTS.of(data, store.layouts_of(run_id))
            assert layout is not None
            return stage.layout_ground(data, layout)
        if projection == "features":
            return stage.features_ground(data, spec, features)
        return stage.plane_ground(data, spec, answers.plane(data))

    key = (run_id, projection, features)
    return store.room_of(run_id).kept("stage ground", key, made, most=GROUNDS)


def _say_umap(run_id: str, computing: bool) -> None:
    if not computing:
        st.caption("The UMAP layout of these data could not be computed; this is PCA.")
        return
    st.caption(
        "The UMAP layout of these data is being computed in the background (about half a minute, "
        "once); meanwhile PCA."
    )

    def still() -> bool:
        return store.LAYOUTS.of(store.data_of(run_id), store.layouts_of(run_id))[1]

    st.fragment(await_map, run_every=2.0)(still)


def await_map(computing: Callable[[], bool], note: str = "") -> None:
    """Run the page again when the map is there, or cannot be had."""
    if note:
        st.caption(note)
    if not computing():
        st.rerun()


def _follow(
    run_id: str, projection: str, features: tuple[int, int], sent: list[int], color: str,
    fair: dict[str, float],
) -> None:  # fmt: skip
    """The steps since the page was drawn, and what is said about all, while the run works.

    The page has `sent` the steps before them, in a place of their own: what takes the place of
    something before the browser has looked at it is lost.
    """
    found = latest(store.RUN, run_id)
    if found is None:
        return
    status, view = found
    spec, data = status.spec, store.data_of(run_id)
    assert isinstance(spec, ac.RunSpec)
    ground = _ground(run_id, data, spec, projection, features)
    shown = shown_steps(len(view.steps), view.answer_index)
    begin = len(sent) if shown[: len(sent)] == sent else 0
    known = _parcels(run_id, data, spec, view, ground, shown[:begin], 0)
    new = _parcels(run_id, data, spec, view, ground, shown, begin)
    stored = ""
    if not status.live and st.session_state.get(WATCHED) != run_id and status.ended:
        stored = stage.stored_sentence(status.ended)
    show = stage.show_parcel(
        run_id, data, spec, view, shown, ground, stage.map_axes(ground, [*known, *new]),
        fair=comparisons.baseline_costs(view, spec.fairness) or fair, live=view.state.live,
        color=color, stored=stored, dark=is_dark(),
    )  # fmt: skip
    with st.container(gap=None, key="stage-data"):
        _hand_over(key="stage-show", data=show)
        for parcel in new:
            _hand_over(key=f"stage-new-{parcel['first']}", data=parcel)


def _parcels(
    run_id: str, data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView, ground: stage.Ground,
    shown: list[int], begin: int,
) -> list[dict[str, Any]]:  # fmt: skip
    """The steps `shown` from `begin` on; made once, however often they are drawn."""
    room = store.room_of(run_id)
    found = [_moves(run_id, data, spec, view, index) for index in shown]
    parcels = []
    for first in range(begin, len(shown), stage.PER_PARCEL):
        end = min(first + stage.PER_PARCEL, len(shown))
        key = (run_id, ground.key, tuple((i, view.steps[i].cost) for i in shown[:end]), first)
        made = partial(stage.step_parcel, run_id, data, found[:end], ground, first)
        parcels.append(room.kept("stage steps", key, made, most=PARCELS))
    return parcels


def _moves(run_id: str, data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView, index: int) -> Moves:
    """What a step changes; computed once, however often it is drawn."""
    room = store.room_of(run_id)

    def made() -> Moves:
        problem = None
        if not get_clustering(spec.clustering).by_nearest_center:
            problem = room.kept("stage problem", run_id, lambda: ac.Problem.of(spec, data), most=2)
        return moves(snapshot(data, spec, view, index, problem))

    key = (run_id, index, view.steps[index].cost)
    return room.kept("stage moves", key, made, most=STEPS)


def shot(
    run_id: str, spec: ac.RunSpec, view: ac.RunView, data: ac.Dataset, live: bool
) -> Snapshot | None:
    """The answer of the run, or the latest step of one at work; None before plain clustering."""
    found = view.steps
    if not found:
        return None
    index = len(found) - 1 if live else view.answer_index
    return store.room_of(run_id).kept(
        "snapshot", (run_id, index, found[index].cost), lambda: snapshot(data, spec, view, index),
        most=16, note="Clustering…",
    )  # fmt: skip


def joint_map(run_id: str, data: ac.Dataset, shot: Snapshot) -> None:
    """On request: UMAP of U and V together, beside the frozen one."""
    if not len(shot.step.antidote):
        return
    asked = st.toggle(
        "Also fit UMAP to U and V together", key="joint", bind=URL,
        help="Computed in the background. V is then free to form its own island.",
    )  # fmt: skip
    if not asked:
        return
    folder = store.layouts_of(run_id)
    layout, computing = store.LAYOUTS.joint(data, shot.step.antidote, folder, begin=True)
    if layout is not None:
        picture = maps.joint_picture(data, shot, layout)
        color = st.session_state.get("paint", "group")
        figure = maps.run_map_figure(data, shot, picture, color, is_dark())
        st.plotly_chart(figure, key="joint-map", config=MODEBAR, alt=picture.caption)
        st.caption(picture.caption)
    elif computing:
        note = "UMAP of U and V together is being computed (about half a minute)…"
        joint = partial(store.LAYOUTS.joint, data, shot.step.antidote, folder, begin=False)
        st.fragment(await_map, run_every=1.0)(lambda: joint()[1], note)
    else:
        st.caption("The joint UMAP could not be computed.")


def who_is_where(data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView, shot: Snapshot) -> None:
    """The table behind the cost, as bars: cluster mix, or what each group pays."""
    names, dark = data.group_names, is_dark()
    old_balance, old_social = vanilla_tables(view)
    if get_fairness(spec.fairness).by_mix:
        figure = bars.cluster_mix_figure(shot.balance, names, dark)
        sentence = words.balance_sentence(shot.balance, names)
        table = tables.cluster_table(shot.balance, names)
        before = words.balance_sentence(old_balance, names)
    else:
        digits = cost_digits(view)
        figure = bars.cost_pair_figure(old_social, shot.social, names, digits)
        sentence = words.social_sentence(shot.social, names)
        table = bars.cost_pair_table(old_social, shot.social, names)
        before = words.social_sentence(old_social, names)
    st.plotly_chart(figure, key="who", config={"displayModeBar": False}, alt=sentence)
    if len(shot.step.antidote):
        st.caption(f"Now: {escape(sentence)}  \nBefore: {escape(before)}")
    else:
        st.caption(escape(sentence))
    sizes = bars.cluster_sizes(shot.balance)
    if "only" in sizes:
        st.warning(sizes, icon="⚠️")
    else:
        st.caption(sizes)
    behind(table)
    _how_sure(data, spec, shot)


def _how_sure(data: ac.Dataset, spec: ac.RunSpec, shot: Snapshot) -> None:
    """Every number of a group with its interval, and a word where few people are counted."""
    names, found = data.group_names, group_intervals(data, shot.labels, shot.centers, spec.seed)
    few = words.few_people(found.people, names, FEW)
    if few:
        st.warning(escape(few), icon="⚠️")
    st.markdown("**How sure the numbers of each group are**")
    st.dataframe(tables.interval_table(found, shot.balance, names), hide_index=True)
    st.dataframe(tables.cost_interval_table(found, shot.social, names), hide_index=True)
    st.caption(words.INTERVALS)


def points_table(run_id: str, data: ac.Dataset, shot: Snapshot) -> None:
    """V in original units."""
    if not len(shot.step.antidote):
        st.caption("Plain clustering: nobody was added.")
        return
    st.markdown("**The antidote points, in original units**")
    key = (run_id, shot.step.title, shot.step.cost, len(shot.step.antidote))
    antidote = shot.step.antidote
    table, warning = store.room_of(run_id).kept(
        "points", key,
        lambda: (
            tables.antidote_table(data, antidote), extreme_sentence(data.points, antidote)
        ), most=16,
    )  # fmt: skip
    if warning:
        st.warning(warning, icon="⚠️")
    st.dataframe(table, hide_index=True, height=min(35 * (len(table) + 1) + 3, 280))
    st.caption(
        "Points that occur several times stand in one row. Distances are in standard deviations, "
        "over all features together; beside them, how many times the usual distance between real "
        "neighbours (their median) that is."
    )
