"""The list of runs (filter, choose, open, rename, delete), and two to four of them side by side."""

from collections.abc import Sequence

import streamlit as st

import antidote_core as ac
from antidote_core.engine import RunError
from antidote_core.reporting.documents import report
from antidote_core.reporting.documents.data_files import safe_csv
from antidote_core.reporting.figures import bars, comparisons
from antidote_core.reporting.figures.maps import run_map_figure
from antidote_core.reporting.figures.tables import cluster_table
from antidote_core.reporting.text import run_words
from antidote_core.reporting.text.glossary import cost_meaning
from antidote_core.reporting.text.words import balance_sentence
from antidote_core.runs.kinds import KINDS
from pages._ui.jobs import documents, store
from pages._ui.jobs.documents import File
from pages._ui.shared import rooms
from pages._ui.shared.frame import chart, is_dark, or_show_error
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL, one_of

LIVE_SECONDS = 3.0


def rows() -> list[run_words.RunRow]:
    """Everything on the list of this browser, latest first."""
    return run_words.run_rows(store.all_jobs())


def filtered(found: Sequence[run_words.RunRow]) -> list[run_words.RunRow]:
    """Only what the filter leaves."""
    words, states = st.columns([3, 2], vertical_alignment="bottom")
    text = words.text_input(
        "Filter", key="filter", bind=URL, placeholder="bank balance, a name, confirmed …",
        help="Every word must occur: in the name, the data set, the combination or the outcome.",
    )  # fmt: skip
    with states:
        shown = one_of("Show", ["all", "runs", "frontiers"], "kind")
    kinds = {"runs": ("run",), "frontiers": ("sweep",)}.get(shown, ("run", "sweep"))
    return [row for row in found if row.kind in kinds and row.matches(text or "")]


def choose(found: Sequence[run_words.RunRow]) -> list[run_words.RunRow]:
    """The table; the rows that are ticked."""
    table = run_words.list_table(found, run_words.zone_of(st.context.timezone_offset))
    state = st.dataframe(
        table, key="runs-table", on_select="rerun", selection_mode="multi-row", hide_index=True,
        alt=f"{len(found)} runs, latest first.",
    )  # fmt: skip
    picked = [index for index in state.selection.rows if index < len(found)]
    st.caption(
        "Outcome: what the verdict says. Plain → with V: for balance, the part of its fair share "
        "that the worst-served group has; other costs as they are, lower is fairer. Price: by how "
        "much the inertia rose. Tick rows to open, rename, delete or compare them. Costs compare "
        "only on the same data and of the same kind."
    )
    return [found[index] for index in sorted(picked)]


