"""Data and results kept on the server, shared by all visitors; nobody may change what they return.

Results are keyed by the content hash of the data: Streamlit would look only at a part of a large
array.
"""

import streamlit as st

import antidote_core as ac
from antidote_core.projection import Plane, fit_plane
from antidote_core.reporting.plain import PlainReport, plain_report
from antidote_core.reporting.story import Story, tell_story
from pages._ui.settings import ClusteringSettings, DataSettings
from pages._ui.warm import patience

KEPT_DATASETS = 8


@st.cache_resource(show_spinner=False)
def _kept() -> dict[DataSettings, ac.Dataset]:
    return {}


def load(settings: DataSettings) -> ac.Dataset:
    """The data set asked for; a long load tells its progress on the page."""
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


def plain(data: ac.Dataset, choice: ClusteringSettings) -> PlainReport:
    with patience():
        return _plain(data.content_hash, choice, data)


@st.cache_resource(max_entries=32, show_spinner="Clustering…")
def _plain(content_hash: str, choice: ClusteringSettings, _data: ac.Dataset) -> PlainReport:
    return plain_report(_data, choice.clustering, choice.k, choice.restarts, choice.seed)


def plane(data: ac.Dataset) -> Plane:
    return _plane(data.content_hash, data)


@st.cache_resource(max_entries=32, show_spinner=False)
def _plane(content_hash: str, _data: ac.Dataset) -> Plane:
    return fit_plane(_data.points, _data.feature_names)


def story() -> Story:
    with patience():
        return _story()


@st.cache_resource(show_spinner=False)
def _story() -> Story:
    return tell_story()
