"""The moving picture of a run: curve and map side by side, and the player below them.

The browser draws and plays it by itself. It is handed U once per map, every step of the run once,
and what is said about them; a page that is drawn again sends nothing that is known already.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.snapshots import Moves, moves, shown_steps, snapshot
from antidote_core.clustering import get_clustering
from antidote_core.places import ROWS
from antidote_core.reporting.documents.page import template
from antidote_core.reporting.figures import comparisons, stage
from antidote_core.reporting.figures.maps import COLORINGS
from pages._ui.jobs import store
from pages._ui.jobs.job_blocks import latest
from pages._ui.shared import answers
from pages._ui.shared.frame import is_dark
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
