"""One step of a run: the map of U ∪ V, who is where, and the antidote points as a table."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core import numerals
from antidote_core.analysis.snapshots import Snapshot, snapshot, vanilla_tables
from antidote_core.fairness import get_fairness
from antidote_core.numerals import share_of_data
from antidote_core.projection.layout import Layout
from antidote_core.reporting.figures import bars, maps, tables
from antidote_core.reporting.text import words
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.runs.verdict import cost_digits
from pages._ui.jobs import store
from pages._ui.shared import answers
from pages._ui.shared.frame import MODEBAR, behind, is_dark
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL

PROJECTIONS = ("umap", "pca", "features")
MAP_HEIGHT = 330  # pixels


def slider(view: ac.RunView) -> int | None:
    """Which step of an ended run to look at; None when there is nothing to choose."""
    found = view.steps
    if len(found) < 2:
        return None
    answer = view.answer_index
    chosen = st.slider(
        "Look at round", 0, len(found) - 1, answer, key="round", bind=URL,
        help="0 is plain clustering, before anything was added.",
    )  # fmt: skip
    step = found[chosen]
    digits = cost_digits(view)
    mark = " This is the result of the run." if chosen == answer else ""
    st.caption(
        f"**{step.title}:** {len(step.antidote):,} antidote points "
        f"({share_of_data(len(step.antidote), view.points)} of the data), cost "
        f"{numerals.number(step.cost, digits)}.{mark}"
    )
    return chosen


def map_options(data: ac.Dataset) -> tuple[str, str, tuple[int, int]]:
    """Projection, colouring and the two features, chosen above the map."""
    flat = data.points.shape[1] == 2
    bar = st.container(horizontal=True)
    projection = bar.segmented_control(
        "Map by", ["features", "umap"] if flat else list(PROJECTIONS),
        default="features" if flat else "umap", required=True, key="projection", bind=URL,
        label_visibility="collapsed",
    )  # fmt: skip
    color = bar.segmented_control(
        "Colour by", list(maps.COLORINGS), default="group", required=True, key="paint", bind=URL,
        label_visibility="collapsed",
    )  # fmt: skip
    features = (0, 1)
    if projection == "features" and not flat:
        names = list(data.feature_names)
        left, right = st.columns(2)
        x = left.selectbox("Across", names, index=0, key="x", bind=URL)
        y = right.selectbox("Up", names, index=1, key="y", bind=URL)
        features = (names.index(x), names.index(y))
    return projection, color, features


def shot(
    run_id: str, spec: ac.RunSpec, view: ac.RunView, data: ac.Dataset, step: int | None
) -> Snapshot | None:
    """The chosen step of the run, or the latest one; None before plain clustering is known."""
    found = view.steps
    if not found:
        return None
    index = len(found) - 1 if step is None else min(step, len(found) - 1)
    return store.room_of(run_id).kept(
        "snapshot", (run_id, index, found[index].cost), lambda: snapshot(data, spec, view, index),
        most=16, note="Clustering…",
    )  # fmt: skip


def run_map(
    run_id: str, data: ac.Dataset, spec: ac.RunSpec, shot: Snapshot | None, options: tuple
) -> None:
    """The map of U ∪ V at one step."""
    if shot is None:
        with st.container(height=430, border=True):
            st.markdown("The map appears when plain clustering is done.")
        return
    projection, color, features = options
    layout = None
    if projection == "umap":
        folder = store.layouts_of(run_id)
        layout, computing = store.LAYOUTS.of(data, folder)
        if layout is None:
            projection = "pca"
            _say_umap(data, folder, computing)
    how = (projection, color, features, is_dark())
    figure, caption = store.room_of(run_id).kept(
        "map", (run_id, shot.step.title, shot.step.cost, how),
        lambda: _drawn(how, data, spec, shot, layout), most=12,
    )  # fmt: skip
    st.plotly_chart(figure, key="run-map", config=MODEBAR, alt=caption, height=MAP_HEIGHT)
    st.caption(caption)


def _say_umap(data: ac.Dataset, folder: Path, computing: bool) -> None:
    if not computing:
        st.caption("The UMAP layout of these data could not be computed; this is PCA.")
        return
    st.caption(
        "The UMAP layout of these data is being computed in the background (about half a minute, "
        "once); meanwhile PCA."
    )
    st.fragment(_await, run_every=2.0)(lambda: store.LAYOUTS.of(data, folder)[1])


def _await(computing: Callable[[], bool], note: str = "") -> None:
    """Run the page again when the map is there, or cannot be had."""
    if note:
        st.caption(note)
    if not computing():
        st.rerun()


def _drawn(
    how: tuple[str, str, tuple[int, int], bool],
    data: ac.Dataset,
    spec: ac.RunSpec,
    shot: Snapshot,
    layout: Layout | None,
) -> tuple[Any, str]:
    projection, color, features, dark = how
    if layout is not None:
        picture = maps.layout_picture(data, shot, layout)
    elif projection == "features":
        picture = maps.features_picture(data, spec, shot, features)
    else:
        picture = maps.flat_picture(data, spec, shot, answers.plane(data))
    return maps.run_map_figure(data, shot, picture, color, dark), picture.caption


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
        figure = maps.run_map_figure(data, shot, picture, "group", is_dark())
        st.plotly_chart(figure, key="joint-map", config=MODEBAR, alt=picture.caption)
        st.caption(picture.caption)
    elif computing:
        note = "UMAP of U and V together is being computed (about half a minute)…"
        joint = partial(store.LAYOUTS.joint, data, shot.step.antidote, folder, begin=False)
        st.fragment(_await, run_every=1.0)(lambda: joint()[1], note)
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
