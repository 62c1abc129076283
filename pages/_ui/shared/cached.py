"""Data and results kept on the server, shared by all visitors; nobody may change what they return.

What comes from a table of somebody's own is kept for that session only.

Results are keyed by the content hash of the data: Streamlit would look only at a part of a large
array.
"""

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.vanilla import VanillaReport, vanilla_report
from antidote_core.projection import Plane, fit_plane
from antidote_core.teaching.planar import Story, tell_story
from pages._ui.data import own_tables
from pages._ui.shared.background import patience
from pages._ui.shared.settings import ClusteringSettings, DataSettings

KEPT_DATASETS = 8


@st.cache_resource(show_spinner=False)
def _kept() -> dict[DataSettings, ac.Dataset]:
    return {}


def load(settings: DataSettings) -> ac.Dataset:
    """The data set asked for; a long load tells its progress on the page."""
    if own_tables.is_own(settings.name):
        return own_tables.load(settings.name, settings.sample, settings.seed)
    kept = _kept()
    if settings not in kept:
        note = st.empty()
        with st.spinner("Loading the data…"):
            data = ac.load_dataset(
                settings.name,
                protected=settings.protected,
                rows=settings.rows,
                sample=settings.sample,
                seed=settings.seed,
                progress=note.caption,
            )
        note.empty()
        while len(kept) >= KEPT_DATASETS:
            kept.pop(next(iter(kept)))
        kept[settings] = data
    return kept[settings]


def plain(data: ac.Dataset, choice: ClusteringSettings) -> VanillaReport:
    compute = _own_plain if own_tables.is_own(data.name) else _plain
    with patience():
        return compute(data.content_hash, choice, data)


@st.cache_resource(max_entries=32, show_spinner="Clustering…")
def _plain(content_hash: str, choice: ClusteringSettings, _data: ac.Dataset) -> VanillaReport:
    return vanilla_report(_data, choice.clustering, choice.k, choice.restarts, choice.seed)


@st.cache_resource(scope="session", max_entries=8, show_spinner="Clustering…")
def _own_plain(content_hash: str, choice: ClusteringSettings, _data: ac.Dataset) -> VanillaReport:
    return vanilla_report(_data, choice.clustering, choice.k, choice.restarts, choice.seed)


def plane(data: ac.Dataset) -> Plane:
    fit = _own_plane if own_tables.is_own(data.name) else _plane
    return fit(data.content_hash, data)


@st.cache_resource(max_entries=32, show_spinner=False)
def _plane(content_hash: str, _data: ac.Dataset) -> Plane:
    return fit_plane(_data.points, _data.feature_names)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _own_plane(content_hash: str, _data: ac.Dataset) -> Plane:
    return fit_plane(_data.points, _data.feature_names)


def story() -> Story:
    with patience():
        return _story()


@st.cache_resource(show_spinner=False)
def _story() -> Story:
    return tell_story()
