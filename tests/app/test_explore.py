"""The Explore page without a browser: no run, every data set, replayed, failed and wrong runs."""

import dataclasses
import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import antidote_core as ac
from antidote_core.analysis import snapshots
from antidote_core.datasets import DATASETS, available_forms
from antidote_core.engine import JobState, Runner
from antidote_core.reporting.figures import comparisons, curve
from antidote_core.reporting.figures.maps import features_plane, flat_picture, run_map_figure
from antidote_core.runs.events import Shrunk, Spread
from antidote_core.runs.scenarios import SCENARIOS
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import pack
from pages._ui.shared import answers

from .test_pages import open_page, texts

SPEC = RunSpec(
    dataset="two-optima", start_size=3, step=2, target=-1.0, budget=60, max_rounds=3, seed=2,
    place="minmax", max_price=None,
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home folder of its own for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("ANTIDOTE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def runner(home):
    with Runner(home) as runner:
        yield runner


@pytest.fixture(scope="module")
def finished(runner):
    run_id = runner.submit(SPEC)
    assert runner.wait(run_id, 120).state is JobState.FINISHED
    return run_id


def said(app: AppTest) -> str:
    return texts(app).replace("\\", "")


def until_plain(app: AppTest) -> AppTest:
    """The page once its plain clustering has been computed in the background."""
    end = time.monotonic() + 90
    while not app.get("plotly_chart"):
        assert time.monotonic() < end
        time.sleep(0.2)
        app.run()
    return app


def test_without_a_run_the_page_shows_what_there_is_to_improve(home) -> None:
    app = until_plain(open_page("explore", data="two-optima"))
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert "before anything is added" in said(app)
    assert any("Run" in button.label for button in app.button)
    report = ac.Problem(ac.load_dataset("two-optima")).vanilla
    assert f"plain clustering (vanilla): **{report.cost:.4f}**".replace("-", "−") in said(app)
    assert "best possible: −1" in said(app)


@pytest.mark.parametrize("name", DATASETS)
def test_every_data_set_can_be_chosen(home, name: str) -> None:
    rows = next(f.name for f in available_forms(name) if f.available and f.name != "download")
    app = open_page("explore", data=name, rows=rows, sample="200")
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="data").value == name


@pytest.mark.parametrize(
    ("pair", "sample"), [("kmeans + social", None), ("spectral + balance", 1000)]
)
def test_a_combination_brings_its_sample(home, pair: str, sample: int | None) -> None:
    app = open_page("explore")
    app.selectbox(key="pair").select(pair).run()
    assert not app.exception
    assert app.number_input(key="sample").value == sample
    app.selectbox(key="pair").select("kmeans + balance").run()
    assert app.number_input(key="sample").value is None


def test_a_finished_run_is_replayed_from_its_link(runner, finished) -> None:
    app = open_page("explore", run=finished)
    assert not app.exception
    assert not app.error
    view = runner.view(finished)
    assert view.verdict.headline in said(app)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Antidote points |V| (of |U|)"].startswith(f"{view.size} (")
    assert len(app.get("plotly_chart")) == 1  # who is where
    assert app.selectbox(key="data").value == "two-optima"
    assert app.number_input(key="run_seed").value == 2
    assert app.number_input(key="alpha").value == SPEC.target
    assert app.query_params["run"] in (finished, [finished])


def test_what_stands_behind_the_stage_is_drawn_when_it_is_opened(runner, finished) -> None:
    others = open_page("explore", run=finished, details="Against the others")
    assert not others.exception
    assert not others.warning
    assert "scores a fair algorithm" in said(others)
    assert len(others.get("plotly_chart")) == 8  # measures
    people = open_page("explore", run=finished, details="The people")
    assert "The antidote points, in original units" in said(people)
    assert "scores a fair algorithm" not in said(people)
    sure = open_page("explore", run=finished, details="How sure, and how it works")
    assert "Where this departs from the paper" in said(sure)
    assert "What was not shown" in said(sure)


def parcels(app: AppTest) -> dict[str, dict]:
    """What the stage was handed over, by kind; bytes as their first line."""
    found = {}
    for element in app.get("bidi_component"):
        proto = element.proto
        sent = proto.bytes.split(b"\n")[0] if proto.WhichOneof("data") == "bytes" else proto.json
        parcel = json.loads(sent)
        if "run" not in parcel:  # of the page, not of the stage
            continue
        found[parcel.get("kind", "picture")] = parcel
    return found


def test_the_stage_plays_every_step_of_a_stored_run(runner, finished) -> None:
    found = parcels(open_page("explore", run=finished))
    view = runner.view(finished)
    assert set(found) == {"picture", "points", "steps", "show"}
    assert {parcel["run"] for parcel in found.values()} == {finished}
    assert found["points"]["count"] == view.points
    assert len(found["steps"]["steps"]) == len(found["show"]["labels"]) == len(view.steps)
    assert found["show"]["answer"] == view.answer_index
    assert f"Round 1 · {view.history[0].size} points · " in found["show"]["labels"][1]
    assert found["show"]["stored"].startswith("Stored result of ")
    assert not found["show"]["live"]


@pytest.mark.parametrize("projection", ["features", "umap"])
@pytest.mark.parametrize("color", ["group", "cluster", "changed"])
def test_every_map_and_colour(finished, projection: str, color: str) -> None:
    app = open_page("explore", run=finished, projection=projection, paint=color)
    assert not app.exception
    assert not app.error
    assert app.session_state["paint"] == color
    assert parcels(app)["show"]["color"] == color


LINK = {
    "data": "blobs", "pair": "other", "method": "kmedian", "cost": "gap", "k": "3", "start": "2",
    "step": "4", "target": "value", "alpha": "0.001", "optimizer": "cmaes", "dimension": "7",
    "budget": "50", "place": "plausible", "growth": "bisect", "restarts": "2", "max_size": "20",
    "max_rounds": "2", "max_seconds": "30", "max_stalled": "7", "shrink": "true",
    "min_share": "20", "max_price": "30", "run_seed": "5", "sample": "90",
    "seed": "1",
}  # fmt: skip
LINKED = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="gap", k=3, start_size=2, step=4, target=0.001,
    optimizer="cmaes", embed_dim=7, budget=50, box="plausible", growth="bisect", restarts=2,
    max_size=20, max_rounds=2, max_seconds=30.0, max_stalled=7, min_share=0.2 / 3, max_price=0.3,
    shrink=True, seed=5, sample=90, sample_seed=1,
)  # fmt: skip


def test_widgets_and_spec_say_the_same_both_ways(runner) -> None:
    app = open_page("explore", **LINK)
    assert not app.warning
    next(button for button in app.button if "Run" in button.label).click().run()
    assert not app.exception
    run_id = app.session_state["run"]
    assert runner.status(run_id).spec == LINKED
    assert app.query_params["run"] in (run_id, [run_id])
    again = open_page("explore", run=run_id)
    for key, value in LINK.items():
        assert str(again.session_state[key]).casefold().removesuffix(".0") == value, key
    assert runner.wait(run_id, 120).state is JobState.FINISHED


def test_a_link_with_other_settings_keeps_them_beside_the_run(finished) -> None:
    app = open_page("explore", run=finished, data="two-optima", k="4")
    assert not app.exception
    assert app.slider(key="k").value == 4
    assert "This run has other settings than those on the left" in said(app)
    part = open_page("explore", run=finished, data="two-optima", target="value")
    assert part.number_input(key="alpha").value == SPEC.target
    assert "other settings" not in said(part)


def test_presets_are_those_of_the_paper_and_ours(home) -> None:
    app = open_page("explore", data="blobs")
    for label, values in (
        ("As in paper", ("racos", 1, "restart")),
        ("Our best", ("design", 10, "bisect")),
    ):
        next(button for button in app.button if button.label == label).click().run()
        assert not app.exception
        keys = ("optimizer", "restarts", "growth")
        assert tuple(app.session_state[key] for key in keys) == values


def test_what_is_not_used_is_grey_and_says_why(home) -> None:
    app = open_page("explore", data="blobs", growth="bisect", optimizer="design", place="minmax")
    grey = [w.key for w in (*app.number_input, *app.slider) if w.disabled]
    assert {"step", "factor", "dimension", "budget", "max_copies", "percentiles"} <= set(grey)
    assert not {"start", "lasting", "restarts", "max_size"} & set(grey)
    assert "Not used: bisection doubles and halves the size." in said(app)
    assert "Not used: a design solves programs and counts no evaluations." in said(app)
    plain = open_page("explore", data="blobs", optimizer="racos", factor="1.5")
    grey = [w.key for w in (*plain.number_input, *plain.slider) if w.disabled]
    assert {"step", "lasting"} <= set(grey)
    assert not {"dimension", "budget", "factor", "percentiles"} & set(grey)


def test_usual_sizes_follow_the_number_of_rows(home) -> None:
    app = open_page("explore", data="bank", sample="20000")
    assert app.session_state["start"] == app.session_state["step"] == 40
    assert app.session_state["target"] == "four_fifths"
    app.number_input(key="sample").set_value(1000).run()
    assert app.session_state["start"] == app.session_state["step"] == 10
    app.number_input(key="sample").set_value(500).run()
    assert app.session_state["start"] == app.session_state["step"] == 5


def test_a_scenario_sets_everything_and_starts(runner) -> None:
    app = open_page("explore", data="blobs")
    app.button(key="go-teaching-set").click().run()
    assert not app.exception
    run_id = app.session_state["run"]
    assert runner.status(run_id).spec == SCENARIOS["teaching-set"].spec
    assert app.session_state["data"] == "two-optima"
    assert app.session_state["start"] == 4
    assert runner.wait(run_id, 120).state is JobState.FINISHED
    assert runner.view(run_id).verdict.outcome == "confirmed"


def test_an_example_opens_at_once_and_leaves_the_settings(runner) -> None:
    app = open_page("explore", data="blobs", k="3")
    app.button(key="example-hollow").click().run()
    assert not app.exception
    assert not app.error
    assert "Hollow:" in said(app)
    assert (app.session_state["data"], app.session_state["k"]) == ("blobs", 3)
    assert "This run has other settings" in said(app)
    run_id = app.session_state["run"]
    assert runner.status(run_id).state is JobState.FINISHED
    next(b for b in app.button if b.label == "Use these settings").click().run()
    assert app.session_state["data"] == "needs-distance"
    assert "This run has other settings" not in said(app)
    again = open_page("explore", data="blobs")
    again.button(key="example-hollow").click().run()
    assert again.session_state["run"] == run_id  # kept once


def until_advised(app: AppTest) -> AppTest:
    end = time.monotonic() + 90
    while "from seed to seed" not in said(app) and "nothing needs to be added" not in said(app):
        assert time.monotonic() < end
        time.sleep(0.2)
        app.run()
    return app


def test_advice_before_a_run_changes_what_it_speaks_of(home) -> None:
    app = until_advised(open_page("explore", data="two-optima", max_size="1000", target="vanilla"))
    assert "The target vanilla counts any gain" in said(app)
    next(b for b in app.button if b.label == "Ask for four fifths").click().run()
    assert app.session_state["target"] == "four_fifths"
    app = until_advised(app)
    assert "k-means tips into a clustering that meets the target" in said(app)
    met = until_advised(open_page("explore", data="two-optima", target="value", alpha="-0.1"))
    assert "Plain clustering meets this target already" in said(met)


def test_what_comes_while_the_page_is_drawn_is_drawn_too(home, monkeypatch) -> None:
    drawn, plain = threading.Event(), answers.vanilla_report

    def late(*asked):
        assert drawn.wait(60)
        return plain(*asked)

    def watch(*jobs, watched=answers.watch) -> None:
        """All that the page waits for comes now: it is drawn already, and nobody looks yet."""
        drawn.set()
        for job in jobs:
            job.future.exception(60)
        watched(*jobs)

    monkeypatch.setattr(answers, "vanilla_report", late)
    monkeypatch.setattr(answers, "watch", watch)
    app = open_page("explore", data="two-optima", run_seed="77")
    assert not app.exception
    assert app.get("plotly_chart")
    for missing in ("Clustering the data as it is", "Counting rounds", "SOTA: comput"):
        assert missing not in said(app)


def test_a_run_that_failed_says_why_and_offers_the_log(runner) -> None:
    run_id = runner.submit(dataclasses.replace(SPEC, dataset="bank", clustering="kmedoids"))
    assert runner.wait(run_id, 120).state is JobState.FAILED
    app = open_page("explore", run=run_id)
    assert not app.exception
    assert "the run did not finish" in said(app)
    assert "at most 6000" in said(app)
    assert any(button.label == "Run again" for button in app.button)
    assert any("Traceback" in code.value for code in app.code)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [("nonsense", "is not the id of a run"), ("A" * 22, "There is no run AAAA")],
)
def test_a_bad_run_id_gets_a_sentence_and_the_plain_page(home, run: str, sentence: str) -> None:
    app = until_plain(open_page("explore", data="two-optima", run=run))
    assert not app.exception
    assert sentence in app.error[0].value.replace("\\", "")
    assert "before anything is added" in said(app)


