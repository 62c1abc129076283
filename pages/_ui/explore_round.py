"""One step of a run: the map of U ∪ V, who is where, and the antidote points as a table."""

import streamlit as st

import antidote_core as ac
from antidote_core.engine import default_home
from antidote_core.reporting import bars, run_bars, tables, words
from antidote_core.reporting.handover import antidote_table, extreme_sentence
from antidote_core.reporting.run_map import (
    COLORINGS,
    Picture,
    features_picture,
    flat_picture,
    joint_picture,
    layout_picture,
    run_map_figure,
)
from antidote_core.reporting.snapshots import (
    Snapshot,
    answer_step,
    plain_tables,
    snapshot,
    steps,
)
from antidote_core.reporting.verdict import cost_digits, share_of_data
from pages._ui import cached, run_jobs, run_store
from pages._ui.settings import URL
from pages._ui.show import MODEBAR, attempt, is_dark

PROJECTIONS = ("umap", "pca", "features")


def slider(view: ac.RunView) -> int | None:
    """Which step of an ended run to look at; None when there is nothing to choose."""
    found = steps(view)
    if len(found) < 2:
        return None
    answer = answer_step(view)
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
        f"{words.number(step.cost, digits)}.{mark}"
    )
    return chosen


def map_options(data: ac.Dataset) -> tuple[str, str, tuple[int, int]]:
    """Projection, colouring and the two features, chosen above the map."""
    flat = data.points.shape[1] == 2
    bar = st.container(horizontal=True)
    projection = bar.segmented_control(
        "Map by", ["features", "umap"] if flat else list(PROJECTIONS),
        default="features" if flat else "umap", required=True, key="projection", bind=URL,
    )  # fmt: skip
    color = bar.segmented_control(
        "Colour by", list(COLORINGS), default="group", required=True, key="color", bind=URL
    )
    features = (0, 1)
    if projection == "features" and not flat:
        names = list(data.feature_names)
        left, right = st.columns(2)
        x = left.selectbox("Across", names, index=0, key="x", bind=URL)
        y = right.selectbox("Up", names, index=1, key="y", bind=URL)
        features = (names.index(x), names.index(y))
    return projection, color, features


def run_map(run_id: str, working: bool, options: tuple, step: int | None) -> None:
    """The map at one step, at the latest one while the run works."""
    shot, data, index = _shot(run_id, step)
    if shot is None:
        st.info("The map appears when plain clustering is done.")
        return
    projection, color, features = options
    key = (run_id, str(default_home()), index, projection, color, features, is_dark())
    if projection == "umap":
        layout, computing = run_jobs.layout_of(data)
        if layout is None:
            key = (*key[:3], "pca", *key[4:])
            st.caption(
                "The UMAP layout of these data is being computed in the background (about half a "
                "minute, once); meanwhile PCA." if computing
                else "The UMAP layout could not be computed; this is PCA."
            )  # fmt: skip
    figure, caption = _figure(key, data, shot)
    st.plotly_chart(figure, key="run-map", config=MODEBAR, alt=caption)
    st.caption(caption)


@st.cache_resource(max_entries=48, show_spinner=False)
def _figure(key: tuple, _data: ac.Dataset, _shot: Snapshot) -> tuple:
    run_id, _, _, projection, color, features, dark = key
    picture = _picture(run_id, projection, features, _data, _shot)
    return run_map_figure(_data, _shot, picture, color, dark), picture.caption


def _picture(
    run_id: str, projection: str, features: tuple, data: ac.Dataset, shot: Snapshot
) -> Picture:
    spec = run_store.status_of(run_id).spec
    if projection == "features":
        return features_picture(data, spec, shot, features)
    if projection == "umap":
        layout, _ = run_jobs.layout_of(data)
        if layout is not None:
            return layout_picture(data, shot, layout)
    return flat_picture(data, spec, shot, cached.plane(data))


