"""One step of a run: who is where, the antidote points as a table, and UMAP of U and V together."""

from functools import partial

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.snapshots import (
    FEW,
    Snapshot,
    group_intervals,
    snapshot,
    vanilla_tables,
)
from antidote_core.fairness import get_fairness
from antidote_core.reporting.figures import bars, maps, tables
from antidote_core.reporting.text import words
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.runs.verdict import cost_digits
from pages._ui.jobs import store
from pages._ui.shared.frame import MODEBAR, behind, is_dark
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL
from pages._ui.stage_blocks import await_map


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
