"""The Runs page, runs side by side and slides, without a browser; and who a visitor is."""

import dataclasses
import json

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

import antidote_core as ac
from antidote_core.engine import JobState, Runner
from antidote_core.engine.job_folder import JobStatus
from antidote_core.reporting.figures import comparisons
from antidote_core.reporting.text.run_words import list_table, run_rows
from antidote_core.runs.kinds import RUN
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.shared.rooms import unmasked

from .test_pages import ROOT, open_page, texts

FIRST = RunSpec(
    dataset="two-optima", start_size=4, step=2, target=-0.9, budget=60, max_rounds=3, seed=2,
    place="minmax",
)  # fmt: skip
SECOND = dataclasses.replace(FIRST, budget=40, seed=3)
ME = "me"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("ANTIDOTE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def runner(home):
    with Runner(home) as runner:
        yield runner


@pytest.fixture(scope="module")
def ids(runner) -> list[str]:
    found = [runner.submit(spec, owner=ME) for spec in (FIRST, SECOND)]
    assert all(runner.wait(run_id, 120).state is JobState.FINISHED for run_id in found)
    return found


def visit(page: str, who: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
    app.session_state["_owner"] = who
    app.switch_page(f"pages/{page}.py")
    for key, value in link.items():
        app.query_params[key] = value
    return app.run()


def said(app: AppTest) -> str:
    return texts(app).replace("\\", "")


def test_a_visitor_is_the_same_under_every_mask() -> None:
    token = bytes(range(16))
    cookies = {generate_xsrf_token_string(token, 1_700_000_000 + second) for second in range(5)}
    assert len(cookies) == 5
    assert {unmasked(cookie) for cookie in cookies} == {token}
    assert unmasked(generate_xsrf_token_string()) != token


@pytest.mark.parametrize(
    "cookie", ["", "2", "2|zz|00|1", "1|00000000|00|1", "2|00|00ff|1", "a|b|c"]
)
def test_a_cookie_of_another_form_is_no_visitor(cookie: str) -> None:
    assert unmasked(cookie) is None


def test_an_empty_list_says_what_will_be_on_it(home) -> None:
    app = visit("runs", "nobody")
    assert not app.exception
    assert "Nothing here yet" in said(app)
    assert not app.dataframe


def test_the_list_shows_the_runs_of_this_browser_and_of_no_other(ids, runner) -> None:
    app = visit("runs", ME)
    assert not app.exception
    table = app.dataframe[0].value
    assert len(table) == 2
    assert set(table["data set"]) == {"Two optima"}
    view = runner.view(ids[1])  # the latest stands above
    assert table["outcome"].iloc[0] == view.verdict.outcome.word
    before, after = f"{-100 * view.vanilla_cost:.0f}", f"{-100 * view.cost:.0f}"
    shown = table["plain → with V"].iloc[0].replace("\N{NO-BREAK SPACE}", " ")
    assert shown == f"{before} % → {after} % of its fair share"
    assert table["price"].iloc[0].startswith(("+", "−", "±"))
    assert table["smallest cluster"].iloc[0].endswith("%")
    assert table["|V| (of the data)"].iloc[0].startswith(f"{view.size} (")
    assert not visit("runs", "somebody else").dataframe


def test_the_filter_takes_every_word(ids, runner) -> None:
    runner.rename(ids[0], ME, "Monday's class")
    assert len(visit("runs", ME, filter="monday OPTIMA").dataframe[0].value) == 1
    assert len(visit("runs", ME, filter="balance finished").dataframe[0].value) == 2
    app = visit("runs", ME, filter="bank")
    assert not app.dataframe
    assert "No run matches" in app.info[0].value
    assert not visit("runs", ME, kind="frontiers").dataframe


def test_a_run_opened_by_its_link_is_on_the_list_and_can_leave_it(ids, runner) -> None:
    app = visit("explore", "guest", run=ids[0])
    assert not app.exception
    assert [run.run_id for run in runner.jobs("guest", RUN)] == [ids[0]]
    runner.delete(ids[0], "guest")
    assert runner.status(ids[0]).state is JobState.FINISHED
    assert len(visit("runs", ME).dataframe[0].value) == 2


def test_two_runs_stand_side_by_side_with_what_differs(ids) -> None:
    app = visit("compare", ME, runs=",".join(ids))
    assert not app.exception
    assert not app.error
    assert "They differ in evaluations per round and seed; everything else" in said(app)
    assert len(app.get("plotly_chart")) == 5  # the curves; a mix and a map for each
    settings = app.dataframe[-1].value
    assert settings.loc[settings[""] == "≠", "setting"].tolist() == [
        "evaluations per round",
        "seed",
    ]


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ("", "names 0 runs"),
        ("x", "names 1 runs"),
        ("a,b,c,d,e", "names 5 runs"),
        ("a,b", "is not the id of a run"),
        (f"{'A' * 22},{'B' * 22}", "There is no run AAAA"),
    ],
)
def test_a_bad_comparison_gets_a_sentence(home, runs: str, sentence: str) -> None:
    app = visit("compare", ME, runs=runs)
    assert not app.exception
    assert sentence in app.error[0].value.replace("\\", "")


