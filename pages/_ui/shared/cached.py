"""Data and results that pages share; what comes from a table of one's own stays with its owner."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import antidote_core as ac
from antidote_core.analysis.snapshots import VanillaReport, vanilla_report
from antidote_core.projection import Plane, fit_plane
from antidote_core.teaching.planar import Story, tell_story
from pages._ui.data import own_tables
from pages._ui.shared import rooms
from pages._ui.shared.background import patience
from pages._ui.shared.settings import ClusteringSettings, DataSettings


def load(settings: DataSettings) -> ac.Dataset:
    """The data set asked for; a long load tells its progress on the page."""
    if own_tables.is_own(settings.name):
        return own_tables.load(settings.name, settings.sample, settings.seed)
    return rooms.ROOMS.everyone.kept("data", settings, lambda: _loaded(settings), most=2)


def _loaded(settings: DataSettings) -> ac.Dataset:
    note = st.empty()
    with st.spinner("Loading the data…"):
        data = ac.load_dataset(
            settings.name,
            protected=settings.protected,
            rows=settings.rows,
            sample=settings.sample,
            seed=settings.seed,
            progress=lambda text: _say(note, text),
        )
    note.empty()
    return data


def _say(place: DeltaGenerator, text: str) -> None:
    place.caption(text)


def plain(data: ac.Dataset, choice: ClusteringSettings) -> VanillaReport:
    def make() -> VanillaReport:
        return vanilla_report(data, choice.clustering, choice.k, choice.restarts, choice.seed)

    room = rooms.room(own_tables.is_own(data.name))
    with patience():
        return room.kept("plain", (data.content_hash, choice), make, most=8, note="Clustering…")


def plane(data: ac.Dataset) -> Plane:
    room = rooms.room(own_tables.is_own(data.name))
    return room.kept(
        "plane", data.content_hash, lambda: fit_plane(data.points, data.feature_names), most=8
    )


def story() -> Story:
    with patience():
        return rooms.ROOMS.everyone.kept("story", (), tell_story, most=1)
