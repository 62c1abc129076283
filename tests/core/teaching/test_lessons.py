"""The story's figures come from clustering, and its morals hold."""

import json
import re

import numpy as np
import pytest
from sklearn.cluster import KMeans

from antidote_core import balance_cost, load_dataset
from antidote_core.numerals import number
from antidote_core.reporting.text.glossary import GLOSSARY, explain, find_terms
from antidote_core.runs.spec import PAPER_SYMBOLS
from antidote_core.teaching import lessons
from antidote_core.teaching.lessons import LESSONS

BY_NAME = {lesson.name: lesson for lesson in LESSONS}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_value_of_every_control_has_a_picture_words_and_a_table(lesson):
    options = lesson.options()
    assert lesson.default in options
    sentences = set()
    for value in options:
        shown = lesson.show(value, True)
        assert (shown.scene is None) != (shown.chart is None)
        if shown.scene is not None:
            json.dumps(shown.scene, allow_nan=False)
        assert len(shown.alt) > 40
        assert "**" not in shown.alt
        assert len(shown.table)
        assert all(figure.word in GLOSSARY for figure in shown.figures)
        sentences.add(shown.sentence + str([figure.value for figure in shown.figures]))
    assert len(sentences) > 1  # the control does something


def test_the_rounds_end_where_scikit_learn_ends():
    data = load_dataset("blobs")
    rounds = lessons.lloyd_rounds()
    for step, centers in enumerate(rounds[1:], start=1):
        fit = KMeans(2, init=rounds[step - 1], n_init=1, tol=0.0).fit(data.points)
        assert fit.cluster_centers_ == pytest.approx(rounds[-1])
        assert not np.allclose(centers, rounds[step - 1])


def shown_cost(shown):
    return next(f.value for f in shown.figures if f.label.startswith("Balance cost"))


@pytest.mark.parametrize(("name", "copies"), [("one-point", 1), ("distance", 10)])
def test_the_cost_on_the_screen_is_that_of_scikit_learn(name, copies):
    data = load_dataset("blobs" if name == "one-point" else "needs-distance")
    for value in BY_NAME[name].options()[::5]:
        place = [value, data.points[:, 1].mean()]
        union = np.vstack([data.points, np.tile(place, (copies, 1))])
        plain = KMeans(2, n_init=30, random_state=1, tol=0.0).fit(data.points).cluster_centers_
        centers = KMeans(2, init=plain, n_init=1, tol=0.0).fit(union).cluster_centers_
        cost = balance_cost(centers, data.points, data.groups)
        assert shown_cost(BY_NAME[name].show(value, False)) == number(cost)


def test_distance_makes_ten_points_strong():
    lesson = BY_NAME["distance"]
    costs = [lesson.show(value, False) for value in (2, 6, 12)]
    values = [float(shown_cost(shown).replace("−", "-")) for shown in costs]
    assert values == sorted(values, reverse=True)
    assert values[0] - values[-1] > 0.3


def test_one_copy_too_many_captures_a_centre():
    shown = {copies: BY_NAME["capture"].show(copies, False) for copies in lessons.COPIES}
    captured = [copies for copies, seen in shown.items() if "took a centre" in seen.sentence]
    assert captured == list(range(captured[0], lessons.COPIES[-1] + 1))
    assert 5 < captured[0] < lessons.COPIES[-1]
    assert shown_cost(shown[captured[0]]) == "0.000"
    # Just before, it was the best of all.
    before = float(shown_cost(shown[captured[0] - 1]).replace("−", "-"))
    assert before < -0.7


def test_algorithm_2_stops_at_the_first_size_that_is_enough():
    lesson = BY_NAME["algorithm"]
    *missed, last = (lesson.show(value, False).sentence for value in lesson.options())
    assert all("2 more points are allowed" in sentence for sentence in missed)
    assert "done" in last
    assert "4 of 4 independent clusterings agree" in last


def test_noise_vanishes_with_more_starts():
    lesson = BY_NAME["noise"]
    assert "It is luck" in lesson.show(1, False).sentence
    assert "changes nothing, and now it shows" in lesson.show(10, False).sentence


def test_the_glossary_has_every_symbol_of_the_paper():
    symbols = {term.symbol for term in GLOSSARY.values()}
    assert set(PAPER_SYMBOLS.values()) <= symbols
    assert {"U", "V", "C", "F", "k", "λ", "γ"} <= symbols


def test_the_glossary_is_made_of_sentences_and_can_be_searched():
    for term in GLOSSARY.values():
        assert re.fullmatch(r"[A-Zk].*[.?]", term.sentence), term
        assert term.sentence == explain(term.word)
    assert find_terms("balance")[0].word == "balance cost"
    assert find_terms(" α ")[0].word == "target"
    assert len(find_terms("")) == len(GLOSSARY)
    assert find_terms("zebra") == []