def presented(app) -> dict:
    """What the deck on the page holds."""
    assert not app.exception
    [frame] = [
        json.loads(each.proto.json)
        for each in app.get("bidi_component")
        if each.proto.component_name == "antidote_slides"
    ]
    text = frame["html"].partition("id='deck'>")[2].partition("</script>")[0]
    return json.loads(text)


def test_the_deck_is_the_visitors_own(ids) -> None:
    app = visit("present", ME, run=ids[1])
    found = presented(app)
    assert "400 rows in 2 groups" in found["slides"][0]["title"]
    assert found["title"] == "Fairer clusters: Two optima"
    app.text_input[0].set_value("A better split")
    app.text_input[1].set_value("Ada <b>")
    next(button for button in app.button if button.label == "Use these").click().run()
    found = presented(app)
    assert (found["title"], found["name"]) == ("A better split", "Ada <b>")
    for place in ("99", "-1", "x", "²"):
        assert not visit("present", ME, run=ids[0], slide=place).exception


def test_a_hollow_run_is_hollow_on_every_page(runner) -> None:
    hollow = RunSpec(
        dataset="bank", sample=5000, target=-0.8, start_size=8, max_rounds=1, min_share=0,
        max_price=None, place="minmax",
    )  # fmt: skip
    run_id = runner.submit(hollow, owner="sceptic")
    assert runner.wait(run_id, 120).state is JobState.FINISHED
    for slide in presented(visit("present", "sceptic", run=run_id))["slides"]:
        assert "Hollow. The win is hollow" in slide["caution"]
    table = visit("runs", "sceptic").dataframe[0].value
    assert table["outcome"].tolist() == ["Hollow"]
    free = runner.submit(dataclasses.replace(hollow, seed=1), owner="sceptic")
    assert runner.wait(free, 120).state is JobState.FINISHED
    app = visit("compare", "sceptic", runs=f"{run_id},{free}")
    assert "The lowest cost is that of" in said(app)
    assert "hollow" in said(app)


@pytest.mark.parametrize("run", ["", "nonsense", "A" * 22])
def test_nothing_to_present_is_said(home, run: str) -> None:
    app = visit("present", ME, run=run) if run else open_page("present")
    assert not app.exception
    assert app.title[0].value == "Nothing to present"
    assert bool(app.error) == bool(run)


def test_private_runs_are_named_as_ones_own_and_sweeps_are_listed() -> None:
    own = JobStatus("a" * 22, JobState.QUEUED, FIRST, True, 10.0)
    sweep = JobStatus(
        "b" * 22, JobState.FINISHED, SweepSpec("bank", sizes=(5, 10)), False, 20.0,
        summary={"done": 10},
    )  # fmt: skip
    rows = run_rows([own, sweep])
    assert [row.kind for row in rows] == ["sweep", "run"]
    table = list_table(rows)
    assert table["data set"].tolist() == ["Bank marketing", "Two optima (your own)"]
    assert table["checks that agree"].tolist() == ["10 of 10 runs done", "–"]
    assert table["outcome"].tolist() == ["Finished", "Waiting"]
    assert rows[0].matches("frontier BANK")
    assert not rows[1].matches("frontier")


def test_runs_of_different_kinds_carry_a_warning_and_stand_in_rows_of_their_own() -> None:
    spec = dataclasses.replace(FIRST, max_rounds=1, budget=20)
    social = dataclasses.replace(spec, fairness="social", target="vanilla")
    other = dataclasses.replace(spec, dataset="blobs")
    sides = [comparisons.Side(s.dataset, s, ac.run(s)) for s in (spec, social, other)]
    assert "different costs" in comparisons.warning(sides)
    assert "different data" in comparisons.warning([sides[0], sides[2]])
    assert comparisons.warning([sides[0], sides[0]]) == ""
    assert comparisons.difference_sentence([sides[0]] * 2).startswith("These runs have the same")
    figure = comparisons.curves_figure(sides)
    assert {trace.yaxis for trace in figure.data} == {"y", "y2"}
    assert [trace.y[0] for trace in figure.data] == [s.view.vanilla_cost for s in sides]
    assert len(comparisons.results_table(sides).columns) == 4
    empty = comparisons.Side("early", spec, ac.RunView(state="stopped", reason="stopped by you"))
    assert "not known" in comparisons.results_table([empty, sides[0]]).to_string()
