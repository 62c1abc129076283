"""The blocks of the Paper page: the sentence on top, one table at a time, one row on its own."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

import antidote_core as ac
from antidote_core.paper.marks import MARKS
from antidote_core.paper.rows import FAIRNESS_TABLES, Results
from antidote_core.paper.summary import TITLES, claims, headline, mark_counts
from antidote_core.paper.tables import TableRow, quality_rows, table_rows
from antidote_core.places import ROWS
from antidote_core.reporting.figures import paper_figures
from pages._ui.jobs import job_settings, store
from pages._ui.shared import rooms
from pages._ui.shared.frame import is_dark, or_show_error
from pages._ui.shared.settings import URL

CITATION = (
    "Chhabra, Singla and Mohapatra: *Fair Clustering Using Antidote Data*, 2021, "
    "[arXiv:2106.00600](https://arxiv.org/abs/2106.00600)"
)
BUTTONS = {"as-published": "▶ Run as published", "ours": "▶ Run ours"}


def head(found: Results) -> None:
    st.title("The paper, recomputed", anchor=False)
    st.markdown(f"#### {headline(found.rows)}")
    st.caption(
        f"{CITATION}. Computed on {found.date} with seed {found.seed} by "
        "`python -m antidote_core paper`, which anyone can run; costs: lower is fairer."
    )
    st.page_link("pages/convex.py", label="Algorithm 1, convex clustering, run live →")
    st.page_link("pages/arena.py", label="Arena: every method on many data sets, and who wins →")


def choose_table() -> str:
    names = paper_figures.table_names()
    shown = st.selectbox("Table of the paper", list(names), key="table", bind=URL)
    title = TITLES[names[shown]].partition(": ")[2]
    st.caption(f"{title[0].upper()}{title[1:]}.")
    return names[shown]


def marks(found: Results, table: str) -> None:
    counts, words = mark_counts(found.rows, table), paper_figures.meanings(table)
    shown = [mark for mark in MARKS if mark in words]
    for place, mark in zip(st.columns(len(shown)), shown, strict=True):
        with place:
            st.metric(paper_figures.SIGNS[mark], f"{counts[mark]} of {sum(counts.values())}")
            st.caption(words[mark])


def table(found: Results, name: str) -> list[TableRow]:
    rows = table_rows(found, name)
    if not rows:
        st.info("This table was not computed yet: run `python -m antidote_core paper`.")
        return rows
    left, right = st.columns([1, 1], gap="large")
    with left:
        picture = paper_figures.figure(found, name, is_dark())
        words = paper_figures.figure_words(name)
        st.plotly_chart(picture, key="paper-figure", config={"displayModeBar": False}, alt=words)
        st.caption(words)
    with right:
        one_row(rows)
    st.subheader("All rows", anchor=False)
    frame = paper_figures.table_frame(rows)
    st.dataframe(
        paper_figures.styled(frame),
        hide_index=True,
        height=36 * (len(frame) + 1) + 2,
        key="paper-table",
    )
    if name in FAIRNESS_TABLES:
        st.caption(
            "agree: share of the independent clusterings (scikit-learn, fresh seeds) that meet the "
            "target; noise band: plain clustering over seeds. In brackets the number of points."
        )
    return rows


def one_row(rows: list[TableRow]) -> None:
    """A row in words, with the buttons that run it again."""
    names = {paper_figures.row_name(row): row for row in rows}
    row = names[st.selectbox("Look at one row", list(names), key="row", bind=URL)]
    with st.container(border=True):
        if row.mark is None:
            st.markdown("One of the modes was not computed yet.")
        else:
            st.markdown(f"**{paper_figures.SIGNS[row.mark.mark]}.** {row.mark.reason}")
            for sentence in row.mark.found:
                st.markdown(f"- {sentence}")
        for label, key in (("Paper", "paper"), ("As published", "as-published"), ("Ours", "ours")):
            size = {"paper": "paper's |V|/|U|"}.get(key, f"|V|/|U| {key}")
            beside = f", |V|/|U| {row.values[size]}" if size in row.values else ""
            st.markdown(f"{label}: **{row.values[key]}**{beside}")
        if row.links:
            run_again(row)
        else:
            link = urlencode({"data": row.cell.dataset, "lam": 0.01})
            st.markdown(f"[▶ Run it live on the page Convex](convex?{link})")


def run_again(row: TableRow) -> None:
    for place, (mode, stored) in zip(
        st.columns(len(row.links)), sorted(row.links.items()), strict=True
    ):
        spec = paper_figures.live_spec(stored)
        with place:
            if (
                st.button(f"{BUTTONS[mode]} live", key=f"again-{mode}", type="primary")
                and (run_id := or_show_error(store.start, spec)) is not None
            ):
                st.session_state.update(job_settings.values_of(spec))
                st.switch_page("pages/explore.py", query_params={str(store.RUN): run_id})
            st.markdown(f"[Settings in Explore]({explore_link(spec)})")


def explore_link(spec: ac.RunSpec) -> str:
    """Explore with the settings of this row, not yet running."""
    values = {
        key: str(value).lower() if isinstance(value, bool) else value
        for key, value in job_settings.values_of(spec).items()
        if value is not None and key not in ("method", "cost")
    }
    if spec.place != ROWS:
        del values["percentiles"]
    return f"explore?{urlencode(values, doseq=True)}"


def what_holds(found: Results) -> None:
    with st.expander("What holds and what does not, each with its command"):
        for claim in claims(found.rows):
            st.markdown(f"- {claim.sentence} `{claim.command}`")


def quality(found: Results) -> None:
    with st.expander("Quality of the clusterings at k = 2, with the paper's scores"):
        st.markdown(
            "Silhouette and Calinski-Harabasz: higher is better; Davies-Bouldin: lower is better. "
            "Each cell: plain clustering · the fair algorithm (own assignment) · with antidote "
            "data, on U alone · the same with the antidote points counted. Of the silhouette the "
            "paper prints no figures."
        )
        st.dataframe(quality_rows(found), hide_index=True)


def take_along(found: Results) -> None:
    content, kind = found.to_json().encode(), "application/json"
    name = "antidote-paper-results.json"
    rooms.ROOMS.everyone.files.hold("paper", name, kind, content)
    st.download_button(
        "All results (JSON)", content, name, kind,
        on_click="ignore", help="Every row with its settings, seed, versions and date.",
    )  # fmt: skip
    versions = ", ".join(f"{name} {number}" for name, number in sorted(found.versions.items()))
    st.caption(f"Versions: {versions}.")