@pytest.mark.parametrize(
    ("link", "named"),
    [
        ({"data": "nonsense"}, "data = nonsense"),
        ({"start": "0"}, "start = 0"),
        ({"optimizer": "magic", "k": "99"}, "optimizer = magic, k = 99"),
        ({"target": "best"}, "target = best"),
    ],
)
def test_a_bad_link_gets_a_sentence(home, link: dict[str, str], named: str) -> None:
    app = open_page("explore", **link)
    assert not app.exception
    assert named in app.warning[0].value.replace("\\", "")


def test_settings_that_contradict_each_other_get_a_sentence(home) -> None:
    app = open_page("explore", data="blobs", start="10", max_size="5")
    assert not app.exception
    assert "max_size must be at least start_size" in app.error[0].value.replace("\\", "")
    assert next(button for button in app.button if "Run" in button.label).disabled


@pytest.fixture(scope="module")
def view() -> ac.RunView:
    return ac.run(SPEC)


def test_the_curve_has_a_row_for_everything_and_keeps_labels_apart(view) -> None:
    fair = {"near": view.vanilla_cost - 1e-6, "far": 1e3}
    table = curve.curve_table(view, fair)
    kinds = table["kind"].value_counts()
    assert kinds["round"] == view.rounds + 1
    assert kinds["verified"] == kinds["band"] == kinds["away"] == 1
    assert "↑ off this chart" in table[table["kind"] == "away"]["label"].item()
    places = table["at"].dropna().sort_values().to_numpy()
    heights = table.loc[table["kind"] == "frame", "cost"]
    room = curve.LABEL_ROOM * (heights.max() - heights.min())
    assert (np.diff(places) > 0.6 * room).all()
    again = curve.curve_table(dataclasses.replace(view, steps=view.steps[:2]))
    assert list(again.columns) == list(table.columns)


