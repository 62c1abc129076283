"""The Convex page without a browser: its figures are those of the library."""

import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from antidote_core import load_dataset, social_cost, solve_convex, son_clustering
from antidote_core.analysis import convex_runs
from antidote_core.analysis.convex_runs import SweepPoint, paper_sample
from antidote_core.fairness import social_from_costs
from antidote_core.numerals import number
from antidote_core.reporting.figures import convex_figures, palette
from tests.app.test_pages import metrics, open_page, texts

CHARTS = 6  # groups, path and four data sets
PATIENCE = 90  # seconds


@pytest.fixture(autouse=True)
def without_the_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTIDOTE_DATA_DIR", raising=False)


def settled(app: AppTest, charts: int = CHARTS) -> AppTest:
    """Run again until the answers from the background are all there, as a browser would."""
    end = time.monotonic() + PATIENCE
    while len(app.get("plotly_chart")) < charts and time.monotonic() < end:
        time.sleep(0.2)
        app.run()
    assert len(app.get("plotly_chart")) == charts
    assert not app.exception
    return app


def test_the_page_shows_what_exact_clustering_gives() -> None:
    app = settled(open_page("convex", data="bank", lam="0.01", size="4", points="40"))
    assert not app.error
    assert not app.warning
    data = paper_sample(load_dataset("bank"), 40)
    found = solve_convex(data.points, data.groups, lam=0.01, size=4)
    union = np.vstack([data.points, found.antidote])
    plain = social_cost(son_clustering(data.points, 0.01).centers, data.points, data.groups)
    after = social_cost(son_clustering(union, 0.01).centers, data.points, data.groups)
    digits = convex_figures.cost_digits(found)
    shown = metrics(app)
    assert shown["Plain cost, lower is fairer"] == number(plain, digits)
    assert shown["Cost after, lower is fairer"] == number(after, digits)
    assert shown["Difference"] == number(plain - after, digits)
    assert shown["Promised by the program"] == number(found.promised, digits)
    words = texts(app)
    assert "synthetic twin" in words
    assert "married 27, single 13" in words
    assert words.count("of 10 values of λ. In ") == 4
    assert "What that leaves" in words


def test_the_other_range_and_the_direct_search() -> None:
    link = {"points": "30", "size": "2", "lam": "0.05", "range": "fusing", "direct": "true"}
    app = settled(open_page("convex", **link, path="data with antidote"), CHARTS + 1)
    assert not app.error
    assert not app.warning
    words = texts(app)
    assert "Direct search places" in words
    assert "of 12 values of λ" in words
    for key, value in link.items():
        assert str(app.session_state[key]).lower() == value


def test_all_groups_and_another_attribute() -> None:
    link = {"data": "adult", "groups": "all", "points": "30", "size": "1"}
    app = settled(open_page("convex", **link))
    assert "Amer-Indian-Eskimo 2" in texts(app)
    app = settled(open_page("convex", data="adult", protected="sex", points="30", size="1"))
    assert "groups by sex" in texts(app)


def test_a_bad_link_gets_a_sentence() -> None:
    app = settled(open_page("convex", lam="7", points="30", size="1"))
    assert "lam = 7" in app.warning[0].value.replace("\\", "")


def result_of(before: list[float], after: list[float]):
    points = np.array([[0.0], [1.0], [4.0], [6.0]])
    found = solve_convex(points, np.array([0, 0, 1, 1]), lam=0.1, size=2)
    return replace(
        found,
        vanilla_table=social_from_costs(np.array(before)),
        table=social_from_costs(np.array(after)),
    )


