"""From a table and a choice of columns to a data set."""

import numpy as np
import pandas as pd
import pytest

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import Choice, to_dataset

from .files import as_csv, people, sentence


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
