"""The blocks of Explore: what is known before a run, the run at work, and what stands below it."""

import math
import time
from dataclasses import replace
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.design.designer import can_design
from antidote_core.analysis.comparison import has_baseline, vanilla_cost_of
from antidote_core.analysis.progress import estimate_run, progress
from antidote_core.analysis.snapshots import Snapshot
from antidote_core.engine.examples import EXAMPLES
from antidote_core.engine.job_folder import JobStatus
from antidote_core.engine.work import COMPILE_SECONDS, COMPILING
from antidote_core.fairness import get_fairness
from antidote_core.numerals import change, number, percent, share_of_data
from antidote_core.places import ROWS
from antidote_core.reporting.figures import comparisons
from antidote_core.reporting.figures.curve import step_table
from antidote_core.reporting.text import design_words
from antidote_core.reporting.text.glossary import cost_meaning, explain, explain_cost
from antidote_core.reporting.text.run_words import advice, combination, departures, limits, standing
from antidote_core.reporting.text.words import duration
from antidote_core.runs.scenarios import SCENARIOS, Scenario
from antidote_core.runs.state import JobState
from antidote_core.runs.verdict import cost_digits, few_members
from pages._ui import data_blocks, stage_blocks
from pages._ui.jobs import store
from pages._ui.jobs.documents import take_along
from pages._ui.jobs.job_blocks import box, figure, latest, press, start_with
from pages._ui.jobs.job_settings import RunRequest, values_of
from pages._ui.shared import answers
from pages._ui.shared.frame import behind, listed, or_show_error
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL, ClusteringSettings

WHO = "Who is in which cluster"
PEOPLE, OTHERS, TAKE = "The people", "Against the others", "Take it along"
SURE = "How sure, and how it works"
SHOWN = 35 * 6 + 3  # pixels: five contests and the head of the table
ADDED = "Antidote points |V| (of |U|)"
PRICE = (
    "By how much the clusters fit the data worse (or better) than those of plain clustering: the "
    "rise of the inertia on the real data."
)
GUARD = (
    "Share of the data in the smallest cluster, before and after; the guard keeps it from emptying."
)
COMPILED = (
    f"Compiling the fast clustering, once per machine: about {COMPILE_SECONDS:.0f} seconds, more "
    "on a busy one…"
)
HEAD_SECONDS = 0.5  # between two looks at a live run
FIRST_SECONDS = 0.1  # the same before its first number
CURVE_SECONDS = 1.0
PAGE_SECONDS = 2.0  # at least, between two full pages for new rounds


def details(status: JobStatus, data: ac.Dataset, view: ac.RunView, shot: Snapshot | None) -> None:
    """What stands behind the stage, each part drawn when it is opened."""
    spec = _spec(status)
    tabs = st.tabs([WHO, PEOPLE, OTHERS, TAKE, SURE], key="details", on_change="rerun", bind=URL)
    clusters, people, others, take, sure = tabs
    with clusters:
        if clusters.open and shot is not None:
            stage_blocks.who_is_where(data, spec, view, shot)
    with people:
        if people.open and shot is not None:
            stage_blocks.points_table(status.run_id, data, shot)
    with others:
        if others.open:
            against_the_others(view, spec.fairness, status.live)
    with take:
        if take.open:
            _take(status, data, view)
    with sure:
        if sure.open:
            _how_sure(data, spec, view, shot, status)


def _take(status: JobStatus, data: ac.Dataset, view: ac.RunView) -> None:
    if status.live:
        st.caption("Report, slides, tables and Python lines stand here when the run has ended.")
    else:
        take_along(status, data, view)


def _how_sure(
    data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView, shot: Snapshot | None, status: JobStatus
) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        sentences(view)
        st.subheader("What the cost means", anchor=False)
        st.markdown(escape(cost_meaning(spec.fairness)))
        draw_contests(status.run_id, status.live)
    with right:
        if not status.live:
            st.subheader("What was not shown", anchor=False)
            listed(limits(data, spec, view))
        st.subheader("Where this departs from the paper", anchor=False)
        listed(departures(spec))
    if shot is not None and not status.live:
        stage_blocks.joint_map(status.run_id, data, shot)


