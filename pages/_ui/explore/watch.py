"""What changes while a run works: the verdict, its figures, the curve."""

import time

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.progress import progress
from antidote_core.clustering import CLUSTERINGS
from antidote_core.engine.job_folder import JobStatus
from antidote_core.fairness import FAIRNESS
from antidote_core.reporting.figures.comparison_chart import baseline_costs
from antidote_core.reporting.figures.curve import curve_chart, curve_table, curve_words
from antidote_core.reporting.text.design_words import doing_sentence
from antidote_core.reporting.text.glossary import explain, explain_cost
from antidote_core.reporting.text.verdict import cost_digits, verdict
from antidote_core.reporting.text.words import duration, number, share_of_data
from antidote_core.runs.state import JobState
from pages._ui.explore import ended
from pages._ui.jobs import store
from pages._ui.shared.link import escape
from pages._ui.shared.show import is_dark, or_show_error

HEAD_SECONDS = 0.5  # between two looks at a live run
CURVE_SECONDS = 1.0
PAGE_SECONDS = 2.0  # at least, between two full pages for new rounds
TONES = {
    "good": "0,158,115",
    "doubtful": "230,159,0",
    "bad": "213,94,0",
    "waiting": "0,114,178",
}


def style() -> None:
    """Colours of the verdict, and the Run button where it can always be reached."""
    rules = "".join(
        f".st-key-verdict-{tone} {{border-left: 7px solid rgb({color}); border-radius: 4px; "
        f"background: rgba({color},0.10); padding: 0.8rem 1rem;}}"
        for tone, color in TONES.items()
    )
    st.html(
        f"<style>{rules} [class*='st-key-verdict-'] h3 {{padding: 0; font-size: 1.4rem;}}"
        ".st-key-main h1 {font-size: 1.5rem; padding: 0.2rem 0;}"
        ".st-key-main h3 {font-size: 1.15rem; padding: 0.2rem 0;}"
        ".st-key-main [data-testid=stMetricValue] {font-size: 1.35rem;}"
        # What a fragment is about to draw again must not fade meanwhile.
        "[data-testid=stMain] [data-stale=true] {opacity: 1 !important; transition: none;}"
        "[data-testid=stLayoutWrapper]:has(> .st-key-runbar) {position: sticky; bottom: 0;"
        "z-index: 5; backdrop-filter: blur(14px);}"
        ".st-key-runbar {padding: 0.6rem 0 1rem 0;}</style>"
    )


def title(data: ac.Dataset, spec: ac.RunSpec) -> None:
    """Which run this is."""
    pair = f"{CLUSTERINGS[spec.clustering].title} + {FAIRNESS[spec.fairness].title.lower()}"
    st.title(f"{escape(data.title)}: {pair}, k = {spec.k}", anchor=False)


def draw_head(run_id: str, working: bool, view: ac.RunView) -> None:
    """Verdict and figures, again and again while the run works."""
    drawn = (_stand(view), time.monotonic())
    st.fragment(_head, run_every=HEAD_SECONDS if working else None)(run_id, working, drawn)


def draw_curve(run_id: str, working: bool, fair: dict[str, float], shown: int | None) -> None:
    """Cost against size; `fair` are costs known before the run says them itself."""
    run_every = CURVE_SECONDS if working else None
    st.fragment(_curve, run_every=run_every)(run_id, working, fair, shown)


def _stand(view: ac.RunView) -> tuple:
    """What the blocks that are drawn once per round depend on."""
    return view.state, bool(view.vanilla), view.rounds, len(view.comparison)


def _head(run_id: str, working: bool, drawn: tuple) -> None:
    """Asks for a full page when a round has ended, and once more when the run has."""
    status = or_show_error(store.status_of, run_id)
    view = or_show_error(store.view_of, store.RUN, run_id)
    if status is None or view is None:
        return
    (stand, at) = drawn
    new_round = _stand(view) != stand and time.monotonic() - at > PAGE_SECONDS
    if working and (new_round or not status.live):
        st.rerun()
    store.watched(run_id)
    if view.state in ("queued", "running"):
        _working(status, view)
    else:
        _ended(status, view)


def _spec(status: JobStatus) -> ac.RunSpec:
    """What the run was asked; a sweep has not come so far."""
    assert isinstance(status.spec, ac.RunSpec)
    return status.spec


