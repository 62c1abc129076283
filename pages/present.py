"""A run or a frontier as slides, for people who decide."""

import streamlit as st

from pages._ui import presented, slide_show
from pages._ui.frame import enter
from pages._ui.show import attempt

enter()
slide_show.style()
job = presented.asked()
slides = attempt(presented.slides_of, job) if job else None
if job and slides:
    slide_show.show(slides, job.page, job.link)
else:
    st.title("Nothing to present", anchor=False)
    st.markdown("Open a finished run and press **Present** there, or choose one of your runs.")
    if st.button("Your runs", type="primary"):
        st.switch_page("pages/runs.py", query_params={})
