"""The blocks of Frontier: what is known before a sweep, and the sweep at work or at its end."""

import time
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

import antidote_core as ac
from antidote_core.analysis.comparison import has_baseline
from antidote_core.analysis.frontier_curves import curves
from antidote_core.analysis.progress import SweepEstimate, estimate_sweep, expected_seconds
from antidote_core.engine.job_folder import JobStatus
from antidote_core.engine.settings import cores, default_scheduler
from antidote_core.engine.sweep.tasks import compute_reference
from antidote_core.reporting.figures import frontier_table
from antidote_core.reporting.figures.curve import with_domains
from antidote_core.reporting.figures.frontier_charts import CELL, cost_chart, quality_chart
from antidote_core.reporting.figures.guard_charts import guard_chart, guard_table, guard_words
from antidote_core.reporting.figures.palette import DECIDES, VANILLA, baseline_ink, ink
from antidote_core.reporting.figures.tables import PRICE, SILHOUETTE, SMALLEST, Measure
from antidote_core.reporting.text import frontier_words
from antidote_core.reporting.text.run_words import ProblemKey, problem_title
from antidote_core.reporting.text.words import duration
from antidote_core.runs.state import JobState
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import FAILED, Reference, SweepView
from pages._ui.jobs import job_settings, store
from pages._ui.jobs.job_blocks import box, example, figure, latest, trouble
from pages._ui.shared import answers
from pages._ui.shared.frame import behind, is_dark, or_show_error
from pages._ui.shared.link import escape
from pages._ui.shared.settings import one_of

SHOWN = 4  # pictures drawn before a sweep
HEAD_SECONDS = 0.5  # between two looks at a sweep that works
CHART_SECONDS = 1.5
OPEN = "_open_cell"
COST = "cost"
GUARDED = {measure.title.lower(): measure for measure in (PRICE, SMALLEST)}  # against size
BESIDE_COST = {measure.title.lower(): measure for measure in (PRICE, SMALLEST, SILHOUETTE)}
BETTER = {PRICE: "down", SMALLEST: "up", SILHOUETTE: "up"}


@dataclass(frozen=True)
class Choice:
    """What the two charts of a problem draw; no measure against size stands for the cost."""

    log: bool
    against_size: Measure | None
    against_cost: Measure


class Known:
    """What the background has found out about a sweep that was not started."""

    def __init__(self, data: ac.Dataset, spec: SweepSpec, working: bool) -> None:
        self.spec, self.data = spec, data
        self.problems = spec.problems[:SHOWN]
        self.waiting: list[answers.Job] = []
        self.trouble: dict[ProblemKey, str] = {}
        self.before: dict[ProblemKey, SweepEstimate] = {}
        self.fair: dict[ProblemKey, Reference] = {}
        for problem in self.problems:
            self._plain(problem)
        for problem in self.problems:
            if problem in self.before and has_baseline(*problem[:2]) and not working:
                self._fair(problem)

    def _plain(self, problem: ProblemKey) -> None:
        cell = self._cell(problem)
        key = (problem, self.spec.restarts, cell.seed, cell.size, cell.setting.box)
        job = answers.ask_about(
            self.data, "frontier-plain", key, estimate_sweep, cell, self.data, "vanilla"
        )
        found = self._answer(job, problem)
        if found is not None:
            target = self.spec.target
            goal = found.reference.target if isinstance(target, str) else float(target)
            reference = replace(found.reference, target=goal, strict=isinstance(target, str))
            self.before[problem] = replace(found, reference=reference)

    def _fair(self, problem: ProblemKey) -> None:
        cell = self._cell(problem)
        key = (problem, self.spec.restarts, cell.seed, self.spec.target)
        job = answers.ask_about(
            self.data, "frontier-fair", key,
            compute_reference, cell.spec.to_json(), self.data, self.spec.target,
        )  # fmt: skip
        found = self._answer(job, problem)
        if found is not None and "event" in found:
            self.fair[problem] = Reference.of(found["event"])
        elif found is not None:
            self.trouble[problem] = found["reason"]

    def _cell(self, problem: ProblemKey) -> Any:
        return next(cell for cell in self.spec.cells if cell.setting.problem == problem)

    def _answer(self, job: answers.Job, problem: ProblemKey) -> Any:
        self.waiting.append(job)
        try:
            return answers.answer(job)
        except ac.AntidoteError as error:
            self.trouble[problem] = str(error)
            return None

    def view(self) -> SweepView:
        """As a sweep without a single cell."""
        plain = {problem: found.reference for problem, found in self.before.items()}
        found = tuple({**plain, **self.fair}.values())
        return SweepView(spec=self.spec, points=self.data.n, references=found)

    def seconds(self) -> float:
        """Roughly how long the sweep takes on this machine; NaN while that is not known."""
        paces = {problem: found.pace for problem, found in self.before.items()}
        for problem in self.spec.problems[SHOWN:]:  # like their neighbours
            if paces:
                paces[problem] = next(reversed(paces.values()))
        return expected_seconds(self.spec, paces, cores())