def test_a_cluster_with_hardly_anyone_in_it_makes_the_verdict_doubtful(view) -> None:
    unknown = {"smallest_share": math.nan, "price": math.nan, "share": 1.0}
    confirmed = dataclasses.replace(view.verification, confirmed=True, antidote_only=0, **unknown)
    begun = dataclasses.replace(view.steps[0], cost=0.0)
    good = dataclasses.replace(view, verification=confirmed, noise=())
    few = np.array([[1.0, 1.0], [199.0, 199.0]])
    for counts, tone in ((few, "bad"), (np.full((2, 2), 100.0), "good")):
        last = dataclasses.replace(view.history[0], cost=-0.7, counts=counts, reached=True)
        found = dataclasses.replace(good, steps=(begun, last)).verdict
        assert found.tone == tone
        assert ("one cluster holds only 2 points" in found.text) == (tone == "bad")
        assert (found.outcome == "hollow") == (tone == "bad")


def test_the_curve_grows_from_nothing() -> None:
    table = curve.curve_table(ac.RunView())
    assert set(table["kind"]) == {"frame"}


TABLES = ("centers", "counts", "group_costs")


def test_steps_begin_with_plain_clustering_and_hold_the_answer(view) -> None:
    assert view.steps[0].title == "Plain clustering"
    assert len(view.steps) == view.rounds + 1
    assert view.steps[view.answer_index] is view.answer
    values = {name: getattr(view.answer, name) for name in ("cost", "balance", "social")}
    tables = {name: getattr(view.answer, name).tolist() for name in TABLES}
    for event, title in (
        (Shrunk, "After taking away what was not needed"),
        (Spread, "After spreading out what lay on one spot"),
    ):
        fewer = pack(view.antidote[:1])
        changed = view.apply_event(event(antidote=fewer, evaluations=9, **values, **tables))
        assert changed.steps[-1].title == title
        assert changed.answer_index == view.rounds + 1
        assert changed.size == 1
        same = event(antidote=pack(view.antidote), evaluations=9, **values, **tables)
        assert len(view.apply_event(same).steps) == len(view.steps)  # the same V is no step


