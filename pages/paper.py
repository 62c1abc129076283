"""Every number of the paper beside ours, with what became of it."""

import streamlit as st

from antidote_core.paper.rows import stored_results
from pages._ui import paper_blocks as blocks
from pages._ui.shared.frame import enter, or_show_error
from pages._ui.shared.link import asked_by_link, tell_ignored

enter()
link = asked_by_link()
found = or_show_error(stored_results)
if found is None:
    st.stop()
blocks.head(found)
notice = st.container()
name = blocks.choose_table()
blocks.marks(found, name)
blocks.table(found, name)
blocks.what_holds(found)
if name in ("vanilla_k2", "sota_k2"):
    blocks.quality(found)
blocks.take_along(found)
with notice:
    tell_ignored("paper", link)
