"""The Learn page without a browser: its figures are those of the library."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from antidote_core import Problem, load_dataset
from antidote_core.numerals import number
from antidote_core.reporting.text.glossary import GLOSSARY
from antidote_core.teaching import playground
from antidote_core.teaching.lessons import LESSONS
from tests.app.test_pages import metrics, open_page, texts


def play(**link: str) -> AppTest:
    app = open_page("learn", part="playground", **link)
    assert not app.exception
    return app


def costs(antidote: list[list[float]]) -> dict[str, str]:
    """Both costs of the blobs with these points, by the library."""
    tables = Problem(load_dataset("blobs")).tables(np.array(antidote).reshape(-1, 2))
    return {
        "Balance cost, lower is fairer": number(tables.balance.cost),
        "Social cost, lower is fairer": number(tables.social.cost),
    }


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def put(app: AppTest, x: float, y: float) -> AppTest:
    app.number_input(key="at_x").set_value(x)
    app.number_input(key="at_y").set_value(y)
    return press(app, "Place")


def test_the_story_goes_forth_and_back() -> None:
    app = open_page("learn")
    seen = []
    for step, lesson in enumerate(LESSONS, start=1):
        assert not app.exception
        assert not app.warning
        assert app.subheader[0].value == f"{step}. {lesson.title}"
        assert app.session_state["lesson"] == str(step)
        assert lesson.moral in [info.value for info in app.info]
        assert len(app.dataframe) == 1
        seen.append(texts(app))
        app.button(key="next").click().run()
    assert app.session_state["part"] == "playground"
    app.button_group(key="part").set_value("story").run()
    app.button_group(key="lesson").set_value("7").run()
    for step in range(6, 0, -1):
        app.button(key="back").click().run()
        assert not app.exception
        assert texts(app) == seen[step - 1]
    assert app.button(key="back").disabled


@pytest.mark.parametrize("step", range(1, len(LESSONS) + 1))
def test_a_link_opens_a_step_and_its_control_answers(step: int) -> None:
    app = open_page("learn", lesson=str(step))
    lesson = LESSONS[step - 1]
    value = lesson.options()[-1]
    key = f"control-{lesson.name}"
    if app.select_slider:
        app.select_slider(key=key).set_value(value).run()
    else:
        app.button_group(key=key).set_value(value).run()
    assert not app.exception
    shown = lesson.show(value, False)
    assert shown.sentence in texts(app)
    assert metrics(app) == {figure.label: figure.value for figure in shown.figures}


@pytest.mark.parametrize(
    ("link", "named"),
    [
        ({"lesson": "99"}, "lesson = 99"),
        ({"part": "zoo"}, "part = zoo"),
        ({"part": "playground", "scene": "moon"}, "scene = moon"),
        ({"part": "playground", "copies": "11"}, "copies = 11"),
    ],
)
def test_a_bad_setting_in_a_link_gets_a_sentence(link: dict[str, str], named: str) -> None:
    app = open_page("learn", **link)
    assert not app.exception
    assert named in app.warning[0].value.replace("\\", "")


def test_points_placed_by_hand_change_both_costs() -> None:
    app = play()
    assert metrics(app) == costs([])
    assert "10 of 10 points left" in texts(app)
    app.slider(key="copies").set_value(3).run()
    put(app, 5.0, 0.5)
    assert metrics(app) == costs([[5.0, 0.5]] * 3)
    assert "7 of 10 points left" in texts(app)
    app.slider(key="copies").set_value(10).run()
    put(app, 4.0, -1.0)
    both = costs([[5.0, 0.5]] * 3 + [[4.0, -1.0]] * 7)
    assert metrics(app) == both
    assert "0 of 10 points left" in texts(app)
    put(app, 1.0, 1.0)
    assert "All 10 points are placed" in app.warning[0].value.replace("\\", "")
    assert metrics(app) == both
    press(app, "Undo")
    assert metrics(app) == costs([[5.0, 0.5]] * 3)
    assert not app.warning
    press(app, "Reset")
    assert metrics(app) == costs([])
    press(app, "Undo")
    assert metrics(app) == costs([[5.0, 0.5]] * 3)
    assert app.query_params["points"] == "5,0.5,3"


def test_a_link_brings_the_points() -> None:
    app = play(points="5,0.5,3;4,-1,2")
    assert metrics(app) == costs([[5.0, 0.5]] * 3 + [[4.0, -1.0]] * 2)
    assert "5 of 10 points left" in texts(app)
    assert not app.warning
    # Another situation has another plane.
    app.button_group(key="scene").set_value("two-optima").run()
    assert not app.exception
    assert "10 of 10 points left" in texts(app)
    assert "points" not in app.query_params


@pytest.mark.parametrize(
    "points", ["abc", "1,2,30", "999,0,1", "<b>,1,1", "1,1,1;1,1," + "9" * 4300]
)
def test_bad_points_in_a_link_get_a_sentence_and_an_empty_plane(points: str) -> None:
    app = play(points=points)
    assert "An empty plane is shown instead" in app.warning[0].value.replace("\\", "")
    assert "10 of 10 points left" in texts(app)
    put(app, 3.0, 0.0)
    assert not app.warning


@pytest.mark.parametrize(("scene", "goal"), [("easy", "balance"), ("two-optima", "social")])
def test_the_algorithm_says_who_won(scene: str, goal: str) -> None:
    app = press(play(scene=scene, goal=goal), "Let the algorithm try")
    attempt = playground.get_game(scene, goal).algorithm_try
    assert number(attempt.cost) in app.info[0].value
    assert "Place yours" in app.info[0].value
    put(app, 0.0, 0.0)
    cost = metrics(app)[f"{goal.capitalize()} cost, lower is fairer"]
    assert app.info[0].value.endswith(f"it reached {number(attempt.cost)} with 10.")
    assert f"{cost} with 1 point," in app.info[0].value
    press(app, "Reset")
    assert not app.info


def test_the_algorithms_answer_is_kept_in_the_link_and_taken_over() -> None:
    app = press(play(scene="two-optima"), "Let the algorithm try")
    assert app.query_params["answer"] == "shown"
    app = play(scene="two-optima", answer="shown")
    assert not app.warning
    attempt = playground.get_game("two-optima", "balance").algorithm_try
    assert number(attempt.cost) in app.info[0].value
    press(app, "Take its points over")
    assert "0 of 10 points left" in texts(app)
    assert metrics(app)["Balance cost, lower is fairer"] == number(attempt.cost)
    assert app.query_params["points"] == playground.to_link(playground.clumps_of(attempt.antidote))
    assert app.code[0].value.endswith("&scene=two-optima&answer=shown&points=0%2C-2.8%2C10")
    assert "answer = zoo" in play(answer="zoo").warning[0].value


def test_a_worse_optimum_can_be_seen_linked_and_left() -> None:
    app = play(scene="two-optima")
    before = metrics(app)
    press(app, "A worse optimum")
    assert "**A worse optimum.**" in app.warning[0].value
    worse = metrics(app)
    assert worse != before
    linked = play(scene="two-optima", centres=app.query_params["centres"])
    assert metrics(linked) == worse
    press(app, "Back to the best of many starts")
    assert metrics(app) == before
    assert "centres" not in app.query_params
    press(app, "Undo")
    assert metrics(app) == worse
    press(app, "Reset")
    assert metrics(app) == before
    easy = press(play(), "A worse optimum")
    assert "no worse optimum to show here" in easy.warning[0].value
    assert "begins as usual instead" in play(centres="1,2,3").warning[0].value


def test_a_link_opens_a_step_with_its_control() -> None:
    app = open_page("learn", **{"lesson": "5", "control-distance": "9"})
    assert not app.warning
    assert "10 points at x = 9" in texts(app)
    assert app.code[0].value.endswith("lesson=5&control-distance=9")


def test_a_capture_is_called_too_far() -> None:
    app = play(scene="capture", points="10,0,10")
    assert "Too far" in texts(app)
    assert metrics(app)["Balance cost, lower is fairer"] == "0.000"


def test_the_tables_are_drawn_when_somebody_looks() -> None:
    app = play(points="5,0.5,3")
    assert len(app.dataframe) == 0
    app.session_state["behind"] = True
    app.run()
    assert not app.exception
    assert len(app.dataframe) == 3
    assert app.dataframe[2].value.values.tolist() == [[1, 5.0, 0.5, 3]]


def test_the_glossary_explains_and_finds() -> None:
    app = open_page("learn", part="glossary")
    assert not app.exception
    words = texts(app)
    assert all(f"{term.sentence}" in words for term in GLOSSARY.values())
    app.text_input[0].set_value("ξ").run()
    assert [text.value for text in app.markdown] == [f"**step (ξ)**: {GLOSSARY['step'].sentence}"]
    app.text_input[0].set_value("zebra").run()
    assert "Nothing here has that word" in texts(app)
