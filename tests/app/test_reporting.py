"""What figures, tables and sentences say, checked against numbers worked out by hand."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from antidote_core import load_dataset, numerals
from antidote_core.fairness import balance_from_counts, social_from_costs
from antidote_core.reporting.figures import bars, palette, tables
from antidote_core.reporting.figures.maps import map_figure
from antidote_core.reporting.text import words
from antidote_core.teaching.planar import clump, tell_story

GROUPS = ("divorced", "single")


def sentence(counts: list[list[float]]) -> str:
    table = balance_from_counts(np.array(counts, dtype=np.float64))
    return words.balance_sentence(table, GROUPS).replace("\N{NO-BREAK SPACE}", " ")


def test_the_deciding_cell_is_named_with_its_share() -> None:
    # 10 of 100 divorced overall, 2 of 50 in cluster 1: 4 % instead of 10 %, 40 % of the fair share.
    assert sentence([[2, 48], [8, 42]]) == (
        "Cluster 1 has only 40 % of the share of “divorced” it should have: 4.0 % instead of 10 %."
    )


def test_too_many_is_said_as_times() -> None:
    # 10 of 100 divorced; cluster 1 has 5 of 10, five times the share; cluster 2 has 5 of 90, 0.56.
    assert sentence([[5, 5], [5, 85]]) == (
        "Cluster 1 has 5.0 times the share of “divorced” it should have: 50 % instead of 10 %."
    )


def test_missing_groups_empty_clusters_and_equal_mixes_are_said_plainly() -> None:
    assert sentence([[0, 50], [10, 40]]) == (
        "Cluster 1 has nothing of “divorced”, although that is 10 % of the data."
    )
    assert sentence([[10, 90], [0, 0]]).startswith("Cluster 2 holds no point of the data")
    assert sentence([[5, 45], [5, 45]]).startswith("Every cluster has practically the same mix")


def test_social_sentences_name_both_ends() -> None:
    text = words.social_sentence(social_from_costs(np.array([2.0, 2.5])), GROUPS)
    assert text.replace("\N{NO-BREAK SPACE}", " ") == (
        "“single” lies farthest from its centres: 2.500 on average, 25 % more than “divorced” "
        "(2.000)."
    )
    equal = words.social_sentence(social_from_costs(np.array([2.0, 2.0])), GROUPS)
    assert equal.startswith("All groups lie equally far")
    zero = words.social_sentence(social_from_costs(np.array([0.0, 2.0])), GROUPS)
    assert "more than “divorced” (0.000)" in zero


def test_small_groups_by_share_and_by_count() -> None:
    data = load_dataset("blobs")
    assert words.small_groups(data) == ""
    few = replace(data, groups=(np.arange(data.n) < 20).astype(np.int64))
    assert "“group B” (20 points" in words.small_groups(few)


def test_tables_mark_exactly_the_deciding_cell() -> None:
    balance = balance_from_counts(np.array([[2.0, 48.0], [8.0, 42.0]]))
    long = tables.cluster_table(balance, GROUPS)
    decides = long[long[""] == tables.DECIDES_MARK]
    assert decides[["cluster", "group", "points"]].values.tolist() == [["cluster 1", "divorced", 2]]
    square = tables.ratio_table(balance, GROUPS)
    marked = [cell for row in square.values.tolist() for cell in row if "◀" in cell]
    assert marked == [f"2 · {numerals.percent(0.4)} ◀"]
    costs = tables.group_cost_table(social_from_costs(np.array([2.0, 2.5])), GROUPS)
    assert costs[""].tolist() == ["", tables.DECIDES_MARK]


def test_features_are_told_in_original_units() -> None:
    table = tables.feature_table(load_dataset("bank")).set_index("feature")
    assert table.loc["age", "smallest"] == pytest.approx(18)
    assert table.loc["age", "largest"] == pytest.approx(95)
    assert table.loc["age", "average"] == pytest.approx(40.936, abs=1e-3)


def test_mix_bars_add_up_and_outline_the_deciding_cell() -> None:
    balance = balance_from_counts(np.array([[2.0, 48.0], [8.0, 42.0]]))
    figure = bars.cluster_mix_figure(balance, GROUPS)
    np.testing.assert_allclose(np.sum([bar.x for bar in figure.data], axis=0), 1.0)
    assert figure.data[0].x[1] == pytest.approx(0.04)
    outlined = [
        (bar.name, row)
        for bar in figure.data
        for row, color in zip(bar.y, bar.marker.line.color, strict=True)
        if color == palette.DECIDES
    ]
    assert outlined == [("divorced", "cluster 1")]
    written = [text.replace("\N{NO-BREAK SPACE}", " ") for text in figure.layout.yaxis.ticktext]
    assert written[:2] == ["Whole data<br>100 people", "Cluster 1<br>50 people (50 %)"]
    said = figure.data[0].customdata[2].replace("\N{NO-BREAK SPACE}", " ")
    assert said == "Cluster 2 · 50 people (50 %)"
    empty = bars.cluster_mix_figure(balance_from_counts(np.array([[1.0, 2.0], [3, 994]])), GROUPS)
    assert "Cluster 1<br>3 people (0.30" in empty.layout.yaxis.ticktext[1]
    equal = bars.cluster_mix_figure(balance_from_counts(np.full((2, 2), 5.0)), GROUPS)
    assert palette.DECIDES not in str(equal)


@pytest.mark.parametrize("size", [200, 5000])
def test_the_map_draws_every_point_once(size: int) -> None:
    rng = np.random.default_rng(0)
    places, codes = rng.normal(size=(size, 2)), rng.integers(0, 3, size)
    marks = [palette.group_mark(code) for code in range(3)]
    figure = map_figure(
        places, codes, ("a", "b", "c"), marks, ("x", "y"),
        centers=np.zeros((2, 2)), antidote=np.ones((4, 2)),
    )  # fmt: skip
    drawn = dict.fromkeys(("a", "b", "c", "centre", "antidote"), 0)
    for trace in figure.data:
        drawn[trace.name] += len(trace.x)
    assert list(drawn.values()) == [*np.bincount(codes).tolist(), 2, 4]
    assert sum(bool(trace.showlegend) for trace in figure.data[:-2]) == 3
    assert figure.data[-1].name == "centre"


def test_roles_groups_and_the_antidote_never_share_a_colour() -> None:
    roles = [palette.VANILLA, palette.BASELINE, palette.ANTIDOTE, palette.DECIDES]
    groups = [palette.group_mark(code).color for code in range(5)]
    assert len({*roles, *groups}) == len(roles) + len(groups)
    assert len({palette.group_mark(code).symbol for code in range(5)}) == 5
    assert len({palette.group_mark(code).pattern for code in range(5)}) == 5


def test_the_story_is_the_same_on_every_telling() -> None:
    first, second = tell_story(), tell_story()
    np.testing.assert_array_equal(first.antidote, second.antidote)
    costs = [[step.balance.cost for step in story.steps] for story in (first, second)]
    assert costs[0] == costs[1]
    assert costs[0][-1] < costs[0][0]
    lower, upper = np.percentile(first.data.points, [1, 99], axis=0)
    place = first.antidote.mean(axis=0)
    assert (place >= lower).all()
    assert (place <= upper).all()


def test_a_clump_keeps_its_place() -> None:
    points = clump(np.array([3.0, -1.0]))
    np.testing.assert_allclose(points.mean(axis=0), [3.0, -1.0])
    assert len(np.unique(points.round(3), axis=0)) == len(points)


def test_the_library_does_not_import_plotly() -> None:
    code = "import sys, antidote_core; print('plotly' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
