"""Every page with every data set, run without a browser."""

import ast
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import streamlit.config
from sklearn.cluster import KMeans
from streamlit.testing.v1 import AppTest

from antidote_core import balance_cost, load_dataset, social_cost
from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS, available_forms
from antidote_core.numerals import number, percent
from antidote_core.teaching.planar import story_film, tell_story
from pages._ui.shared.frame import HIDDEN, PAGES

ROOT = Path(__file__).parents[2]
CASES = [(name, form.name) for name in DATASETS for form in available_forms(name)]


def open_page(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for key, value in link.items():
        app.query_params[key] = value
    return app.run()


def texts(app: AppTest) -> str:
    """What the page says, without the signs that keep names from being read as Markdown."""
    parts = [app.title, app.subheader, app.markdown, app.caption, app.warning, app.error]
    return "\n".join(element.value for kind in parts for element in kind).replace("\\", "")


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def assert_fine(app: AppTest) -> None:
    assert not app.exception
    assert not app.error
    assert not app.warning or "Small group" in app.warning[0].value.replace("\\", "")


@pytest.mark.parametrize(("name", "rows"), CASES)
def test_data_page_shows_every_form_of_every_set(name: str, rows: str) -> None:
    form = next(form for form in available_forms(name) if form.name == rows)
    if form.available and rows == "download":
        pytest.skip("the download of 240 MB is not part of the tests")
    app = open_page("data", data=name, rows=rows)
    if form.available:
        assert_fine(app)
        data = load_dataset(name, rows=rows)
        assert texts(app).startswith(f"{data.title}\n")
        assert data.source in texts(app)
        assert data.card.harms in texts(app)
        assert len(app.get("plotly_chart")) == 4
        assert len(app.expander) >= 5  # a table stands behind every chart
    else:
        assert not app.exception
        assert form.missing in app.error[0].value.replace("\\", "")


@pytest.mark.parametrize("protected", [(n, p) for n in DATASETS for p in DATASETS[n].protected[1:]])
def test_data_page_takes_every_protected_attribute(protected: tuple[str, str]) -> None:
    name, attribute = protected
    app = open_page("data", data=name, protected=attribute, sample="1500", color="cluster")
    assert_fine(app)
    assert f"groups by {attribute}" in texts(app)


@pytest.mark.parametrize("method", list(CLUSTERINGS))
def test_data_page_takes_every_clustering(method: str) -> None:
    app = open_page("data", data="blobs", method=method, k="3", restarts="2", seed="5")
    assert_fine(app)
    starts = ", the best of 2 starts" if CLUSTERINGS[method].drawn else ""
    assert f"with 3 clusters{starts}" in texts(app)
    assert ("best of 2 starts" in texts(app)) == CLUSTERINGS[method].drawn


@pytest.mark.parametrize("name", ["blobs", "outliers", "two-optima", "needs-distance"])
def test_costs_on_the_screen_are_those_of_scikit_learn(name: str) -> None:
    data = load_dataset(name)
    centers = KMeans(2, n_init=20, random_state=1, tol=0.0).fit(data.points).cluster_centers_
    shown = metrics(open_page("data", data=name))
    balance = balance_cost(centers, data.points, data.groups)
    social = social_cost(centers, data.points, data.groups)
    assert shown["Balance cost, lower is fairer"] == number(balance)
    assert shown["Social cost, lower is fairer"] == number(social)


def test_home_shows_costs_of_its_own_example() -> None:
    app = open_page("home")
    assert_fine(app)
    story = tell_story()
    everything = np.vstack([story.data.points, story.antidote])
    shown = []
    for points in (story.data.points, everything):
        centers = KMeans(2, n_init=20, random_state=1, tol=0.0).fit(points).cluster_centers_
        shown.append(number(balance_cost(centers, story.data.points, story.data.groups), 2))
    assert f"falls from {shown[0]} to {shown[1]}" in texts(app)
    assert shown[0] != shown[1]


def test_the_film_of_home_shows_the_clustering_with_every_point_more() -> None:
    story = tell_story()
    _, film = story_film(story)
    assert len(film) == len(story.antidote) + 1
    for size, shown in enumerate(film):
        union = np.vstack([story.data.points, story.antidote[:size]])
        stays = KMeans(2, init=shown["centers"], n_init=1, tol=0.0).fit(union).cluster_centers_
        assert stays == pytest.approx(np.array(shown["centers"]), abs=0.001)
        assert sum(star["copies"] for star in shown["antidote"]) == size
        cost = balance_cost(stays, story.data.points, story.data.groups)
        assert shown["title"].endswith(percent(-cost))
    assert film[0]["title"] == f"Fair share {percent(0.3)}"
    assert film[-1]["title"] == f"Fair share {percent(0.3)} → {percent(1.0)}"


@pytest.mark.parametrize(
    ("card", "page"),
    [
        ("Place the points yourself →", "10 of 10 points left"),
        ("45,211 bank customers →", "Bank marketing"),
        ("A teaching set →", "Two optima"),
        ("Your own file →", "One line of column names"),
    ],
)
def test_a_card_of_home_leads_on(
    card: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path))
    app = open_page("home")
    next(button for button in app.button if button.label == card).click().run()
    assert_fine(app)
    assert page in texts(app)


def test_the_menu_has_seven_pages_and_the_others_open_by_their_link() -> None:
    assert list(PAGES) == ["home", "learn", "data", "explore", "frontier", "runs", "paper"]
    assert {page.stem for page in (ROOT / "pages").glob("*.py")} == {*PAGES, *HIDDEN}


