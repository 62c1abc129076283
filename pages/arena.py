"""Every method on every data set by every notion: who is fairest, at what price, and who loses."""

import streamlit as st

from pages._ui import arena_blocks as blocks
from pages._ui.jobs.job_blocks import STYLE
from pages._ui.shared.frame import enter, or_show_error, style
from pages._ui.shared.link import asked_by_link, tell_ignored

enter()
link = asked_by_link()
style(STYLE)
st.title("Arena", anchor=False)
st.caption(blocks.WHAT)
notice = st.container()
status = blocks.opened()
records = or_show_error(blocks.records_of, status)
if status is not None:
    blocks.job_head(status, len(records or ()))
if records:
    choice = blocks.choose(records)
    blocks.who_wins(choice)
    blocks.matrix(choice)
    blocks.against_price(choice)
    blocks.what_it_takes(choice)
    blocks.take_along(choice, status)
elif records is not None:
    blocks.nothing_yet(status)
blocks.ask(status)
with notice:
    tell_ignored("arena", link)
