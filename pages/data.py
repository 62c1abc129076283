"""One data set: who is in it, and what plain clustering does to its groups."""

import streamlit as st

from pages._ui.data import clustering_blocks, dataset_blocks, upload
from pages._ui.data.own_tables import is_own
from pages._ui.shared import cached
from pages._ui.shared.frame import enter
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.settings import URL, clustering_settings, data_settings
from pages._ui.shared.show import or_show_error

enter()
asked = asked_by_link()
shown = st.segmented_control(
    "Show", ["data sets", "your own table"], default="data sets", required=True, key="show",
    bind=URL, label_visibility="collapsed",
)  # fmt: skip
if shown == "your own table":
    upload.draw()
    tell_ignored("data", asked)
    st.stop()
side, main = st.columns([1, 3.4], gap="large")
with side:
    wanted = data_settings()
    choice = clustering_settings(wanted.seed)
    if is_own(wanted.name):
        upload.forget_button(wanted.name)

with main:
    notice = st.container()
    data = or_show_error(cached.load, wanted)
    if data is None:
        dataset_blocks.offer_other_forms(wanted)
        st.stop()
    dataset_blocks.header(data)
    report = or_show_error(cached.plain, data, choice)
    if report is None:
        dataset_blocks.offer_sample(data)
        dataset_blocks.group_sizes(data)
    else:
        clustering_blocks.verdict(data, choice, report)
        left, right = st.columns(2, gap="large")
        with left:
            clustering_blocks.who_is_where(data, report)
            clustering_blocks.group_costs(data, report)
        with right:
            clustering_blocks.point_map(data, choice, report)
            dataset_blocks.group_sizes(data)
        clustering_blocks.quality(report)
    dataset_blocks.card(data)

with notice:
    tell_ignored("data", asked)
