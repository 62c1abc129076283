"""The idea of antidote data on one screen, as a picture that moves."""

import streamlit as st

from antidote_core.numerals import number, percent
from antidote_core.reporting.figures.tables import cluster_table
from antidote_core.reporting.text.words import balance_sentence
from antidote_core.teaching.planar import fair_share, story_film
from pages._ui.jobs import store
from pages._ui.jobs.job_blocks import to_example
from pages._ui.learn_blocks import draw_plane
from pages._ui.shared import answers
from pages._ui.shared.frame import carry_to, is_dark
from pages._ui.shared.settings import UPLOAD

story = answers.story()
names = story.data.group_names
old, new = story.steps[0], story.steps[-1]
size, n = len(story.antidote), story.data.n

st.title("Fairer clusters by adding a few points", anchor=False)
st.markdown(
    "**Clustering** sorts points into bunches that lie close together, and a bunch can end up "
    "with hardly anyone of one group. **Antidote data** are a few made-up points: put them beside "
    "the real ones, run the *same* clustering again, and the border falls in a fairer place. Then "
    "throw the made-up points away."
)
scene, film = story_film(story, is_dark())
draw_plane(
    scene,
    f"A plane with {n} points of two groups, to which {size} antidote points are added one by one. "
    f"Before: {balance_sentence(old.balance, names)} After: {balance_sentence(new.balance, names)}",
    "story",
    film=film,
)

learn, bank, small, own = st.columns(4)
with learn.container(border=True, height="stretch"):
    if st.button("Place the points yourself →", type="primary", width="stretch"):
        st.switch_page("pages/learn.py", query_params={"part": "playground"})
    st.caption("Ten points, a score to beat, and the algorithm as your rival.")
with bank.container(border=True, height="stretch"):
    if st.button("45,211 bank customers →", width="stretch"):
        to_example("four-fifths")
    st.caption("Bank marketing: copies until every group has four fifths of its fair share.")
with small.container(border=True, height="stretch"):
    if st.button("A teaching set →", width="stretch"):
        to_example("teaching-set")
    st.caption("These very points, solved by Algorithm 2 round by round.")
with own.container(border=True, height="stretch"):
    if st.button("Your own file →", width="stretch"):
        store.show(store.RUN, None)
        carry_to("explore", {"data": UPLOAD})
    st.caption("CSV or Excel; it stays with you, and assignments.csv comes back.")

read, took, price = st.columns(3, gap="large")
read.markdown(
    "**Fair share.** 100 % when every cluster has the same mix of groups as the whole data; 0 % "
    f"when a group is missing from a cluster. Here {percent(fair_share(old))} becomes "
    f"{percent(fair_share(new))}: the balance cost, lower is fairer, falls from "
    f"{number(old.balance.cost, 2)} to {number(new.balance.cost, 2)}. Computed just now, not "
    "written down."
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
with st.expander("The numbers behind this picture"):
    for label, step in (("Before", old), ("After", new)):
        st.markdown(f"**{label}**")
        st.dataframe(cluster_table(step.balance, names), hide_index=True)