def estimate(known: Known) -> None:
    """Cells and time, above the Run button."""
    cells, seconds = len(known.spec.cells), known.seconds()
    cluster = default_scheduler()
    if seconds != seconds:
        time = "" if known.trouble else ", estimating the time…"
    elif cluster:
        time = f", about {duration(seconds * cores())} of work for the cluster at {escape(cluster)}"
    else:
        where = "one core" if cores() == 1 else f"{cores()} cores"
        time = f", about {duration(seconds)} on {where}"
    st.caption(
        f"**{cells:,} cells**{time}",
        help=f"{len(known.spec.settings):,} settings × {len(known.spec.sizes):,} sizes × "
        f"{len(known.spec.seeds):,} seeds, by the time of a few evaluations just now. Cells that "
        "are known already are not computed again.",
    )


def draw(known: Known) -> None:
    """The right side before a sweep."""
    spec = known.spec
    title(known.data)
    introduction, beside = st.columns([3, 1], vertical_alignment="center")
    sizes = ", ".join(f"{size:,}" for size in spec.sizes)
    seeds = "1 seed" if len(spec.seeds) == 1 else f"{len(spec.seeds)} seeds"
    introduction.markdown(
        f"Press **Run** to draw how the cost falls as antidote points are added: {sizes} points, "
        f"each with {seeds}, every dot one run. Until then, this is what the dots will be held "
        "against."
    )
    example(beside, job_settings.EXAMPLE, "A teaching set, 40 cells, solved in some seconds.")
    view = known.view()
    places = st.columns(2, gap="large") if len(known.problems) > 1 else [st.container()]
    for index, problem in enumerate(known.problems):
        with places[index % len(places)]:
            st.subheader(problem_title(problem), anchor=False)
            if problem in known.trouble:
                st.error(escape(known.trouble[problem]), icon="⚠️")
            if problem not in known.before:
                if problem not in known.trouble:
                    st.markdown("Clustering the data as it is… You can press **Run** already.")
                continue
            st.markdown(escape(frontier_words.before_sentence(view, problem)))
            table = frontier_table.cost_table(view, problem)
            st.vega_lite_chart(
                table, with_domains(cost_chart(view, problem, dark=is_dark()), table),
                key=f"before-{index}", alt=frontier_words.chart_words(view, problem),
            )  # fmt: skip
            if has_baseline(*problem[:2]) and problem not in known.fair:
                st.caption("The fair algorithm's lines are being computed…")
    hidden = len(spec.problems) - len(known.problems)
    if hidden:
        st.caption(f"And {hidden} more of them once the sweep runs.")


def title(data: ac.Dataset) -> None:
    st.title(f"{escape(data.title)}: fairness against antidote size", anchor=False)


def open_clicked() -> None:
    """Go to the run whose dot was clicked, if one was."""
    clicked = st.session_state.pop(OPEN, None)
    if clicked is not None:
        store.show(store.RUN, clicked)
        st.switch_page("pages/explore.py", query_params={str(store.RUN): clicked})


def draw_head(sweep_id: str, working: bool) -> None:
    """Verdict and progress, again and again while the sweep works."""
    st.fragment(_head, run_every=HEAD_SECONDS if working else None)(sweep_id, working)


