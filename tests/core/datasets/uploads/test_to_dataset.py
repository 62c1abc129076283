"""From tables and choices to groups and data sets, with what was dropped and filled counted."""

import numpy as np
import pandas as pd
import pytest

from antidote_core.datasets import uploads
from antidote_core.datasets.columns import OTHER
from antidote_core.datasets.uploads import Choice, to_dataset

from .files import as_csv, people, sentence
from .test_names import TWINS


def test_groups_and_categories_that_look_the_same_are_told() -> None:
    who = np.tile(["Ann", "\u0410nn", "Bob", "Bob"], 40)
    frame = people(160).assign(who=who)
    said = f"'Ann' and '\u0410nn' (the second has CYRILLIC CAPITAL LETTER A) {TWINS}"
    groups = uploads.find_groups(frame, ["who"])
    assert groups.names == ("Ann", "Bob", "\u0410nn")
    assert uploads.group_warnings(groups) == [said]
    assert uploads.group_warnings(uploads.find_groups(frame[who != "Ann"], ["who"])) == [
        "A letter of another alphabet that looks alike stands within a word of '\u0410nn' "
        "(CYRILLIC CAPITAL LETTER A): look whether that is what you mean."
    ]
    table = uploads.read_table("a.csv", as_csv(frame))
    assert table.notes == ()
    for categories, noted in (("levels", True), ("share", True), ("leave out", False)):
        choice = Choice(("age", "who"), ("sex",), categories=categories)
        notes = uploads.encode(table, choice, "my-a", "a").data.notes
        assert (f"Values of 'who': {said}" in notes) is noted
    russian = people(80).assign(who=np.tile(["мужской", "женский"], 40))
    assert uploads.group_warnings(uploads.find_groups(russian, ["who"])) == []


def test_intersections_are_those_of_pandas() -> None:
    frame = people()
    groups = uploads.find_groups(frame, ["sex", "origin"])
    wanted = frame.groupby(["sex", "origin"]).size()
    assert groups.sizes == {f"{a} × {b}": size for (a, b), size in wanted.items()}


def test_thirty_groups_are_warned_of_and_can_be_joined() -> None:
    towns = [f"t{i % 30:02d}" for i in range(300)] + ["t05"] * 40
    frame = pd.DataFrame({"x": np.arange(340.0) % 17, "town": towns})
    groups = uploads.find_groups(frame, ["town"])
    assert len(groups.names) == 30
    [first, *_] = uploads.group_warnings(groups)
    assert "'town' gives 30 groups; at most 20 can be compared" in first
    table = uploads.Table("a.csv", frame)
    said = sentence(uploads.encode, table, Choice(("x",), ("town",)), "my-a", "a")
    assert "30 different values; wanted at most 20 groups" in said
    below = uploads.helpful_minimum(groups.sizes)
    data = uploads.encode(table, Choice(("x",), ("town",), join_below=below), "my-a", "a").data
    assert data.group_names == ("t05", OTHER)
    assert data.n == 340


def test_groups_that_would_share_a_name_stay_apart() -> None:
    frame = pd.DataFrame({"town": [OTHER] * 3 + ["a"] * 3 + ["b"]})
    joined = uploads.find_groups(frame, ["town"], join_below=2)
    assert joined.sizes == {OTHER: 3, "a": 3, f"({OTHER})": 1}
    frame = pd.DataFrame({"one": ["p", "p × q"], "two": ["q × r", "r"]})
    crossed = uploads.find_groups(frame, ["one", "two"])
    assert crossed.sizes == {"p × q × r": 1, "p × q × r (2)": 1}
    assert len(crossed.as_column().cat.categories) == 2


def test_one_group_and_no_group() -> None:
    table = uploads.Table("a.csv", people().assign(sex="f"))
    [warning] = uploads.group_warnings(uploads.find_groups(table.frame, ["sex"]))
    assert "one group (f)" in warning
    said = sentence(uploads.encode, table, Choice(("age",), ("sex",)), "my-a", "a")
    assert "one group only (f, 60 rows)" in said
    [warning] = uploads.group_warnings(uploads.find_groups(people().assign(sex=None), ["sex"]))
    assert "No row has a value" in warning


def test_two_rows() -> None:
    table = uploads.read_table("a.csv", b"age,sex\n30,f\n40,m\n")
    groups = uploads.find_groups(table.frame, ["sex"])
    assert "fewer than 2 rows cannot be compared: f (1), m (1)" in uploads.group_warnings(groups)[0]
    assert uploads.helpful_minimum(groups.sizes) == 0
    said = sentence(uploads.encode, table, Choice(("age",), ("sex",)), "my-a", "a")
    assert "groups of fewer than 2 rows: f (1), m (1)" in said


def test_small_and_many_groups_are_warned_of() -> None:
    frame = people(100).assign(town=[f"t{i % 10}" for i in range(100)])
    warnings = uploads.group_warnings(uploads.find_groups(frame, ["town"]))
    assert "10 groups are many" in warnings[0]
    assert "t0 (10), t1 (10), t2 (10), t3 (10), t4 (10) and 5 more" in warnings[1]
    assert uploads.group_warnings(uploads.find_groups(frame, ["sex"])) == []