def against_the_others(view: ac.RunView, fairness: str, working: bool) -> None:
    """Small multiples, one measure each, the same order and colours everywhere."""
    if view.state in ("queued", "running"):
        st.caption("Compared with plain clustering and the fair algorithm when the search ends.")
        return
    table = comparisons.comparison_table(view, fairness)
    if table.empty:
        if working:
            st.caption("Comparing with plain clustering and the fair algorithm…")
        return
    note = comparisons.side_note(view, fairness)
    if note:
        st.markdown(f"**{escape(note)}**" if "worse" in note else escape(note))
    digits = cost_digits(view)
    kinds = comparisons.measures(fairness)
    for start in range(0, len(kinds), 3):
        for column, measure in zip(st.columns(3), kinds[start : start + 3], strict=False):
            with column:
                st.markdown(f"**{measure.title}**, {measure.better}")
                st.plotly_chart(
                    comparisons.measure_figure(table, measure, digits),
                    key=f"compare-{measure.column}",
                    config={"displayModeBar": False},
                    alt=f"{measure.title}, {measure.better}",
                )
    st.caption(
        f"{comparisons.SCORINGS} Grey plain clustering, blue fair algorithm, orange antidote data."
    )
    for text in dict.fromkeys(note for row in view.comparison for note in row.get("notes", ())):
        st.caption(escape(text))
    behind(table, "The numbers behind these charts")


def sentences(view: ac.RunView) -> None:
    """Below the verdict of a run that ended; nothing where V was not designed."""
    found = design_words.design_sentences(view)
    if found:
        listed(found)


def contests(view: ac.RunView) -> None:
    """The rounds of cuts, latest first, beside the curve."""
    if not view.cuts:
        return
    st.markdown(f"**Contests of the design: {len(view.cuts):,}**")
    st.caption(f"Latest: {escape(design_words.cut_sentence(view.cuts[-1]))}.")
    st.dataframe(design_words.cut_table(view), hide_index=True, height=SHOWN, key="contests")
    st.caption(
        "Each row: a program places the points and promises a cost; then the data are clustered "
        "again. A competitor with the lower inertia becomes one more "
        "condition of the next program."
    )


