"""A run or a frontier as slides, for people who decide."""

import streamlit as st

from pages._ui.jobs import documents
from pages._ui.shared.frame import enter, or_show_error, style

enter()
style(documents.STYLE)
job = documents.asked()
slides = or_show_error(documents.slides_of, job) if job else None
if job and slides:
    documents.show(job, slides)
else:
    st.title("Nothing to present", anchor=False)
    st.markdown("Open a finished run and press **Present** there, or choose one of your runs.")
    if st.button("Your runs", type="primary"):
        st.switch_page("pages/runs.py", query_params={})