@pytest.mark.parametrize("clustering", ["kmeans", "spectral"])
def test_a_snapshot_has_the_cost_the_run_recorded(clustering: str) -> None:
    data = ac.load_dataset("two-optima")
    spec = dataclasses.replace(SPEC, clustering=clustering, max_rounds=1, budget=20)
    view = ac.run(spec)
    shot = snapshots.snapshot(data, spec, view, 1)
    assert shot.balance.cost == pytest.approx(view.history[0].cost)
    plain = snapshots.snapshot(data, spec, view, 0)
    assert plain.balance.cost == pytest.approx(view.vanilla_cost)
    assert plain.changed.sum() == 0
    np.testing.assert_array_equal(shot.changed, shot.labels != plain.labels)
    assert shot.changed.mean() <= 0.5  # clusters keep their numbers


def test_the_map_shows_every_antidote_point_by_its_copies(view) -> None:
    data = ac.load_dataset("two-optima")
    shot = snapshots.snapshot(data, SPEC, view, 1)
    picture = flat_picture(data, SPEC, shot, features_plane(data, (0, 1)))
    figure = run_map_figure(data, shot, picture, "changed")
    stars = figure.data[-1]
    assert stars.name == f"antidote ({len(shot.step.antidote)})"
    atoms, counts = np.unique(shot.step.antidote, axis=0, return_counts=True)
    np.testing.assert_allclose(np.column_stack([stars.x, stars.y]), atoms)
    assert len(set(stars.marker.size)) == len(set(counts.tolist()))