def test_a_link_sets_every_widget() -> None:
    link = {
        "data": "adult", "protected": "sex", "rows": "all", "sample": "900", "seed": "3",
        "method": "kmedian", "k": "4", "restarts": "1", "color": "cluster",
    }  # fmt: skip
    app = open_page("data", **link)
    assert_fine(app)
    for key, value in link.items():
        assert str(app.session_state[key]) == value


@pytest.mark.parametrize(
    ("link", "named"),
    [
        ({"data": "nonsense"}, "data = nonsense"),
        ({"k": "99"}, "k = 99"),
        ({"k": "two"}, "k = two"),
        ({"sample": "-4"}, "sample = "),
        ({"rows": "twin"}, "rows = twin"),
        ({"protected": "race", "color": "blue"}, "protected = race, color = blue"),
        ({"method": "<b>*x*</b>"}, "method = "),
        ({"unheard": "1"}, "unheard = 1"),
        ({"": "1"}, " = 1"),
        ({"sample": "inf", "seed": "1e999"}, "sample = inf, seed = 1e999"),
        ({"k": "Infinity"}, "k = Infinity"),
        ({"show": "", "color": ""}, "show = , color = "),
    ],
)
def test_a_bad_link_gets_a_sentence_and_the_usual_page(link: dict[str, str], named: str) -> None:
    app = open_page("data", **link)
    assert not app.exception
    assert not app.error
    assert named in app.warning[0].value.replace("\\", "")
    assert app.title[0].value == "Bank marketing"


@pytest.mark.parametrize(
    ("page", "name"),
    [("explore", "run"), ("frontier", "sweep"), ("frontier", "sizes"), ("learn", "points"),
     ("present", "run"), ("compare", "runs"), ("data", "data")],
)  # fmt: skip
def test_a_link_draws_no_picture_of_its_own(page: str, name: str) -> None:
    more = {"part": "playground"} if page == "learn" else {}
    app = open_page(page, **{name: "![p](//evil.example/p)", **more})
    assert not app.exception
    said = [element.value for kind in (app.error, app.warning) for element in kind]
    assert said
    assert not any("](" in sentence for sentence in said)


def test_a_new_data_set_starts_from_its_own_defaults() -> None:
    app = open_page("data", data="adult", protected="sex", rows="all", sample="900")
    app.selectbox(key="data").select("creditcard").run()
    assert_fine(app)
    assert app.radio(key="protected").value == "EDUCATION"
    assert app.radio(key="rows").value == "all"
    assert app.number_input(key="sample").value is None


def test_a_sample_that_does_not_fit_gets_a_sentence() -> None:
    app = open_page("data", data="blobs", sample="5000")
    assert not app.exception
    assert "sample = 5000 does not fit" in app.error[0].value.replace("\\", "")


def test_faces_without_the_file_open_on_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTIDOTE_DATA_DIR", raising=False)
    app = open_page("data", data="lfw")
    assert_fine(app)
    assert "synthetic twin" in app.title[0].value
    banner = app.info[0].value.replace("\\", "")
    assert "Shown: synthetic twin" in banner
    assert "put lfw.npz" in banner
    app.radio(key="rows").set_value("local").run()
    assert not app.exception
    assert "ANTIDOTE_DATA_DIR is not set" in app.error[0].value.replace("\\", "")
    app.button[0].click().run()
    assert_fine(app)
    assert "synthetic twin" in app.title[0].value


def test_too_many_points_for_a_clustering_offer_a_sample() -> None:
    app = open_page("data", data="bank", method="kmedoids", restarts="1")
    assert not app.exception
    assert "at most 6000" in app.error[0].value.replace("\\", "")
    assert app.subheader[0].value == "How large the groups are"
    app.button[0].click().run()
    assert_fine(app)
    assert "2,000 points" in texts(app)


def test_small_groups_are_named() -> None:
    warning = open_page("data", data="adult").warning[0].value.replace("\\", "")
    assert "Amer-Indian-Eskimo" in warning
    assert "Other" in warning
    assert "White" not in warning
    assert not open_page("data", data="bank").warning


def test_the_map_says_what_it_draws() -> None:
    assert "a random 10,000 of 45,211 points (seed 0)" in texts(open_page("data", data="bank"))
    assert "all 45,211 points" in texts(open_page("data", data="bank", all="true"))
    assert "all 200 points" in texts(open_page("data", data="blobs"))


def test_a_name_in_an_address_belongs_to_one_kind_of_widget() -> None:
    """What one page leaves in the session under a name, another page's widget takes up."""
    kinds = defaultdict(set)
    for path in (ROOT / "pages").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                given = {word.arg: word.value for word in call.keywords}
                if "bind" in given and isinstance(key := given.get("key"), ast.Constant):
                    kinds[key.value].add(call.func.attr)
    assert len(kinds) > 20
    assert {key: found for key, found in kinds.items() if len(found) > 1} == {}


def test_no_whole_garbage_collection_after_every_run_of_a_page() -> None:
    # It took half a second each time, and thirty visitors waited for minutes.
    settings = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert "postScriptGC = false" in settings
    assert "runner.postScriptGC" in streamlit.config._config_options_template


@pytest.mark.parametrize(
    ("answers", "cost"),
    [
        (["It is missing from a cluster"], "balance"),
        (["Its people are in some cluster", "The worst-served group"], "social"),
        (["Its people are in some cluster", "All groups are served"], "gap"),
    ],
)
def test_every_way_through_the_questions_ends_in_a_cost(answers: list[str], cost: str) -> None:
    app = open_page("data", data="blobs")
    for place, answer in enumerate(answers):
        asked = app.radio(key=f"notion-{place}")
        asked.set_value(next(text for text in asked.options if text.startswith(answer))).run()
    assert_fine(app)
    assert f"Repair it by {cost} →" in [button.label for button in app.button]
    assert "Repair this clustering →" in [button.label for button in app.button]
