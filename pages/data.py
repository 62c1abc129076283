"""One data set: who is in it, and what plain clustering does to its groups."""

import streamlit as st

from pages._ui import data_blocks, upload_blocks
from pages._ui.shared import answers
from pages._ui.shared.frame import enter, or_show_error
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.own_tables import is_own
from pages._ui.shared.settings import OWN_TABLE, clustering_settings, data_settings, one_of

enter()
asked = asked_by_link()
shown = one_of("Show", ["data sets", OWN_TABLE], "show", label_visibility="collapsed")
if shown == OWN_TABLE:
    upload_blocks.draw()
    tell_ignored("data", asked)
    st.stop()
side, main = st.columns([1, 3.4], gap="large")
with side:
    wanted = data_settings()
    choice = clustering_settings(wanted.seed)
    if is_own(wanted.name):
        upload_blocks.forget_button(wanted.name)

with main:
    notice = st.container()
    data = or_show_error(answers.load, wanted)
    if data is None:
        data_blocks.offer_other_forms(wanted)
        st.stop()
    data_blocks.header(data)
    report = or_show_error(answers.plain, data, choice)
    if report is None:
        data_blocks.offer_sample(data)
        data_blocks.group_sizes(data)
    else:
        data_blocks.verdict(data, choice, report)
        data_blocks.repair(wanted, choice)
        left, right = st.columns(2, gap="large")
        with left:
            data_blocks.who_is_where(data, report)
            data_blocks.group_costs(data, report)
        with right:
            data_blocks.point_map(data, choice, report)
            data_blocks.group_sizes(data)
        data_blocks.quality(report)
    data_blocks.card(data)
    upload_blocks.left_out(data)
    if report is not None:
        data_blocks.which_notion(wanted, choice)

with notice:
    tell_ignored("data", asked)