def joint_map(run_id: str, color: str, step: int | None) -> None:
    """On request: UMAP of U and V together, beside the frozen one."""
    shot, data, _ = _shot(run_id, step)
    if shot is None or not len(shot.step.antidote):
        return
    asked = st.toggle(
        "Also fit UMAP to U and V together", key="joint", bind=URL,
        help="Computed in the background. V is then free to form its own island.",
    )  # fmt: skip
    if not asked:
        return
    layout, computing = run_jobs.joint_of(data, shot.step.antidote, begin=True)
    if layout is not None:
        picture = joint_picture(data, shot, layout)
        figure = run_map_figure(data, shot, picture, color, is_dark())
        st.plotly_chart(figure, key="joint-map", config=MODEBAR, alt=picture.caption)
        st.caption(picture.caption)
    elif computing:
        st.fragment(_await_joint, run_every=1.0)(data, shot.step.antidote)
    else:
        st.caption("The joint UMAP could not be computed.")


def _await_joint(data: ac.Dataset, antidote) -> None:
    st.caption("UMAP of U and V together is being computed (about half a minute)…")
    if not run_jobs.joint_of(data, antidote, begin=False)[1]:
        st.rerun()


def who_is_where(run_id: str, working: bool, fairness: str, step: int | None) -> None:
    """The table behind the cost, as bars: cluster mix, or what each group pays."""
    shot, data, _ = _shot(run_id, step)
    if shot is None:
        return
    names, dark = data.group_names, is_dark()
    view = run_store.runner().view(run_id)
    old_balance, old_social = plain_tables(view)
    if fairness == "balance":
        st.subheader("Who is in which cluster", anchor=False)
        figure = bars.cluster_mix_figure(shot.balance, names, dark)
        sentence = words.balance_sentence(shot.balance, names)
        table = tables.cluster_table(shot.balance, names)
        before = words.balance_sentence(old_balance, names)
    else:
        st.subheader("What each group pays", anchor=False)
        digits = cost_digits(view)
        figure = run_bars.cost_pair_figure(old_social, shot.social, names, digits)
        sentence = words.social_sentence(shot.social, names)
        table = run_bars.cost_pair_table(old_social, shot.social, names)
        before = words.social_sentence(old_social, names)
    st.plotly_chart(figure, key="who", config={"displayModeBar": False}, alt=sentence)
    if len(shot.step.antidote):
        st.caption(f"Now: {sentence}  \nBefore: {before}")
    else:
        st.caption(sentence)
    with st.expander("The numbers behind this chart"):
        st.dataframe(table, hide_index=True)


def points_table(run_id: str, step: int | None) -> None:
    """V in original units."""
    shot, data, index = _shot(run_id, step)
    if shot is None or not len(shot.step.antidote):
        return
    st.subheader("The antidote points, in original units", anchor=False)
    view = run_store.runner().view(run_id)
    warning = extreme_sentence(data, view)
    if warning and index == answer_step(view):
        st.warning(warning, icon="⚠️")
    table = antidote_table(data, shot.step.antidote)
    st.dataframe(table, hide_index=True, height=min(35 * (len(table) + 1) + 3, 280))
    st.caption(
        "Points that occur several times stand in one row. Distances are in standard deviations, "
        "over all features together."
    )


def _shot(run_id: str, step: int | None) -> tuple[Snapshot | None, ac.Dataset | None, int]:
    """The chosen step, or the latest one."""
    view = attempt(run_store.runner().view, run_id)
    data = attempt(run_store.run_data, run_id)
    if view is None or data is None or not view.vanilla:
        return None, data, 0
    last = len(steps(view)) - 1
    index = last if step is None else min(step, last)
    home = str(default_home())
    # The number of rounds is part of the key: a restarted run begins anew under the same id.
    shot = _snapshot((run_id, home, index, len(steps(view)[index].antidote)), data, run_id, index)
    return shot, data, index


@st.cache_resource(max_entries=64, show_spinner=False)
def _snapshot(key: tuple, _data: ac.Dataset, _run_id: str, _index: int) -> Snapshot:
    view = run_store.runner().view(_run_id)
    return snapshot(_data, run_store.status_of(_run_id).spec, view, _index)