def title(data: ac.Dataset, spec: ac.RunSpec, other: bool) -> None:
    """Which run this is; `other` settings than those at the side are pointed out."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(f"{escape(data.title)}: {combination(spec)}", anchor=False, width="content")
        if other:
            st.caption("This run has other settings than those on the left.", width="content")
            st.button("Use these settings", on_click=_use, args=(spec,), type="tertiary")


def _use(spec: ac.RunSpec) -> None:
    st.session_state.update(values_of(spec))


def told(status: JobStatus) -> None:
    """The line above Stop: where the run stands, again and again."""
    st.fragment(_told, run_every=HEAD_SECONDS)(status.run_id)


def _told(run_id: str) -> None:
    found = latest(store.RUN, run_id)
    if found is not None:
        status, view = found
        st.markdown(escape(standing(view, _spec(status), status.message)))


def draw_head(run_id: str, working: bool, view: ac.RunView) -> None:
    """Verdict and figures, again and again while the run works."""
    drawn = (_stand(view), time.monotonic())
    every = HEAD_SECONDS if view.vanilla else FIRST_SECONDS
    st.fragment(_head, run_every=every if working else None)(run_id, working, drawn)


def draw_contests(run_id: str, working: bool) -> None:
    """The numbers behind the curve, and the contests of a design, while the run works and after."""
    st.fragment(_contests, run_every=CURVE_SECONDS if working else None)(run_id, working)


def _stand(view: ac.RunView) -> tuple:
    """What the blocks that are drawn once per round depend on."""
    return view.state, bool(view.vanilla), view.rounds, len(view.comparison)


def _head(run_id: str, working: bool, drawn: tuple) -> None:
    """Asks for a full page when a round has ended, and once more when the run has."""
    found = latest(store.RUN, run_id)
    if found is None:
        return
    status, view = found
    (stand, at) = drawn
    new_round = _stand(view) != stand and time.monotonic() - at > PAGE_SECONDS
    if working and (new_round or not status.live):
        st.rerun()
    store.watched(run_id)
    if view.state in ("queued", "running"):
        _working(status, view)
    else:
        _ended(status, view)
    if working and view.vanilla and not stand[1]:  # the first number stands, now its picture
        st.rerun()


def _spec(status: JobStatus) -> ac.RunSpec:
    """What the run was asked; a sweep has not come so far."""
    assert isinstance(status.spec, ac.RunSpec)
    return status.spec


def _unit(spec: ac.RunSpec) -> str:
    """What V consists of."""
    return "copies" if spec.place == ROWS else "points"


def _working(status: JobStatus, view: ac.RunView) -> None:
    spec = _spec(status)
    elapsed = time.time() - status.started if status.started else 0.0
    figures = progress(view, spec, elapsed)
    if status.state is JobState.QUEUED:
        box("waiting", status.message, "It starts by itself as soon as another run ends.")
    elif not view.vanilla:
        stage = view.activity or ("clustering the data as it is" if view.spec else "starting")
        if view.activity == COMPILING:
            box("waiting", COMPILED, f"{duration(elapsed)} so far.")
            # It slows down and never stops: how long it takes depends on how busy the machine is.
            st.progress(1 - math.exp(-elapsed / COMPILE_SECONDS))
        else:
            box("waiting", f"Getting ready: {stage}…", f"{duration(elapsed)} so far.")
    elif not view.noise:
        box("waiting", "Plain clustering is known; measuring its noise over other seeds…", "")
    else:
        doing = (
            design_words.doing_sentence(view) or f"trying sets of {figures.size:,} {_unit(spec)}"
        )
        said = f"Round {figures.round}: {doing}"
        if figures.round and not figures.size:
            said = "Round 1 begins"
        found = view.verdict.details
        box("waiting", f"{said}…", " ".join(found) or "No round has ended yet.")
    with st.container(horizontal=True, key="figures"):
        size = figures.size
        known_size = f"{size:,} ({share_of_data(size, view.points)})" if size else "…"
        figure(ADDED, known_size)
        limit = f" of {spec.max_rounds}" if spec.max_rounds else ""
        figure("Round", f"{figures.round if view.noise else 0}{limit}")
        rate = f" ({figures.rate:,.0f}/s)" if figures.rate == figures.rate else ""
        figure("Evaluations", f"{figures.evaluations:,}{rate}")
        best = min([view.cost, *([view.current["cost"]] if view.current else [])])
        cost = get_fairness(spec.fairness)
        before = view.vanilla_cost if view.vanilla else _plain_cost(status)
        after = cost.shown(best, 4) if best == best else "…"
        figure(cost.headline, "…" if before is None else f"{cost.shown(before, 4)} → {after}")
        bound = duration(figures.round_seconds)
        figure("Elapsed · this round at most", f"{duration(elapsed)} · {bound}")


def _plain_cost(status: JobStatus) -> float | None:
    """What this page computed of plain clustering before the run says the same."""
    spec = _spec(status)
    choice = ClusteringSettings(spec.clustering, spec.k, spec.restarts, spec.seed)
    report = answers.plain_known(store.data_of(status.run_id), choice)
    table = getattr(report, spec.fairness, None)
    return None if table is None else float(table.cost)


def _ended(status: JobStatus, view: ac.RunView) -> None:
    found = view.verdict
    box(found.tone, found.headline, " ".join(found.details))
    if status.live:
        st.caption("The verdict stands. Comparing with the fair algorithm…")
    if not view.vanilla:
        return
    digits = cost_digits(view)
    with st.container(horizontal=True, key="figures"):
        cost = get_fairness(_spec(status).fairness)
        before, after = cost.shown(view.vanilla_cost, digits), cost.shown(view.cost, digits)
        figure(cost.headline, f"{before} → {after}", explain_cost(_spec(status).fairness))
        share = share_of_data(view.size, view.points)
        copied = view.copies is not None and view.size
        what = f"Copies of {view.people:,} people (of |U|)" if copied else ADDED
        if view.antidote_weights is not None:
            what = f"Weight added to {view.people:,} people (of |U|)"
        figure(what, f"{view.size:,} ({share})")
        figure("Price of fairness", change(view.price), PRICE)
        smallest = view.guard.smallest_share(view.vanilla.counts)
        shares = f"{percent(smallest)} → {percent(view.smallest_share)}"
        figure("Smallest cluster", shares, GUARD)
        if view.verification is not None:
            meaning = explain("independent clustering")
            figure("Checks that agree", view.verification.agreement, meaning)
        spent = f"{view.rounds:,} · {view.evaluations:,} · {duration(view.seconds)}"
        figure("Rounds · evaluations · time", spent)


def _contests(run_id: str, working: bool) -> None:
    found = latest(store.RUN, run_id)
    if found is None:
        return
    status, view = found
    if working and not status.live:  # should the head have missed it
        st.rerun()
    behind(step_table(view), "The numbers behind the curve")
    contests(view)


def references(
    data: ac.Dataset, asked: RunRequest, working: bool
) -> tuple[list[answers.Job], dict[str, float]]:
    """What α can be compared with, beside it.

    Returns what is still being computed and the fair algorithm's costs by label. While a run is
    `working`, no fair algorithm is begun: the cores are for the run, which compares in the end.
    What is known from before the run is shown all the same.
    """
    plain = answers.plain_job(data, asked.clustering)
    jobs = [plain]
    fair: dict[str, float] = {}
    lines = [_plain_line(plain, asked.fairness, data)]
    if not has_baseline(asked.clustering.clustering, asked.fairness):
        lines.append("SOTA: no fair algorithm is known for this pair")
    elif not plain.there or (
        working and not answers.fair_known(data, asked.fairness, asked.clustering)
    ):
        lines.append("SOTA: computed " + ("at the end of the run…" if working else "next…"))
    else:
        job = answers.fair_job(data, asked.fairness, asked.clustering)
        jobs.append(job)
        try:
            fair = answers.answer(job) or {}
            lines += [f"SOTA ({label}): **{number(cost, 4)}**" for label, cost in fair.items()]
            if not fair:
                lines.append("SOTA: computing…")
        except ac.AntidoteError as error:
            lines.append(f"SOTA: not available. {escape(str(error))}")
    lines.append(f"best possible: {get_fairness(asked.fairness).best}")
    lines += _few_lines(data, asked, plain)
    with asked.beside_target:
        st.caption("  \n".join(lines))
    return jobs, fair


def _few_lines(data: ac.Dataset, asked: RunRequest, plain: answers.Job) -> list[str]:
    """A word where the mix of the smallest cluster rests on a handful of people."""
    try:
        report = answers.answer(plain)
    except ac.AntidoteError:
        return []  # the line about plain clustering says so
    if report is None or not get_fairness(asked.fairness).by_mix:
        return []
    few = few_members(report.balance.counts, data.group_names)
    return [escape(few)] if few else []


def _plain_line(plain: answers.Job, fairness: str, data: ac.Dataset) -> str:
    try:
        report = answers.answer(plain)
    except ac.AntidoteError:
        return "plain clustering: not available"
    if report is None:
        return "plain clustering (vanilla): computing…"
    return f"plain clustering (vanilla): **{number(vanilla_cost_of(report, fairness, data), 4)}**"


def plain_clustering(data: ac.Dataset, asked: RunRequest) -> list[answers.Job]:
    """The stage before a run: what to begin with and what there is to improve; what is awaited."""
    with st.container(horizontal=True):  # where the title keeps its distance
        st.title(f"{escape(data.title)}: before anything is added", anchor=False)
    plain = answers.plain_job(data, asked.clustering)
    waiting = [plain, *counsel(data, asked, plain.there)]
    cards()
    gallery()
    if not plain.there:
        with st.container(height=420, border=True):
            st.markdown("Clustering the data as it is… You can press **Run** already.")
        return waiting
    report = or_show_error(answers.answer, plain)
    if report is None:
        data_blocks.offer_sample(data)
        return waiting
    data_blocks.verdict(data, asked.clustering, report)
    left, right = st.columns(2, gap="large")
    with left:
        data_blocks.who_is_where(data, report)
        data_blocks.group_costs(data, report)
    with right:
        data_blocks.point_map(data, asked.clustering, report)
    return waiting


PICKED = "scenario"
COLUMNS = 3


def cards() -> None:
    """The scenarios, each a button that sets everything and starts."""
    st.markdown("**Press Run, or begin with one of these.** One click sets everything and starts.")
    names = list(SCENARIOS)
    for start in range(0, len(names), COLUMNS):
        places = st.columns(COLUMNS, gap="small")
        for place, name in zip(places, names[start : start + COLUMNS], strict=False):
            with place.container(border=True, key=f"card-{name}"):
                _card(name, SCENARIOS[name])


def _card(name: str, scenario: Scenario) -> None:
    seconds = EXAMPLES[name].seconds
    took = f"about {duration(seconds)}" if seconds >= 1 else "under 1 s"
    st.button(
        f"▶ {scenario.title} · {took}", key=f"go-{name}", width="stretch",
        on_click=start_with, args=(scenario.spec,),
        help="The time is what it took when it was recorded, with another seed.",
    )  # fmt: skip
    st.caption(escape(scenario.sentence))


def pick() -> None:
    """The same scenarios as a list at the side; choosing one starts it."""
    st.selectbox(
        "Scenario", list(SCENARIOS), index=None, key=PICKED, on_change=_start_picked,
        format_func=lambda name: SCENARIOS[name].title, placeholder="one click: set and run",
        help="Sets everything below and starts.",
    )  # fmt: skip


def _start_picked() -> None:
    name = st.session_state[PICKED]
    if name is not None:
        start_with(SCENARIOS[name].spec)
        st.session_state[PICKED] = None


def gallery() -> None:
    """Recorded runs that open at once; nothing is computed and no setting changes."""
    with st.container(horizontal=True, gap="small", key="gallery"):
        st.markdown("**Show a finished example:**", width="content")
        for name, example in EXAMPLES.items():
            st.button(
                example.title, key=f"example-{name}", on_click=_open, args=(name,),
                help=f"{example.sentence} A recorded run: it opens at once, settings stay.",
            )  # fmt: skip


def _open(name: str) -> None:
    if or_show_error(store.open_example, name) is not None:
        press()


def counsel(data: ac.Dataset, asked: RunRequest, begun: bool) -> list[answers.Job]:
    """What is worth knowing before Run, each with a button that changes it; what is awaited.

    It is computed from the time on when plain clustering is known (`begun`).
    """
    spec = asked.spec
    if not isinstance(spec, ac.RunSpec):
        return []
    waiting = []
    if begun:
        waiting = [answers.ask_about(data, "estimate", (spec.id,), estimate_run, spec, data)]
    with st.container(border=True, key="advice"):
        st.markdown("**Before you run**")
        found = or_show_error(answers.answer, waiting[0]) if begun else None
        if found is None:
            st.caption("Counting rounds and seconds… You can press **Run** already.")
            return waiting
        said = advice(found, spec, can_design(spec.clustering, spec.fairness))
        for index, one in enumerate(said):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(escape(one.text))
                if one.label:
                    st.button(
                        one.label, key=f"advice-{index}", on_click=_change, args=(spec, one.changes)
                    )
    return waiting


def _change(spec: ac.RunSpec, changes: dict[str, Any]) -> None:
    st.session_state.update(values_of(replace(spec, **changes)))
