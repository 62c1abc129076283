"""The blocks of the Arena page: who wins, the matrix, fairness against price, arenas of one's own.

Shipped records are shown until an arena of this browser is on display.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.arena import Standing, arena_methods, entries, shipped_records, standings, winner
from antidote_core.arena.records import SCORINGS
from antidote_core.engine.job_folder import JobStatus
from antidote_core.fairness import FAIRNESS, FairnessCost, get_fairness
from antidote_core.reporting.documents.arena_report import arena_csv, arena_latex, arena_report
from antidote_core.reporting.figures import arena_charts
from antidote_core.reporting.text import arena_words
from antidote_core.reporting.text.words import duration
from antidote_core.runs.arena_spec import ArenaSpec
from antidote_core.runs.kinds import ARENA
from pages._ui.jobs import store
from pages._ui.jobs.job_blocks import latest, press
from pages._ui.shared import answers, own_tables, rooms
from pages._ui.shared.frame import chart, is_dark, listed, or_show_error
from pages._ui.shared.link import escape, title_of
from pages._ui.shared.settings import URL, DataSettings, one_of

LOOK_SECONDS = 1.0
DRAW_SECONDS = 5.0  # between two drawings of the page of an arena that works
SAMPLE = 2000
MOST_K, MOST_SEEDS = 8, 5
SCORED = {words: name for name, words in SCORINGS.items()}
WHAT = (
    "Plain k-means, fair algorithms and antidote data on the same rows; every clustering is "
    "measured by every notion of fairness."
)
READ_MATRIX = (
    "Median over seeds. ★ is the fairest of its data set by the chosen notion, the cheapest where "
    "several draw. Price: the part by which the objective on U rises over plain k-means."
)


@dataclass(frozen=True)
class Choice:
    """What the page is about: the records, the notion, and the standings of one k."""

    records: Sequence[dict[str, Any]]
    cost: FairnessCost
    scoring: str
    rows: list[Standing]
    k: int

    @property
    def mine(self) -> list[Standing]:
        """The standings of the chosen k."""
        return [row for row in self.rows if row.k == self.k]


def opened() -> JobStatus | None:
    """The arena on display, if there is one."""
    job_id = store.shown(ARENA)
    status: JobStatus | None = or_show_error(store.status_of, job_id) if job_id else None
    if status is None or or_show_error(store.view_of, ARENA, job_id) is None:
        return None
    or_show_error(store.keep, job_id)
    return status


def records_of(status: JobStatus | None) -> list[dict[str, Any]]:
    if status is None:
        return list(shipped_records())
    view = store.view_of(ARENA, status.run_id)
    return [dict(view.rows[key]) for key in view.keys if key in view.rows]


def job_head(status: JobStatus, drawn: int) -> None:
    """Where the arena on display stands; stop, resume, back to the shipped results.

    `drawn` is the number of records that the page shows: when there are more, it is drawn again.
    """
    every = LOOK_SECONDS if status.live else None
    st.fragment(_progress, run_every=every)(status.run_id, status.live, drawn, time.monotonic())
    with st.container(horizontal=True):
        if status.live:
            if st.button("■ Stop", type="primary", key="arena-stop"):
                with st.spinner("Stopping…"):
                    or_show_error(store.stop, status.run_id)
                st.rerun()
        elif status.can_restart and st.button("▶ Resume", type="primary", key="arena-resume"):
            or_show_error(store.again, status.run_id)
            st.rerun()
        if st.button("Back to the results that come with the software", key="arena-back"):
            store.show(ARENA, None)
            st.rerun()


def _progress(job_id: str, working: bool, drawn: int, begun: float) -> None:
    looked = latest(ARENA, job_id)
    if looked is None:
        return
    status, view = looked
    if working and not status.live:
        st.rerun()
    if working and len(view.rows) > drawn and time.monotonic() - begun > DRAW_SECONDS:
        st.rerun()
    store.watched(job_id)
    names = "all data sets"
    if isinstance(status.spec, ArenaSpec) and status.spec.datasets:
        names = ", ".join(status.spec.datasets)
    st.markdown(f"**Arena on {escape(names)}.** {escape(status.message)}")
    if view.keys:
        st.progress(view.settled / len(view.keys))
        left = f", about {duration(view.left)} left" if status.live and view.left > 0 else ""
        said = f"{view.settled:,} of {len(view.keys):,} entries{left}. {view.activity}"
        st.caption(escape(said.strip()))
    for key, reason in view.failed.items():
        st.error(escape(f"{key}: {reason}"), icon="⚠️")


def nothing_yet(status: JobStatus | None) -> None:
    if status is not None and status.live:
        st.info("The first entry is on its way.")
    else:
        st.info("No entry is there yet: resume the arena, or ask for one below.")


def choose(records: Sequence[dict[str, Any]]) -> Choice:
    """The notion, k and scoring that everything below is about."""
    measured = list(dict.fromkeys(name for r in records for name in r.get("own", ())))
    titles = {FAIRNESS[name].title: name for name in measured if name in FAIRNESS}
    ks = sorted({record["k"] for record in records})
    notion, clusters, scored = st.columns([2, 1, 2])
    with notion:
        title = st.selectbox("Notion of fairness", list(titles), key="notion", bind=URL)
    with clusters:
        k = int(one_of("Clusters (k)", [str(k) for k in ks], "with_k"))
    with scored:
        words = one_of(
            "People counted by", list(SCORED), "scored",
            help="As the method itself assigns people to clusters, or every person at the nearest "
            "of its centres, which is all that stays when groups are not known.",
        )  # fmt: skip
    cost = get_fairness(titles[title])
    scoring = SCORED[words]
    return Choice(records, cost, scoring, standings(records, cost.name, scoring), k)


def who_wins(choice: Choice) -> None:
    st.subheader(escape(arena_words.headline(choice.rows, choice.cost)), anchor=False)
    st.caption(escape(choice.cost.sentence))
    listed(
        arena_words.dataset_sentence(rows, choice.cost)
        for rows in arena_words.by_dataset(choice.mine).values()
    )


def matrix(choice: Choice) -> None:
    st.subheader(f"Methods and data sets, k = {choice.k}", anchor=False)
    measure = one_of("Shown", list(arena_charts.MEASURES), "measure")
    frame = arena_charts.matrix(choice.mine, choice.cost, measure)
    st.dataframe(
        frame, hide_index=True, height=36 * (len(frame) + 1) + 2, key="arena-matrix",
        column_config={"method": st.column_config.TextColumn(pinned=True, width="medium")},
    )  # fmt: skip
    st.caption(READ_MATRIX)
    refused = [row for row in choice.mine if row.refused]
    if refused:
        with st.expander(f"Without a result, and why ({len(refused)})"):
            listed(f"{row.title}, {row.method_title}: {row.refused}" for row in refused)


def against_price(choice: Choice) -> None:
    st.subheader("Fairness against price", anchor=False)
    titles = {row.title: row.dataset for row in choice.mine}
    on, pin = st.columns([1, 2])
    title = on.selectbox("Data set", list(titles), key="on", bind=URL)
    rows = [row for row in choice.mine if row.dataset == titles[title]]
    names = {row.method_title: row.method for row in rows if row.measured}
    if not names:
        st.info("Nothing could be measured here; the reasons stand above.")
        return
    first = [row.method_title for row in _worth_naming(rows)]
    pinned = pin.multiselect("Named in the picture", list(names), default=first, key="pin")
    figure = arena_charts.pareto_figure(
        rows, choice.cost, {names[title] for title in pinned}, is_dark()
    )
    alt = f"{choice.cost.label} against price on {title}, k = {choice.k}."
    chart(figure, arena_charts.standing_table(rows, choice.cost), "arena-pareto", alt, movable=True)
    st.caption(arena_words.READING)


def _worth_naming(rows: Sequence[Standing]) -> list[Standing]:
    """Plain clustering, the winner and the fairest of ours."""
    there = [row for row in rows if row.measured]
    ours = sorted((row for row in there if row.is_antidote), key=lambda row: row.cost)
    found = [there[0], winner(rows), *ours[:1]]
    return list(dict.fromkeys(row for row in found if row is not None))


def what_it_takes(choice: Choice) -> None:
    st.subheader("Who needs the groups, who changes what", anchor=False)
    st.markdown(escape(arena_words.needs_sentence(choice.rows)))
    frame = arena_charts.who_needs_what(choice.rows)
    height = 36 * (len(frame) + 1) + 2
    st.dataframe(frame, hide_index=True, height=height, key="arena-needs")


def take_along(choice: Choice, status: JobStatus | None) -> None:
    st.subheader("Take it along", anchor=False)
    if status is not None and status.live:
        st.caption("Files are made when the arena has ended.")
        return
    room = rooms.room(status is not None and status.private)
    of, asked = status.run_id if status else "shipped", (choice.cost.name, choice.scoring)
    report = room.kept(
        "arena report", (of, len(choice.records), *asked),
        lambda: arena_report(choice.records, *asked), most=4,
    )  # fmt: skip
    files = {
        "Every record (CSV)": ("arena.csv", "text/csv", arena_csv(choice.records)),
        "Tables (LaTeX)": ("arena.tex", "text/plain", arena_latex(choice.rows, choice.cost)),
        "Report (HTML)": ("arena.html", "text/html", report),
    }
    with st.container(horizontal=True):
        for label, (name, kind, text) in files.items():
            content = text.encode()
            room.files.hold("arena", name, kind, content)
            st.download_button(label, content, name, kind, on_click="ignore")
    st.caption(escape(arena_words.made_sentence(choice.records)).replace("\\`", "`"))
    st.caption(escape(arena_words.rows_sentence(choice.records)))


def ask(status: JobStatus | None) -> None:
    """An arena of one's own: any data set of this browser, its own tables among them."""
    st.subheader("Try it on other data", anchor=False)
    if status is not None and status.live:
        st.caption("An arena is at work; the next one can be asked for when it has ended.")
        return
    st.caption(
        "All methods on one data set, or on a table that you uploaded on the Data page. What is "
        "there already is not computed again."
    )
    methods = {method.title: method.name for method in arena_methods()}
    place, clusters, seeds, rows = st.columns([2, 2, 1, 1])
    name = place.selectbox(
        "Data", own_tables.names(), format_func=title_of("data"), key="arena-data"
    )
    ks = clusters.multiselect("k", list(range(2, MOST_K + 1)), default=[2], key="arena-ks")
    count = seeds.number_input("Seeds", 1, MOST_SEEDS, 1, key="arena-seeds")
    sample = rows.number_input(
        "Rows at most", 100, None, SAMPLE, 500, key="arena-rows",
        help="A seeded sample in proportion to the groups; fair algorithms can be slow.",
    )  # fmt: skip
    chosen = st.multiselect("Methods", list(methods), default=list(methods), key="arena-methods")
    if not (ks and chosen):
        st.caption("Choose at least one k and one method.")
    pressed = st.button(
        "▶ Run the arena", type="primary", disabled=not (ks and chosen), key="arena-run"
    )
    if pressed:
        spec = ArenaSpec(
            (name,), tuple(ks), tuple(methods[title] for title in chosen), tuple(FAIRNESS),
            tuple(range(int(count))), int(sample),
        )  # fmt: skip
        if or_show_error(_start, spec, name) is not None:
            press()
            st.rerun()


def _start(spec: ArenaSpec, name: str) -> str:
    entries(spec)  # a wrong name is said before work
    return store.start(spec, _own(name))


def _own(name: str) -> ac.Dataset | None:
    if not own_tables.is_own(name):
        return None
    info = own_tables.info(name)
    return answers.load(DataSettings(name, info.protected[0], own_tables.TABLE, None, 0))
