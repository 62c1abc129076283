"""The dashboard: `streamlit run app.py`."""

import streamlit as st

from pages._ui.show import page_style
from pages._ui.warm import start_warming

PAGES = [
    st.Page("pages/home.py", title="Home", default=True),
    st.Page("pages/explore.py", title="Explore"),
    st.Page("pages/data.py", title="Data"),
]

st.set_page_config(page_title="Antidote", page_icon="⚖️", layout="wide")
page_style()
start_warming()
st.navigation(PAGES, position="top").run()
