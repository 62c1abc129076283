"""All runs of this browser, and those it opened by their link."""

import streamlit as st

from pages._ui import runs_blocks
from pages._ui.shared.frame import enter
from pages._ui.shared.link import asked_by_link, tell_ignored

enter()
link = asked_by_link()
st.title("Your runs", anchor=False)
found = runs_blocks.rows()
if not found:
    st.markdown(
        "Nothing here yet. Every run you start in **Explore**, and every run you open by its link, "
        "gets a line here: it stays until you delete it, and nothing is ever overwritten."
    )
    if st.button("Go to Explore", type="primary"):
        st.switch_page("pages/explore.py", query_params={})
else:
    st.markdown(
        f"**{len(found):,}** on the list of this browser: what it started, and what it opened by a "
        "link. Same settings are the same run; nothing is ever overwritten."
    )
    shown = runs_blocks.filtered(found)
    if shown:
        runs_blocks.actions(runs_blocks.choose(shown))
    else:
        st.info("No run matches this filter; clear it to see all of them.")
    runs_blocks.watch_live(found)
tell_ignored("runs", link)