def draw_results(sweep_id: str, working: bool) -> None:
    """Charts, how sure they are, and failed cells; finished cells appear as they finish."""
    with st.container(horizontal=True, gap="medium"):
        against_size = one_of("Against size", [COST, *GUARDED], "upright")
        axis = one_of("Axis of the sizes", ["log", "linear"], "axis")
        against_cost = one_of("Against cost", list(BESIDE_COST), "beside")
    every = CHART_SECONDS if working else None
    choice = Choice(axis == "log", GUARDED.get(against_size), BESIDE_COST[against_cost])
    st.fragment(_results, run_every=every)(sweep_id, choice)


def _head(sweep_id: str, working: bool) -> None:
    looked = latest(store.SWEEP, sweep_id)
    if looked is None:
        return
    status, view = looked
    if working and not status.live:
        st.rerun()
    store.watched(sweep_id)
    found = frontier_words.frontier_verdict(view)
    details = found.details
    if status.state is JobState.QUEUED:
        details = (status.message,)
    box(found.tone, found.headline, " ".join(details))
    if status.live and view.rows:
        st.progress(view.settled / len(view.rows))
    _figures(status, view)


def _figures(status: JobStatus, view: SweepView) -> None:
    if not view.rows:
        return
    with st.container(horizontal=True, gap="medium"):
        figure("Cells done", f"{view.settled:,} of {len(view.rows):,}")
        if view.count(FAILED):
            figure("Failed", f"{view.count(FAILED):,}")
        known = sum(row.reused for row in view.rows)
        if known:
            figure("Known from before", f"{known:,}")
        if status.live:
            elapsed = time.time() - status.started if status.started else 0.0
            figure("Elapsed · left", f"{duration(elapsed)} · {duration(view.left)}")
            place = view.scheduler or "this machine"
            if view.workers:
                figure(f"Workers, {escape(place)}", f"{view.workers:,}")
        else:
            figure("Time", duration(view.seconds))


def _results(sweep_id: str, choice: Choice) -> None:
    view = or_show_error(store.view_of, store.SWEEP, sweep_id)
    if view is None or view.spec is None:
        return
    legend(view)
    for index, problem in enumerate(view.spec.problems):
        _problem(view, problem, index, choice)
    how_sure(view)
    _failures(view)


def legend(view: SweepView) -> None:
    """What every picture on the page has in common, said once."""
    assert view.spec is not None
    dark = is_dark()
    settings = frontier_table.settings_of(view.spec, view.spec.problems[0])
    marks = [
        _swatch(
            frontier_table.look(i, dark).color,
            frontier_table.look(i, dark).glyph,
            frontier_table.setting_title(setting, view.spec),
        )
        for i, setting in enumerate(settings)
    ]
    empty = ink(dark)
    marks += [
        _swatch(empty, "●", "reaches the target"),
        _swatch(empty, "○", "does not"),
        _swatch(VANILLA, "━", "plain clustering and its noise"),
        _swatch(baseline_ink(dark), "━", "fair algorithm"),
    ]
    if view.count(FAILED):
        marks.append(_swatch(DECIDES, "✕", "failed"))
    st.html(
        "<div style='display:flex;flex-wrap:wrap;gap:0.2rem 1.1rem;font-size:0.9rem'>"
        + "".join(marks)
        + "</div>"
    )
    st.caption(
        "One dot is one run: **click it to open it in Explore**. Dots of one size stand side by "
        "side. Line: median over the seeds; shade: where the median over all seeds would lie. Bar "
        "at the foot: the smallest size that reaches the target lies on it."
    )


def _swatch(color: str, glyph: str, text: str) -> str:
    return f"<span><span style='color:{color};font-weight:700'>{glyph}</span> {text}</span>"


def _problem(view: SweepView, problem: ProblemKey, index: int, choice: Choice) -> None:
    assert view.spec is not None
    st.subheader(problem_title(problem), anchor=False)
    found = [one for one in curves(view) if one.setting.problem == problem]
    if len(view.spec.settings) > 1:  # one alone is the verdict
        for one in found:
            name = (
                f"**{frontier_table.setting_title(one.setting, view.spec)}:** "
                if len(found) > 1
                else ""
            )
            st.markdown(f"{name}{escape(frontier_words.curve_sentence(view, one))}")
    reference = found[0].reference
    if reference is None and not any(one.levels for one in found):
        with st.container(height=200, border=True):
            st.markdown("Clustering the data as it is; lines and dots appear as they are found…")
        return
    if reference is not None and reference.reason:
        st.caption(escape(f"No line of the fair algorithm: {reference.reason}"))
    left, right = st.columns(2, gap="large")
    with left:
        _against_size(view, problem, index, choice)
    with right:
        _against_cost(view, problem, index, choice.against_cost)
    with st.expander("The numbers behind these charts"):
        levels = frontier_table.level_table(view)
        if not levels.empty:
            st.markdown("By size:")
            mine = levels["problem"] == problem_title(problem)
            st.dataframe(levels[mine].drop(columns="problem"), hide_index=True)
        st.markdown("By cell:")
        cells = frontier_table.cell_table(view, problem).drop(columns="problem")
        st.dataframe(cells, hide_index=True, column_config={"run": None})