def row(name: str, scoring: str, balance: float, social: float) -> dict:
    scores = {"silhouette": 0.5, "davies_bouldin": 1.0, "calinski_harabasz": None, "seconds": 2.0}
    costs = {"balance": balance, "social": social}
    return {"name": name, "scoring": scoring, "size": 0, "notes": [], **costs, **scores}


def test_the_comparison_keeps_its_order_and_says_what_got_worse() -> None:
    rows = (
        row("antidote", "nearest centre", -0.4, 2.5),
        row("bera", "nearest centre", -0.31, 2.1),
        row("vanilla", "nearest centre", -0.3, 2.0),
        row("bera", "own assignment", -0.8, 2.2),
    )
    view = ac.RunView(comparison=rows)
    table = comparisons.comparison_table(view, "balance")
    names = ["plain", "Bera et al. (own)", "Bera et al. (nearest)", "antidote"]
    assert table["clustering"].tolist() == names
    assert table["balance"].tolist() == [-0.3, -0.8, -0.31, -0.4]
    assert pd.isna(table["calinski_harabasz"]).all()
    note = comparisons.side_note(view, "balance")
    assert "got worse, from 2.000 to 2.500" in note
    better = ac.RunView(comparison=(rows[0], rows[2]))
    assert "better as well" in comparisons.side_note(better, "social")
    assert list(comparisons.baseline_costs(view, "balance").values()) == [-0.31, -0.8]


def test_no_arithmetic_on_the_page() -> None:
    lines = (Path(__file__).parents[2] / "pages" / "explore.py").read_text().splitlines()
    assert len(lines) <= 115
    assert not any("numpy" in line for line in lines)


@pytest.mark.parametrize(
    ("link", "names", "titles"),
    [
        ({"data": "adult", "pair": "kmeans + social"}, ("adult", "kmeans + social"),
         ("Adult (census income)", "k-means + social")),
        ({"data": "Needs distance", "pair": "k-means + balance"},
         ("needs-distance", "kmeans + balance"), ("Needs distance", "k-means + balance")),
    ],
)  # fmt: skip
def test_selects_show_titles_and_links_with_names_still_open(home, link, names, titles) -> None:
    app = open_page("explore", **link, sample="300", target="four_fifths")
    boxes = [app.selectbox(key=key) for key in ("data", "pair")]
    assert tuple(box.value for box in boxes) == names
    assert tuple(box.options[box.index] for box in boxes) == titles
    offered = names[1] == "kmeans + balance"  # social cost knows no fair share
    assert (app.session_state["target"] == "four_fifths") == offered
    assert bool(app.warning) == (not offered)
    assert bool(app.run().warning) == (not offered)  # an answer came, nobody did anything
    app.number_input(key="sample").set_value(301).run()
    assert not app.warning
