"""The Frontier page without a browser: before a sweep, replayed, stopped, failed and wrong ones."""

import secrets
import time

import pytest
from streamlit.testing.v1 import AppTest

import antidote_core as ac
from antidote_core.engine import JobState, Runner, Store
from antidote_core.engine.job_folder import LogWriter, RunFolder
from antidote_core.engine.store import content_key
from antidote_core.reporting.text.frontier_words import frontier_verdict
from antidote_core.runs.kinds import SWEEP
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from tests.core.runs.made_sweeps import SPEC, events

from .test_pages import open_page, texts

LINK = {
    "data": "two-optima", "pairs": "kmeans + social", "optimizers": "cmaes", "sizes": "3, 6",
    "seeds": "2", "first_seed": "7", "reach": "value", "reach_at": "1.5", "ks": "3",
    "boxes": "plausible", "tries": "50", "starts": "2", "sample": "90", "seed": "1",
}  # fmt: skip
LINKED = SweepSpec(
    "two-optima", combinations=(("kmeans", "social"),), optimizers=("cmaes",), sizes=(3, 6),
    seeds=(7, 8), target=1.5, ks=(3,), boxes=("plausible",), budget=50, restarts=2, sample=90,
    sample_seed=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("ANTIDOTE_HOME", str(folder))
        patch.delenv("ANTIDOTE_SCHEDULER", raising=False)
        yield folder


@pytest.fixture(scope="module")
def runner(home):
    with Runner(home) as runner:
        yield runner


def kept(home, **changes) -> str:
    """The id of a sweep in the store with a log as `made_sweeps` writes it."""
    store = Store(home)
    # In one step, or a runner would begin to work on it.
    with store._transaction():
        sweep_id = secrets.token_urlsafe(16)
        folder = RunFolder(store.runs / sweep_id)
        folder.create(SPEC, None)
        with LogWriter(folder.events) as log:
            for event in events(**changes):
                log.append(event)
        view = SweepView.fold(events(**changes))
        key = content_key(SPEC, ac.load_dataset(SPEC.dataset))
        store._insert(sweep_id, key, SPEC, False, time.time(), JobState(view.state))
        store._attach(sweep_id, None)
        store.record_end(sweep_id, JobState(view.state), view.reason, view)
    store.close()
    return sweep_id


@pytest.fixture(scope="module")
def finished(home):
    return kept(home)


def said(app: AppTest) -> str:
    return texts(app).replace("\\", "")


def until_said(app: AppTest, text: str) -> AppTest:
    """The page once the background has found out what it says."""
    end = time.monotonic() + 90
    while text not in said(app):
        assert time.monotonic() < end, said(app)
        time.sleep(0.2)
        app.run()
    return app


def run_button(app: AppTest):
    return next(button for button in app.button if button.label in ("▶ Run", "▶ Resume"))


def test_before_a_sweep_the_page_shows_what_is_known(home) -> None:
    app = until_said(open_page("frontier", data="two-optima"), "Bera et al., own assignment")
    assert not app.exception
    assert not app.error
    assert not app.warning
    cost = ac.Problem(ac.load_dataset("two-optima")).vanilla.cost
    assert f"of its fair share (cost {cost:.3f}".replace("-", "−") in said(app)
    assert "10, 20, 50, 100 points, each with 5 seeds" in said(app)
    assert "20 cells" in said(app)
    assert " on " in said(app).split("20 cells")[1]
    assert any(button.label == "Show a finished example" for button in app.button)
    assert len(app.get("vega_lite_chart")) == 1


def test_a_finished_sweep_is_replayed_from_its_link(runner, finished) -> None:
    app = open_page("frontier", sweep=finished)
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert frontier_verdict(runner.view(finished, kind=SWEEP)).headline in said(app)
    assert {m.label: m.value for m in app.metric}["Cells done"] == "20 of 20"
    assert "How sure are we?" in said(app)
    assert app.text_input(key="sizes").value == "10, 20, 50, 100"
    assert "other settings" not in said(app)
    assert len(app.get("vega_lite_chart")) == 2
    assert len(app.get("download_button")) == 3
    assert app.query_params["sweep"] in (finished, [finished])


def test_the_axis_can_be_linear(finished) -> None:
    app = open_page("frontier", sweep=finished, axis="linear")
    assert not app.exception
    assert not app.warning
    assert app.session_state["axis"] == "linear"


@pytest.mark.parametrize("upright", ["cost", "price of fairness", "smallest cluster"])
def test_size_stands_against_cost_price_or_smallest_cluster(finished, upright: str) -> None:
    app = open_page("frontier", sweep=finished, upright=upright, beside="smallest cluster")
    assert not app.exception
    assert not app.warning
    assert app.session_state["upright"] == upright
    assert f"**{upright.capitalize()} against antidote size" in said(app)
    assert "**Smallest cluster against cost:** up and to the left is better" in said(app)
    assert len(app.get("vega_lite_chart")) == 2


def test_the_price_stands_against_the_cost(finished) -> None:
    app = open_page("frontier", sweep=finished)
    assert "**Price of fairness against cost:** down and to the left is better" in said(app)
    assert "Price: inertia +0.7" in said(app)


def test_a_sweep_of_an_earlier_version_says_what_is_not_known(home) -> None:
    sweep = kept(home, priced=False)
    app = open_page("frontier", sweep=sweep, upright="smallest cluster")
    assert not app.exception
    assert "Price of fairness: not known for these cells" in said(app)
    assert "Smallest cluster: not known for these cells" in said(app)


def test_widgets_and_spec_say_the_same_both_ways(runner) -> None:
    app = open_page("frontier", **LINK)
    assert not app.warning
    run_button(app).click().run()
    assert not app.exception
    sweep_id = app.session_state["sweep"]
    assert runner.status(sweep_id).spec == LINKED
    runner.stop(sweep_id)
    again = open_page("frontier", sweep=sweep_id)
    for key, value in LINK.items():
        shown = again.session_state[key]
        shown = ", ".join(map(str, shown)) if isinstance(shown, list) else shown
        assert str(shown).casefold().removesuffix(".0") == value, key
    assert not runner.wait(sweep_id, 60).live


def test_a_stopped_sweep_keeps_what_was_found_and_can_be_resumed(home, runner) -> None:
    sweep_id = kept(home, settled=7, end="stopped", reason="stopped by you")
    app = open_page("frontier", sweep=sweep_id)
    assert not app.exception
    assert "The sweep was stopped by you" in said(app)
    assert "7 of 20 cells are there" in said(app)
    assert run_button(app).label == "▶ Resume"
    app.button(key="resume").click().run()
    assert not app.exception
    assert runner.status(sweep_id).live
    runner.stop(sweep_id)
    assert not runner.wait(sweep_id, 60).live


def test_failed_cells_are_named_with_their_reason(home, runner) -> None:
    sweep_id = kept(home, failed={3})
    app = open_page("frontier", sweep=sweep_id)
    assert not app.exception
    assert "1 cell of 20 failed (memory ran out)" in app.warning[0].value.replace("\\", "")
    assert {m.label: m.value for m in app.metric}["Failed"] == "1"
    assert app.button(key="resume").label == "Try the failed cells again"


def test_a_sweep_that_failed_says_why(home, runner) -> None:
    reason = "The connection to the cluster was lost; resume the sweep when it is back."
    app = open_page("frontier", sweep=kept(home, settled=5, end="failed", reason=reason))
    assert not app.exception
    assert f"The sweep did not finish: {reason}" in said(app)
    assert app.button(key="resume").label == "Resume"


def test_a_bad_scheduler_gets_a_sentence_and_the_page_works_on(runner, monkeypatch) -> None:
    monkeypatch.setenv("ANTIDOTE_SCHEDULER", "tcp://127.0.0.1:1")
    app = until_said(open_page("frontier", data="two-optima"), "for the cluster at")
    run_button(app).click().run()
    assert not app.exception
    assert "No dask scheduler can be reached at tcp://127.0.0.1:1" in app.error[0].value.replace(
        "\\", ""
    )
    assert "Plain clustering is at" in said(app)
    assert not run_button(app).disabled


@pytest.mark.parametrize(
    ("sweep", "sentence"),
    [("nonsense", "is not the id of a run"), ("A" * 22, "There is no run AAAA")],
)
def test_a_bad_id_gets_a_sentence_and_the_plain_page(home, sweep: str, sentence: str) -> None:
    app = open_page("frontier", data="two-optima", sweep=sweep)
    assert not app.exception
    assert sentence in app.error[0].value.replace("\\", "")
    assert "Press Run" in said(app).replace("*", "")


def test_the_id_of_a_run_is_sent_to_explore(runner) -> None:
    run = runner.submit(ac.RunSpec("blobs", budget=10, max_rounds=1))
    app = open_page("frontier", sweep=run)
    assert not app.exception
    assert "open it on the page Explore" in app.error[0].value.replace("\\", "")
    runner.stop(run)
    assert not runner.wait(run, 60).live


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"sizes": "ten"}, "must be whole numbers with commas between them"),
        ({"sizes": ""}, "must be whole numbers with commas between them"),
        ({"pairs": "spectral + balance", "optimizers": "design"}, "design knows no spectral"),
        ({"pairs": ""}, "No combination is chosen"),
        ({"sizes": ",".join(map(str, range(1, 200))), "seeds": "20"}, "2000 cells at most"),
    ],
)
def test_settings_that_cannot_be_run_get_a_sentence(home, link: dict, sentence: str) -> None:
    app = open_page("frontier", data="two-optima", **link)
    assert not app.exception
    assert sentence in app.error[0].value.replace("\\", "")
    assert run_button(app).disabled


def test_a_bad_link_gets_a_sentence(home) -> None:
    app = open_page("frontier", data="two-optima", seeds="99", optimizers="magic")
    assert not app.exception
    said_about = app.warning[0].value.replace("\\", "")
    assert "seeds = 99" in said_about
    assert "optimizers = magic" in said_about