def _working(status: JobStatus, view: ac.RunView) -> None:
    spec = _spec(status)
    elapsed = time.time() - status.started if status.started else 0.0
    figures = progress(view, spec, elapsed)
    if status.state is JobState.QUEUED:
        _box("waiting", status.message, "It starts by itself as soon as another run ends.")
    elif not view.vanilla:
        stage = view.activity or ("clustering the data as it is" if view.spec else "starting")
        _box("waiting", f"Getting ready: {stage}…", f"{duration(elapsed)} so far.")
    elif not view.noise:
        _box("waiting", "Plain clustering is known; measuring its noise over other seeds…", "")
    else:
        doing = doing_sentence(view) or f"trying sets of {figures.size:,} points"
        said = f"Round {figures.round}: {doing}"
        if figures.round and not figures.size:
            said = "Round 1 begins"
        found = verdict(view).details
        _box("waiting", f"{said}…", " ".join(found) or "Nothing better than plain clustering yet.")
    with st.container(horizontal=True, gap="medium"):
        size = figures.size
        known_size = f"{size:,} ({share_of_data(size, view.points)})" if size else "…"
        _figure("Antidote points |V| (of |U|)", known_size)
        limit = f" of {spec.max_rounds}" if spec.max_rounds else ""
        _figure("Round", f"{figures.round if view.noise else 0}{limit}")
        rate = f" ({figures.rate:,.0f}/s)" if figures.rate == figures.rate else ""
        _figure("Evaluations", f"{figures.evaluations:,}{rate}")
        best = min([view.cost, *([view.current["cost"]] if view.current else [])])
        known = best == best
        _figure(
            f"Best cost (plain {number(view.vanilla_cost, 4)})" if known else "Best cost",
            number(best, 4) if known else "…",
        )
        bound = duration(figures.round_seconds)
        _figure("Elapsed · this round at most", f"{duration(elapsed)} · {bound}")


def _ended(status: JobStatus, view: ac.RunView) -> None:
    found = verdict(view)
    _box(found.tone, found.headline, " ".join(found.details))
    if status.live:
        st.caption("The verdict stands. Comparing with the fair algorithm…")
    if not view.vanilla:
        return
    digits = cost_digits(view)
    with st.container(horizontal=True, gap="medium"):
        before, after = number(view.vanilla_cost, digits), number(view.cost, digits)
        meaning = explain_cost(_spec(status).fairness)
        _figure("Cost, lower is fairer", f"{before} → {after}", meaning)
        share = share_of_data(view.size, view.points)
        _figure("Antidote points |V| (of |U|)", f"{view.size:,} ({share})")
        if view.verification is not None:
            agreeing = view.verification.agreeing
            checks = len(view.verification.costs)
            meaning = explain("independent clustering")
            _figure("Independent checks that agree", f"{agreeing} of {checks}", meaning)
        if view.noise:
            seen = (*view.noise, view.vanilla_cost)
            low, high = number(min(seen), digits), number(max(seen), digits)
            band = "none seen" if low == high else f"{low} to {high}"
            _figure("Noise of plain costs", band, explain("noise"))
        spent = f"{view.rounds:,} · {view.evaluations:,} · {duration(view.seconds)}"
        _figure("Rounds · evaluations · time", spent)


def _figure(label: str, value: str, meaning: str | None = None) -> None:
    st.metric(label, value, width="content", help=meaning)


def _box(tone: str, headline: str, details: str) -> None:
    with st.container(key=f"verdict-{tone}"):
        st.subheader(escape(headline), anchor=False)
        if details:
            st.markdown(escape(details))


def _curve(run_id: str, working: bool, fair: dict[str, float], shown: int | None) -> None:
    status = or_show_error(store.status_of, run_id)
    view = or_show_error(store.view_of, store.RUN, run_id)
    if status is None or view is None:
        return
    if working and not status.live:  # should the head have missed it
        st.rerun()
    st.subheader("Cost against antidote size", anchor=False)
    fair = baseline_costs(view, _spec(status).fairness) or fair
    table = curve_table(view, fair, shown)
    st.vega_lite_chart(table, curve_chart(max(view.points, 1), is_dark()), key="curve",
                       alt=curve_words(view, fair))  # fmt: skip
    st.caption(
        "Hollow: best V of a round. Filled: checked by independent clusterings. Diamond: the round "
        "at work. Grey band: what plain clustering costs from seed to seed."
    )
    with st.expander("The numbers behind this chart"):
        rows = [
            {"step": step.title, "points": len(step.antidote), "cost": step.cost}
            for step in view.steps
        ]
        st.dataframe(rows, hide_index=True)
    ended.contests(view)


def trouble(run_id: str, status: JobStatus) -> None:
    """A run that did not finish: again, and what its process printed."""
    again, log = st.columns([1, 3])
    if again.button("Run again", width="stretch"):
        or_show_error(store.again, run_id)
        st.rerun()
    if status.state in (JobState.FAILED, JobState.DEAD):
        with log.expander("Log of the worker"):
            text = or_show_error(store.log_of, run_id)
            st.code(text or "The worker printed nothing.", language=None)
