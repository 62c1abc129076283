"""The playground's arithmetic: what a placed point does, links, the score and the contest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core import SpecError, balance_cost, social_cost
from antidote_core.teaching import planar, playground
from antidote_core.teaching.playground import BUDGET, Clump

FRAME = (np.array([-5.0, -3.0]), np.array([5.0, 3.0]))


@pytest.mark.parametrize("name", list(playground.SITUATIONS))
@pytest.mark.parametrize("clumps", [(), (Clump(3.0, 1.0, 4),), (Clump(2.0, -1.0, 9),)])
def test_the_position_is_a_clustering_scikit_learn_would_make(name, clumps):
    game = playground.get_game(name, "balance")
    data, position = game.planar.data, game.position(clumps)
    union = np.vstack([data.points, playground.points_of(clumps)])
    stays = KMeans(2, init=position.centers, n_init=1, tol=0.0).fit(union)
    assert stays.cluster_centers_ == pytest.approx(position.centers)
    fresh = KMeans(2, n_init=30, random_state=1, tol=0.0).fit(union)
    assert stays.inertia_ <= fresh.inertia_ * 1.001  # optima nearer than this count as one
    arguments = stays.cluster_centers_, data.points, data.groups
    assert position.cost("balance") == pytest.approx(balance_cost(*arguments))
    assert position.cost("social") == pytest.approx(social_cost(*arguments))
    assert position.moved.sum() == (position.labels != game.planar.vanilla.labels).sum()


def test_situations_do_what_their_sentences_say():
    distance = playground.get_game("distance", "balance")
    near = distance.position((Clump(2.0, 0.0, 10),)).cost("balance")
    far = distance.position((Clump(8.5, 0.0, 10),)).cost("balance")
    assert far < near - 0.2
    capture = playground.get_game("capture", "balance")
    assert capture.position((Clump(10.0, 0.0, 10),)).captured
    assert capture.position((Clump(10.0, 0.0, 10),)).cost("balance") == 0.0
    assert not capture.position((Clump(7.0, 0.0, 10),)).captured
    two = playground.get_game("two-optima", "balance")
    assert two.position((Clump(0.0, -3.0, 8),)).cost("balance") < -0.9
    assert two.position((Clump(0.0, -3.0, 8),)).moved.sum() == pytest.approx(200, abs=20)


def test_a_point_lands_on_the_grid_inside_the_plane():
    clumps = playground.place((), 1.2345, -0.04, 2, FRAME)
    assert clumps == (Clump(1.2, 0.0, 2),)
    assert str(clumps[0].y) == "0.0"
    assert playground.place((), 99.0, -99.0, 1, FRAME) == (Clump(5.0, -3.0, 1),)


def test_the_budget_is_ten_points():
    clumps = playground.place((), 0.0, 0.0, 8, FRAME)
    clumps = playground.place(clumps, 1.0, 0.0, 8, FRAME)
    assert [clump.copies for clump in clumps] == [8, 2]
    assert len(playground.points_of(clumps)) == BUDGET
    with pytest.raises(SpecError, match="All 10 points are placed"):
        playground.place(clumps, 1.0, 0.0, 1, FRAME)


def test_a_link_gives_the_points_back():
    clumps = (Clump(1.5, -0.2, 3), Clump(-4.9, 3.0, 1), Clump(0.0, 0.0, 6))
    assert playground.from_link(playground.to_link(clumps), FRAME) == clumps
    assert playground.from_link("", FRAME) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("abc", "“abc” should be x,y,copies"),
        ("1,2", "“1,2” should be x,y,copies"),
        ("1,2,3;", "“” should be x,y,copies"),
        ("1,2,1.5", "should be x,y,copies"),
        ("nan,0,1", "outside the plane"),
        ("inf,0,1", "outside the plane"),
        ("1e999,0,1", "outside the plane"),
        ("6,0,1", "x from -5 to 5, y from -3 to 3"),
        ("0,0,11", "places 11 points"),
        ("0,0,0", "between 1 and 10"),
        ("0,0,-3", "between 1 and 10"),
        ("0,0,6;1,1,5", "places 11 points"),
        ("0,0,1;" * 500, "places 11 points"),
    ],
)
def test_a_bad_link_is_a_sentence(text, words):
    with pytest.raises(SpecError, match="An empty plane is shown instead") as caught:
        playground.from_link(text, FRAME)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("name", list(playground.SITUATIONS))
@pytest.mark.parametrize("start", [[[0.0, 2.0], [0.0, -2.0]], [[-2.0, 0.5], [2.0, 0.0]]])
def test_k_means_from_centres_of_ones_own_ends_where_scikit_learn_ends(name, start):
    game, clumps = playground.get_game(name, "balance"), (Clump(2.0, 1.0, 3),)
    union = np.vstack([game.planar.data.points, playground.points_of(clumps)])
    ends = KMeans(2, init=np.array(start), n_init=1, tol=0.0).fit(union)
    position = game.position(clumps, np.array(start))
    assert sorted(position.centers.tolist()) == pytest.approx(
        np.array(sorted(ends.cluster_centers_.tolist()))
    )
    assert game.planar.distance(position) * len(union) == pytest.approx(ends.inertia_)


def test_a_worse_optimum_is_one_and_is_worse():
    assert playground.get_game("easy", "balance").worse_optimum(()) is None
    game = playground.get_game("two-optima", "balance")
    worse = game.worse_optimum(())
    rests = KMeans(2, init=worse, n_init=1, tol=0.0).fit(game.planar.data.points)
    assert rests.cluster_centers_ == pytest.approx(worse)
    position = game.position((), worse)
    assert game.planar.distance(position) > game.planar.distance(game.planar.vanilla) * 1.05
    assert playground.optimum_sentence(game, position, ()).startswith("**A worse optimum.")
    best = game.position((), game.planar.vanilla.centers)
    assert playground.optimum_sentence(game, best, ()).startswith("**Back in the best")
    text = playground.centers_to_link(worse)
    again = playground.centers_from_link(text, game.frame)
    assert playground.centers_to_link(again) == text
    assert game.position((), again).cost("balance") == position.cost("balance")


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1,2", "1,2;3", "1,2;3,4;0,0", "1,nan;0,0", "0,0;6,0", "1,1;2,2,2", "9" * 9],
)
def test_bad_centres_in_a_link_are_a_sentence(text):
    with pytest.raises(SpecError, match="k-means begins as usual instead") as caught:
        playground.centers_from_link(text, FRAME)
    assert len(str(caught.value)) < 250


def test_only_the_points_at_a_place_are_moved():
    clumps = (Clump(1.0, 0.0, 2), Clump(2.0, 0.0, 3))
    moved = playground.move(clumps, (2.0, 0.0), -1.04, 99.0, FRAME)
    assert moved == (Clump(1.0, 0.0, 2), Clump(-1.0, 3.0, 3))
    assert playground.move(clumps, (0.5, 0.5), 0.0, 0.0, FRAME) == clumps


@pytest.mark.parametrize("goal", playground.GOALS)
@pytest.mark.parametrize("name", list(playground.SITUATIONS))
def test_the_answer_of_the_algorithm_can_be_taken_over_as_it_is(name, goal):
    game, attempt = (
        playground.get_game(name, goal),
        playground.get_game(name, goal).algorithm_try,
    )
    clumps = playground.clumps_of(attempt.antidote)
    text = playground.to_link(clumps)
    taken = playground.from_link(text, game.frame)
    assert game.position(taken).cost(goal) == pytest.approx(attempt.cost)


@pytest.mark.parametrize("goal", playground.GOALS)
def test_the_score_can_be_beaten_and_the_algorithm_tells_the_truth(goal):
    game = playground.get_game("easy", goal)
    score, plain = playground.get_game("easy", goal).score_to_beat, game.planar.vanilla.cost(goal)
    attempt = playground.get_game("easy", goal).algorithm_try
    assert attempt.cost < score < plain
    lower, upper = game.frame
    assert len(attempt.antidote) == BUDGET
    assert (attempt.antidote >= lower).all()
    assert (attempt.antidote <= upper).all()
    assert game.planar.position(attempt.antidote).cost(goal) == pytest.approx(attempt.cost)
    assert attempt.evaluations <= playground.TRIES


def test_the_contest_has_three_outcomes_and_a_beginning():
    attempt = playground.AlgorithmTry(np.zeros((10, 2)), -0.5, 1000, 0.4, 4, 4)
    assert "beats you by 0.100" in playground.contest_sentence(-0.4, 3, attempt)
    assert "A draw" in playground.contest_sentence(-0.5002, 1, attempt)
    assert "with 1 point," in playground.contest_sentence(-0.5002, 1, attempt)
    assert "You beat" in playground.contest_sentence(-0.6, 3, attempt)
    assert "Place yours" in playground.contest_sentence(-0.3, 0, attempt)


def test_the_score_line_follows_the_points():
    game = playground.get_game("capture", "balance")
    said = [
        playground.score_sentence(game, game.position(clumps), -0.45)
        for clumps in (
            (),
            (Clump(2.0, 0.0, 1),),
            (Clump(7.5, 0.0, 10),),
            (Clump(10.0, 0.0, 10),),
            (Clump(-7.0, 0.0, 10),),
        )
    ]
    starts = ("Score to beat", "Not yet", "**Beaten", "**Too far", "**Worse than nothing")
    assert [sentence.startswith(start) for sentence, start in zip(said, starts, strict=True)] == [
        True
    ] * 5, said


def test_a_scene_holds_every_point_once_and_the_centres():
    game = playground.get_game("easy", "balance")
    position = game.position((Clump(5.0, 0.0, 3), Clump(4.0, 1.0, 1)))
    data = game.planar.data
    scene = planar.plane_scene(
        data, game.frame, position.centers, before=game.planar.vanilla.centers,
        antidote=position.antidote, moved=position.moved,
    )  # fmt: skip
    assert [len(points["at"]) for points in scene["points"]] == data.group_sizes.tolist()
    marked = sum(len(moved) for moved in scene["moved"])
    assert marked == position.moved.sum() > 0
    assert sorted(star["copies"] for star in scene["antidote"]) == [1, 3]
    assert scene["centers"] == np.round(position.centers, 3).tolist()
    assert len(scene["before"]) == len(scene["colors"]) == 2
    assert {"antidote point", "changed cluster"} <= {item["name"] for item in scene["legend"]}


def test_bars_say_when_a_cluster_holds_nobody():
    game = playground.get_game("capture", "balance")
    bars = planar.mix_html(game.position((Clump(10.0, 0.0, 10),)).balance, ("<a>", "b"))
    assert "nobody: antidote points only" in bars
    assert "&lt;a&gt;" in bars
    assert "<a>" not in bars


def test_two_columns_of_a_table_span_a_plane():
    rng = np.random.default_rng(0)
    rows = 3 * playground.MOST_ROWS
    table = pd.DataFrame(
        {
            "town": rng.choice(["A", "B", "C"], rows),
            "age": rng.normal(40, 10, rows),
            "income": rng.normal(2000, 500, rows),
            "group": np.repeat(["x", "y", "z"], [900, 300, 300]),
        }
    )
    data = ac.dataset_from_frame(table, ["town", "age", "income"], "group", categorical=["town"])
    assert playground.numeric_columns(data) == ["age", "income"]
    game = playground.table_game(data, "income", "age", "balance")
    drawn = game.planar.data
    original = drawn.points * drawn.scale + drawn.shift
    pairs = set(map(tuple, table[["income", "age"]].round(6).to_numpy()))
    assert {tuple(pair) for pair in original.round(6)} <= pairs
    assert drawn.group_sizes.tolist() == [300, 100, 100]
    assert f"A sample of 500 of {rows:,} rows" in game.situation.sentence
    ends = KMeans(2, n_init=10, random_state=0).fit(drawn.points)
    assert game.planar.distance(game.planar.vanilla) * drawn.n == pytest.approx(
        ends.inertia_, rel=1e-4
    )
    lower, upper = game.frame
    assert (drawn.points >= lower).all()
    assert (drawn.points <= upper).all()
    few = playground.table_game(data.take(np.arange(0, rows, 10)), "age", "income", "social")
    assert few.planar.data.n == 150
    assert "All 150 rows." in few.situation.sentence
