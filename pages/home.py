"""The idea of antidote data on one screen."""

import streamlit as st

from antidote_core.fairness import BalanceTable
from antidote_core.numerals import number, percent
from antidote_core.reporting.figures.maps import map_frame
from antidote_core.reporting.figures.tables import cluster_table
from antidote_core.reporting.text.glossary import explain
from antidote_core.reporting.text.words import balance_sentence
from antidote_core.teaching.planar import Solution, Story, mix_html, plane_scene
from antidote_core.types import Floats
from pages._ui.learn_blocks import draw_plane
from pages._ui.shared import answers
from pages._ui.shared.frame import is_dark


def panel(
    key: str,
    title: str,
    story: Story,
    solution: Solution,
    balance: BalanceTable,
    antidote: Floats | None,
) -> None:
    data, dark = story.data, is_dark()
    sentence = balance_sentence(balance, data.group_names)
    frame = map_frame(data.points)
    st.subheader(title, anchor=False)
    left, right = st.columns(2)
    with left:
        scene = plane_scene(data, frame, solution.centers, antidote=antidote, dark=dark)
        draw_plane(scene, f"{title}. {sentence}", f"{key}-map")
    with right:
        st.metric(
            "Balance cost, lower is fairer", number(balance.cost, 2), help=explain("balance cost")
        )
        st.html(mix_html(balance, data.group_names, dark))
        st.markdown(sentence)


st.title("Fairer clusters by adding a few points", anchor=False)
st.markdown(
    "**Clustering** sorts points into bunches that lie close together. It never looks at who "
    "belongs to which group, and still a bunch can end up with hardly anyone of one group. "
    "**Antidote data** are a few made-up points: put them beside the real ones, run the *same* "
    "clustering again, and the border falls in a fairer place. Then throw the made-up points away."
)
story = answers.story()
size, n = len(story.antidote), story.data.n
old, new = story.tables_before, story.tables_after
before, after = st.columns(2, gap="large")
with before:
    panel("before", "Before: plain clustering", story, story.before, old.balance, None)
with after:
    title = f"After: {size} antidote points added"
    panel("after", title, story, story.after, new.balance, story.antidote)

read, took, price = st.columns(3, gap="large")
read.markdown(
    "**How to read the cost.** −1 when every cluster has the same mix of groups as the whole data; "
    "0 when a group is missing from a cluster. Computed just now, not written down."
)
took.markdown(
    f"**What it took.** {size} points (★) beside {n:,}, that is {percent(size / n)}, put at the "
    f"best of {story.places_tried} places tried. The clustering itself was not changed."
)
price.markdown(
    "**What it cost.** The average squared distance of the worst-placed group to its centres "
    f"(social cost, lower is fairer) is now {number(new.social.cost, 2)} instead of "
    f"{number(old.social.cost, 2)}. This example is made up; on real data effects are often "
    "smaller."
)
if st.button("Look at real data →", type="primary"):
    st.switch_page("pages/data.py", query_params={})
with st.expander("The numbers behind these pictures"):
    for label, tables in (("Before", old), ("After", new)):
        st.markdown(f"**{label}**")
        st.dataframe(cluster_table(tables.balance, story.data.group_names), hide_index=True)