@pytest.mark.parametrize("ranges", [2, 3, 5])
def test_ranges_hold_about_as_many_rows_each(ranges: int) -> None:
    frame = pd.DataFrame({"age": np.random.default_rng(0).permutation(90).astype(float)})
    frame.loc[3, "age"] = np.nan
    groups = uploads.find_groups(frame, ["age"], ranges=ranges)
    assert len(groups.names) == ranges
    assert max(groups.sizes.values()) - min(groups.sizes.values()) <= 2
    assert groups.unknown == 1
    for name, code in zip(groups.names, range(ranges), strict=True):
        inside = frame["age"][groups.codes == code]
        bounds = [float(word) for word in name.split() if word.isdigit()]
        assert inside.max() <= bounds[-1] or name.startswith("over")
        assert inside.min() > bounds[0] or name.startswith("up to")


def test_a_column_of_the_same_number_has_one_range() -> None:
    frame = pd.DataFrame({"x": [1.0] * 90 + list(range(9))})
    assert uploads.find_groups(frame, ["x"], ranges=2).sizes == {"up to 1": 92, "over 1": 7}


def test_no_name_is_a_tag_for_a_chart() -> None:
    frame = pd.DataFrame({"<b>x</b>": [1.0, 2, 3, 4], "g": ["<a href='//evil'>", "<5"] * 2})
    data = uploads.encode(
        uploads.read_table("a.csv", as_csv(frame)), Choice(("< b>x< /b>",), ("g",)), "my-a", "a"
    ).data
    assert data.group_names == ("< a href='//evil'>", "<5")
    assert data.feature_names == ("< b>x< /b>",)


def test_gaps_are_counted_as_they_are_treated() -> None:
    frame = people()
    frame.loc[[0, 1], "age"] = np.nan
    frame.loc[[1, 2], "job"] = None
    frame.loc[5, "sex"] = None
    table = uploads.Table("a.csv", frame)
    gaps = uploads.count_gaps(frame, ["age", "job"], ["sex"])
    assert (gaps.dropped, gaps.without_group, gaps.filled) == (4, 1, 4)
    for missing in ("drop", "impute"):
        encoded = uploads.encode(table, Choice(("age", "job"), ("sex",), missing), "my-a", "a")
        assert encoded.dropped == (4 if missing == "drop" else 1)
        assert encoded.filled == (0 if missing == "drop" else 4)
        assert encoded.data.n == 60 - encoded.dropped
        assert encoded.data.source == f"your own table a.csv, {encoded.data.n} of 60 rows"


def test_categories_can_become_levels_shares_or_nothing() -> None:
    table = uploads.Table("a.csv", people())
    features = ("age", "job")

    def encoded(how, **more):
        return uploads.encode(
            table, Choice(features, ("sex",), categories=how, **more), "a", "a"
        ).data

    assert encoded("levels").feature_names == ("age", "job = clerk", "job = nurse", "job = smith")
    share = encoded("share")
    assert share.feature_names == ("age", "job (share)")
    wanted = people()["job"].map(people()["job"].value_counts(normalize=True))
    np.testing.assert_allclose(share.to_original(share.points)["job (share)"], wanted)
    nothing = encoded("leave out")
    assert nothing.feature_names == ("age",)
    assert "Left out because they hold categories: job." in nothing.notes
    assert len(encoded("levels", categorical=("age",)).feature_names) > 10
    said = sentence(
        uploads.encode, table, Choice(("job",), ("sex",), categories="leave out"), "a", "a"
    )
    assert "All chosen features hold categories (job)" in said


def test_a_column_of_text_as_feature() -> None:
    frame = people(120).assign(words=[f"person {i}" for i in range(120)])
    table = uploads.Table("a.csv", frame)
    said = sentence(uploads.encode, table, Choice(("words",), ("sex",)), "a", "a")
    assert "'words' has 120 different texts ('person 0', 'person 1', 'person 10', …)" in said
    said = sentence(
        uploads.encode, table, Choice(("words",), ("sex",), categories="share"), "a", "a"
    )
    assert "'words (share)' has the same value" in said


def test_a_feature_cannot_be_protected_too() -> None:
    table = uploads.Table("a.csv", people())
    said = sentence(uploads.encode, table, Choice(("age", "sex"), ("sex",)), "a", "a")
    assert "'sex' is both a feature and the protected attribute" in said


def test_too_many_numbers_for_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_dataset, "MAX_NUMBERS", 100)
    table = uploads.Table("a.csv", people())
    said = sentence(uploads.encode, table, Choice(("age", "job"), ("sex",)), "a", "a")
    assert "60 rows by 4 features once encoded; wanted at most 100 numbers" in said


def test_texts_are_cleaned_before_they_become_levels() -> None:
    frame = people().replace({"clerk": "cle\u200brk", "here": "![x](http://a.example)"})
    data = uploads.encode(
        uploads.Table("a.csv", frame), Choice(("age", "job"), ("origin",)), "a", "a"
    ).data
    assert "job = clerk" in data.feature_names
    assert data.group_names[0] == "![x] (http://a.example)"