def plain_words(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_sentences_follow_the_numbers() -> None:
    worse, better = result_of([1.0, 0.5], [1.2, 0.5]), result_of([1.0, 0.5], [0.8, 0.7])
    same = result_of([1.0, 0.5], [1.0, 0.9])
    assert [convex_figures.outcome(found) for found in (worse, better, same)] == [
        "worse",
        "better",
        "same",
    ]
    assert plain_words(convex_figures.headline(worse)) == (
        "The paper's program places 2 antidote points; clustered again, the cost rises from 1.000 "
        "to 1.200, 20 % higher: less fair."
    )
    assert "falls from 1.000 to 0.800, 20 % lower: fairer." in plain_words(
        convex_figures.headline(better)
    )
    assert "the cost stays at 1.0000." in convex_figures.headline(same)
    assert "3.0 times the true cost" in convex_figures.promise_sentence(
        replace(worse, promised=3.6)
    )
    assert "50 % of the true cost" in plain_words(
        convex_figures.promise_sentence(replace(worse, promised=0.6))
    )
    assert "Here both are the same." in convex_figures.promise_sentence(
        replace(worse, promised=1.2)
    )
    assert convex_figures.promise_sentence(replace(worse, promised=None)) == ""


def test_curves_draw_every_lambda_and_count_both_ways() -> None:
    sweep = [
        SweepPoint(0.01, 1.0, 1.2, 9, 9),
        SweepPoint(0.1, 2.0, 2.0, 4, 4),
        SweepPoint(0.5, 3.0, 2.5, 1, 1),
    ]
    assert convex_figures.sweep_sentence("x", sweep).startswith(
        "x: helped at 1 and harmed at 1 of 3"
    )
    others = [sweep[:1], sweep]
    assert "In 1 of 2 other samples harmed" in convex_figures.sweep_sentence("x", sweep, others)
    figure = convex_figures.difference_figure(sweep, others, shown=0.1, log=True)
    assert len(figure.data) == 3
    np.testing.assert_allclose(figure.data[-1].y, [-0.2, 0.0, 0.5], atol=1e-12)
    assert list(figure.layout.xaxis.tickvals) == [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    low, high = figure.layout.yaxis.range
    assert low < -0.2 < 0.5 < high
    assert convex_figures.sweep_table(sweep)["clusters, plain"].tolist() == [9, 4, 1]


def test_bars_mark_the_group_that_decides() -> None:
    figure = convex_figures.group_cost_pairs(result_of([1.0, 0.5], [0.4, 0.7]), ("a", "b"))
    plain, after = figure.data
    assert plain.marker.color == palette.VANILLA
    assert after.marker.color == palette.ANTIDOTE
    assert ["decides" in text for text in plain.text] == [True, False]
    assert ["decides" in text for text in after.text] == [False, True]


@pytest.mark.parametrize("with_antidote", [False, True])
def test_the_path_leads_from_the_points_to_one_place(with_antidote: bool) -> None:
    data = paper_sample(load_dataset("bank"), 30)
    path = convex_runs.path_of(data, 0.99, 3, with_antidote)
    np.testing.assert_allclose(path.places[0], path.plane.place(data.points))
    assert path.clusters[0] == 30
    assert path.clusters[-1] == 1
    assert np.ptp(path.places[-1], axis=0).max() < 1e-3
    result = solve_convex(data.points, data.groups, lam=0.05, size=3)
    figure = convex_figures.clusterpath_figure(path, data, result)
    names = [trace.name for trace in figure.data]
    assert "centres at λ = 0.05" in names
    assert ("3 antidote" in names) == with_antidote
    drawn = sum(len(trace.x) for trace in figure.data if trace.name in data.group_names)
    assert drawn == 30


def test_antidote_points_off_the_map_are_said() -> None:
    data = paper_sample(load_dataset("bank"), 30)
    path = convex_runs.path_of(data, 0.99, 3, True)
    far = replace(path, antidote=path.antidote + 100.0)
    figure = convex_figures.clusterpath_figure(far, data, None)
    assert "outside this map" in figure.layout.annotations[0].text
    assert len(convex_figures.path_table(far)) == len(path.lambdas)


def test_the_direct_search_keeps_the_best_size() -> None:
    data = paper_sample(load_dataset("bank"), 30)
    found = convex_runs.direct_search(data, 0.03, 3, 12, 0)
    assert len(found.antidote) in (1, 2, 3)
    for size in (1, 2, 3):
        alone = solve_convex(
            data.points, data.groups, 0.03, size=size, method="direct", budget=12, seed=0
        )
        assert found.cost <= alone.cost + 1e-9