def actions(picked: Sequence[run_words.RunRow]) -> None:
    """What can be done with the ticked rows."""
    if not picked:
        return
    with st.container(border=True):
        st.markdown("**Chosen:** " + escape("; ".join(row.title for row in picked)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if len(picked) == 1:
                _one(picked[0])
            elif _comparable(picked) and st.button("Compare side by side", type="primary"):
                ids = ",".join(row.run_id for row in picked)
                st.switch_page("pages/compare.py", query_params={"runs": ids})
            if _reportable(picked):
                with st.popover(f"Report on {_counted(picked)}"):
                    _report(picked)
            with st.popover(f"Delete {_counted(picked)}"):
                _delete(picked)
        if len(picked) > 1 and not _comparable(picked):
            st.caption(f"Two to {comparisons.MOST} ended runs can be compared side by side.")


def _one(row: run_words.RunRow) -> None:
    job = documents.Job(KINDS[row.kind], row.run_id)
    if st.button("Open", type="primary"):
        st.switch_page(job.page, query_params=job.link)
    if not row.live and st.button("Present"):
        st.switch_page("pages/present.py", query_params=job.link)
    with st.popover("Rename"), st.form(f"rename-{row.run_id}", border=False):
        name = st.text_input("Name", row.name, max_chars=200, placeholder=row.title)
        if st.form_submit_button("Keep this name"):
            or_show_error(store.rename, row.run_id, name)
            st.rerun()


def _delete(picked: Sequence[run_words.RunRow]) -> None:
    st.markdown(
        f"{_counted(picked)[0].upper()}{_counted(picked)[1:]} will leave your list. What nobody "
        "else has on a list is removed from the server and cannot be brought back."
    )
    if st.button("Yes, delete", type="primary", key="delete"):
        for row in picked:
            or_show_error(store.delete, row.run_id)
        st.session_state.pop("runs-table", None)
        st.rerun()


def _counted(picked: Sequence[run_words.RunRow]) -> str:
    return "this one" if len(picked) == 1 else f"these {len(picked)}"


def _comparable(picked: Sequence[run_words.RunRow]) -> bool:
    ended = all(row.kind == "run" and not row.live for row in picked)
    return ended and 2 <= len(picked) <= comparisons.MOST


def _reportable(picked: Sequence[run_words.RunRow]) -> bool:
    ended = all(row.kind == "run" and not row.live for row in picked)
    return ended and 2 <= len(picked) <= comparisons.MANY


def _report(picked: Sequence[run_words.RunRow]) -> None:
    """One report on several runs, a note for each, and the table of methods by data sets."""
    st.markdown("A note for each, to stand beside its result:")
    notes = [
        st.text_input(row.title, key=f"note-{row.run_id}", max_chars=600, placeholder="optional")
        for row in picked
    ]
    ids = [row.run_id for row in picked]
    statuses = [store.status_of(run_id) for run_id in ids]
    records = documents.records_of(statuses)
    files = [
        File("Report (HTML)", lambda: report.joint_report(records(), notes), ".html", "text/html",
             "All of them in one file, with your notes."),
        File("Methods (LaTeX)", lambda: comparisons.methods_latex(_sides(records())), ".tex",
             "application/x-tex", "Methods by data sets, as a table to typeset."),
        File("Methods (CSV)", lambda: safe_csv(
            comparisons.methods_table(_sides(records())).rename_axis("method").reset_index()
        ), ".csv", "text/csv", "Methods by data sets."),
    ]  # fmt: skip
    with st.container(horizontal=True):
        places = [st.empty() for _ in files]
    key = ("several", *ids, *((each.name, each.ended) for each in statuses), *notes)
    documents.offer_files(rooms.mine(), key, files, places, f"antidote-{len(ids)}-runs")


def _sides(records: Sequence[report.RunRecord]) -> list[comparisons.Side]:
    return [
        comparisons.Side(run_words.run_title(each.spec, each.name), each.spec, each.view)
        for each in records
    ]


def watch_live(found: Sequence[run_words.RunRow]) -> None:
    """Draw the list anew when a run on it has ended."""
    live = [row.run_id for row in found if row.live]
    if live:
        st.fragment(_look, run_every=LIVE_SECONDS)(live)


def _look(live: list[str]) -> None:
    now = {row.run_id for row in rows() if row.live}
    if not now.issuperset(live):
        st.rerun()


def asked_runs() -> list[str]:
    """The ids in the link, each once."""
    text = st.query_params.get("runs", "")
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def sides(ids: Sequence[str]) -> list[comparisons.Side]:
    """The runs; a sentence where they cannot stand side by side."""
    if not 2 <= len(ids) <= comparisons.MOST:
        raise RunError(
            f"The link names {len(ids)} runs; two to {comparisons.MOST} can stand side by side. "
            "Choose them on the page Runs."
        )
    return [_side(run_id) for run_id in ids]


def _side(run_id: str) -> comparisons.Side:
    status = store.status_of(run_id)
    spec = status.spec
    if not isinstance(spec, ac.RunSpec):
        raise RunError("A frontier cannot stand beside a run; open it on the page Frontier.")
    store.keep(run_id)
    name = run_words.run_title(spec, status.name)
    return comparisons.Side(name, spec, store.view_of(store.RUN, run_id))


def show(found: Sequence[comparisons.Side], ids: Sequence[str]) -> None:
    """What differs, what came out, the curves, and who is where in each."""
    st.subheader(escape(comparisons.difference_sentence(found)), anchor=False)
    fairest = comparisons.fairest_sentence(found)
    if fairest:
        st.markdown(escape(fairest))
    doubt = comparisons.warning(found)
    if doubt:
        st.warning(doubt, icon="⚠️")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("What came out", anchor=False)
        st.table(comparisons.results_table(found).set_index("").map(escape).rename(columns=escape))
        for cost in dict.fromkeys(side.spec.fairness for side in found):
            st.caption(escape(cost_meaning(cost)))
    with right:
        st.subheader("Cost against antidote size", anchor=False)
        chart(
            comparisons.curves_figure(found),
            comparisons.curves_table(found),
            "curves",
            comparisons.curves_words(found),
        )
        st.caption("Grey line: plain clustering. Every mark is the best V of a round.")
    st.subheader("Who is in which cluster, and where V lies", anchor=False)
    for place, label, run_id in zip(
        st.columns(len(found)), comparisons.labelled(found), ids, strict=True
    ):
        with place:
            st.markdown(f"**{escape(label)}**")
            or_show_error(_pictures, run_id)
    st.subheader("Settings that differ", anchor=False)
    differing = comparisons.differing_settings(found)
    st.dataframe(differing, hide_index=True, height="content")
    with st.expander("All settings"):
        st.dataframe(comparisons.settings_table(found), hide_index=True, height="content")


def _pictures(run_id: str) -> None:
    """Who is in which cluster of a run, and its map."""
    record = store.room_of(run_id).kept(
        "record", run_id, documents.records_of([store.status_of(run_id)]), most=comparisons.MOST
    )[0]
    shot = record.shot
    if shot is None:
        st.caption("It ended before plain clustering was done.")
        return
    names, dark = record.data.group_names, is_dark()
    sentence = balance_sentence(shot.balance, names)
    figure = bars.cluster_mix_figure(shot.balance, names, dark, compact=True)
    chart(figure, cluster_table(shot.balance, names), f"mix-{run_id}", sentence)
    st.caption(f"{escape(sentence)} {bars.cluster_sizes(shot.balance)}")
    st.plotly_chart(
        run_map_figure(record.data, shot, record.picture, "group", dark), key=f"map-{run_id}",
        config={"displayModeBar": False}, alt=record.picture.caption,
    )  # fmt: skip