def _against_size(view: SweepView, problem: ProblemKey, index: int, choice: Choice) -> None:
    """What was chosen for the upright axis, over the antidote points."""
    dark, log, measure = is_dark(), choice.log, choice.against_size
    axis = "log" if log else "linear"
    if measure is None:
        st.markdown("**Cost against antidote size**")
        _clickable(
            frontier_table.cost_table(view, problem, log), cost_chart(view, problem, log, dark),
            f"cost-{index}-{axis}", frontier_words.chart_words(view, problem),
        )  # fmt: skip
        return
    st.markdown(f"**{measure.title} against antidote size:** {measure.better}")
    if _measured(view, problem, measure):
        _clickable(
            guard_table(view, problem, measure, log),
            guard_chart(view, problem, measure, log, dark),
            f"{measure.column}-{index}-{axis}", guard_words(view, problem, measure),
        )  # fmt: skip


def _against_cost(view: SweepView, problem: ProblemKey, index: int, measure: Measure) -> None:
    """What was chosen to stand beside fairness, over the cost."""
    st.markdown(f"**{measure.title} against cost:** {BETTER[measure]} and to the left is better")
    if _measured(view, problem, measure):
        _clickable(
            frontier_table.quality_table(view, problem, measure),
            quality_chart(view, problem, is_dark(), measure),
            f"{measure.column}-beside-{index}",
            f"{measure.title} against cost, {problem_title(problem)}.",
        )
        st.caption(
            "Numbers at the lines: antidote points, where there is room. "
            f"{frontier_words.MEANINGS[measure.column]} "
            f"{frontier_table.off_quality_chart(view, problem, measure)}"
        )


def _measured(view: SweepView, problem: ProblemKey, measure: Measure) -> bool:
    """Whether any cell knows the measure; a sentence where none does."""
    done = frontier_table.done_cells(view, problem)
    if not done or frontier_table.is_measured(view, problem, measure):
        return True
    st.caption(
        f"{measure.title}: not known for these cells, which an earlier version computed. Open one "
        "of them in Explore to see it."
    )
    return False


def _clickable(table: pd.DataFrame, spec: dict[str, Any], key: str, alt: str) -> None:
    state = st.vega_lite_chart(
        table, with_domains(spec, table), key=key, alt=alt, on_select="rerun", selection_mode=CELL
    )
    chosen = state.selection.get(CELL)
    if chosen and chosen[0].get("run"):
        st.session_state[OPEN] = chosen[0]["run"]
        st.rerun()


def how_sure(view: SweepView) -> None:
    """Share of seeds, noise band and a plain sentence for every curve."""
    found = [one for one in curves(view) if one.sureness is not None]
    if not found:
        return
    st.subheader("How sure are we?", anchor=False)
    for one in found:
        name = frontier_words.curve_name(view, one)
        said = escape(" ".join(frontier_words.sure_sentences(view, one)))
        st.markdown(f"- **{name}:** {said}" if name else f"- {said}")
    behind(frontier_words.sureness_table(view), "How sure, in numbers")


def _failures(view: SweepView) -> None:
    if not view.count(FAILED):
        return
    st.warning(escape(frontier_words.failures_sentence(view)), icon="⚠️")
    behind(frontier_words.failures_table(view), "The failed cells")


def missing(status: JobStatus, view: SweepView) -> None:
    """Where a sweep did not come to its end or cells failed: go on with them."""
    failed = view.count(FAILED) if status.state is JobState.FINISHED else 0
    if failed:
        trouble(status, "Try the failed cells again", failures=True)
    elif status.can_restart:
        trouble(status, "Resume")
