"""The idea step by step, a plane to play on, and the words."""

import streamlit as st

from pages._ui.learn_blocks import OWN, glossary, playground, story
from pages._ui.shared.frame import enter
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.settings import one_of

PARTS = {"story": story, "playground": playground, "glossary": glossary}

enter()
link = asked_by_link()
with st.container(horizontal=True, vertical_alignment="center"):
    st.title("How a few points help", anchor=False, width="content")
    part = one_of("Part", list(PARTS), "part", label_visibility="collapsed", width="content")
notice = st.container()
with st.container(key="learn-part", gap="small"):
    PARTS[part]()
with notice:
    tell_ignored("learn", {key: value for key, value in link.items() if key not in OWN})
