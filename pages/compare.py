"""Two to four runs side by side; the link names them."""

import streamlit as st

from pages._ui import runs_blocks
from pages._ui.shared.frame import enter, or_show_error

enter()
st.title("Runs side by side", anchor=False)
asked = runs_blocks.asked_runs()
found = or_show_error(runs_blocks.sides, asked)
if found:
    runs_blocks.show(found, asked)
if st.button("Back to the list of runs"):
    st.switch_page("pages/runs.py", query_params={})
