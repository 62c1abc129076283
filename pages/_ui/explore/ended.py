"""What stands below an ended run: files to take along, notes, and what was not shown."""

import streamlit as st

import antidote_core as ac
from antidote_core.engine.job_folder import JobStatus
from antidote_core.reporting.figures.comparison_chart import (
    comparison_table,
    measure_figure,
    measures,
    side_note,
)
from antidote_core.reporting.text.caveats import departures, limits
from antidote_core.reporting.text.design_words import cut_sentence, cut_table, design_sentences
from antidote_core.reporting.text.glossary import cost_meaning
from antidote_core.reporting.text.verdict import cost_digits
from pages._ui.jobs.downloads import take_along
from pages._ui.shared.link import escape


def after(data: ac.Dataset, spec: ac.RunSpec, status: JobStatus, view: ac.RunView) -> None:
    """Everything that follows the charts."""
    take_along(status, data, view)
    with st.expander("What the cost means"):
        st.markdown(escape(cost_meaning(spec.fairness)))
    with st.expander("What was not shown"):
        _listed(limits(data, spec, view))
    with st.expander("Where this departs from the paper"):
        _listed(departures(spec))


def _listed(sentences: tuple[str, ...]) -> None:
    st.markdown("\n".join(f"- {escape(sentence)}" for sentence in sentences))


def against_the_others(view: ac.RunView, fairness: str, working: bool) -> None:
    """Small multiples, one measure each, the same order and colours everywhere."""
    if view.state in ("queued", "running"):
        return
    table = comparison_table(view, fairness)
    if table.empty:
        if working:
            st.caption("Comparing with plain clustering and the fair algorithm…")
        return
    st.subheader("Against the others", anchor=False)
    note = side_note(view, fairness)
    if note:
        st.markdown(f"**{escape(note)}**" if "worse" in note else escape(note))
    digits = cost_digits(view)
    kinds = measures(fairness)
    for start in range(0, len(kinds), 3):
        for column, measure in zip(st.columns(3), kinds[start : start + 3], strict=False):
            with column:
                st.markdown(f"**{measure.title}**, {measure.better}")
                st.plotly_chart(
                    measure_figure(table, measure, digits),
                    key=f"compare-{measure.column}",
                    config={"displayModeBar": False},
                    alt=f"{measure.title}, {measure.better}",
                )
    st.caption(
        "“own” scores a fair algorithm by the clusters it assigns itself, “nearest” keeps only its "
        "centres, as the paper's cost does. Grey plain clustering, blue fair algorithm, orange "
        "antidote data."
    )
    for text in dict.fromkeys(note for row in view.comparison for note in row.get("notes", ())):
        st.caption(escape(text))
    with st.expander("The numbers behind these charts"):
        st.dataframe(table, hide_index=True)


SHOWN = 35 * 6 + 3  # pixels: five contests and the head of the table


def sentences(view: ac.RunView) -> None:
    """Below the verdict of a run that ended; nothing where V was not designed."""
    found = design_sentences(view)
    if found:
        st.markdown("\n".join(f"- {escape(sentence)}" for sentence in found))


def contests(view: ac.RunView) -> None:
    """The rounds of cuts, latest first, beside the curve."""
    if not view.cuts:
        return
    st.markdown(f"**Contests of the design: {len(view.cuts):,}**")
    st.caption(f"Latest: {escape(cut_sentence(view.cuts[-1]))}.")
    st.dataframe(cut_table(view), hide_index=True, height=SHOWN, key="contests")
    st.caption(
        "Each row: a program places the points and promises a cost; then the data are clustered "
        "again. A competitor with the lower inertia becomes one more "
        "condition of the next program."
    )
