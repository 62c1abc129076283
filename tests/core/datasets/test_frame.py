"""Tables of one's own: what they become, and the sentence for everything that cannot be used."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core.datasets import dataset_from_frame, frame
from antidote_core.errors import DataError


def people(n: int = 12) -> pd.DataFrame:
    i = np.arange(n)
    return pd.DataFrame(
        {
            "age": 20.0 + i,
            "income": 1000.0 * (i % 5),
            "job": np.array(["nurse", "clerk", "smith"], dtype=object)[i % 3],
            "race": np.array(["Black", "White"], dtype=object)[i % 2],
            "sex": np.array(["Female", "Male"], dtype=object)[(i // 2) % 2],
        }
    )


def build(df: pd.DataFrame, features=("age", "income"), protected="race", **options):
    return dataset_from_frame(df, list(features), protected, **options)


def sentence(df: pd.DataFrame, features=("age", "income"), protected="race", **options) -> str:
    with pytest.raises(DataError) as caught:
        build(df, features, protected, **options)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


# ---------------------------------------------------------------- what a good table becomes


def test_numbers_are_standardised_with_the_population_deviation():
    data = build(people())
    values = people()[["age", "income"]].to_numpy()
    expected = (values - values.mean(axis=0)) / values.std(axis=0, ddof=0)
    np.testing.assert_allclose(data.points, expected, atol=1e-12)
    assert data.feature_names == ("age", "income")
    assert data.group_names == ("Black", "White")
    assert data.groups.tolist() == [0, 1] * 6
    assert data.points.dtype == np.float64
    assert data.groups.dtype == np.int64
    assert "12 rows" in data.source


def test_a_categorical_column_weighs_as_much_as_a_numeric_one():
    data = build(people(), ["age", "job"])
    assert data.feature_names == ("age", "job = clerk", "job = nurse", "job = smith")
    assert data.points[:, 0].var() == pytest.approx(1.0)
    assert data.points[:, 1:].var(axis=0).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(data.points.mean(axis=0), 0.0, atol=1e-12)
    assert any("job (3)" in note and "0/1" in note for note in data.notes)


def test_numbers_can_be_asked_to_be_categories():
    df = people().assign(code=[1, 2, 10] * 4)
    data = build(df, ["code"], categorical=["code"])
    assert data.feature_names == ("code = 1", "code = 2", "code = 10")
    assert data.to_original(data.points)["code"].tolist() == ["1", "2", "10"] * 4


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, 2, 3, 4], dtype="Int64"),
        pd.array([1.0, 2.0, 3.0, 4.0], dtype="Float64"),
        pd.array([1, 2, 3, 4], dtype="int64[pyarrow]"),
        pd.array([1, 2, 3, 4], dtype=pd.SparseDtype("int64", 0)),
        np.array([1, 2, 3, 4], dtype=np.uint8),
        np.array([1, 2, 3, 4], dtype=np.float32),
        pd.Series(["1", " 2 ", "3.0", "4e0"], dtype=object),
        pd.array(["1", "2", "3", "4"], dtype="string"),
        pd.Series([1, "2", 3.0, decimal.Decimal(4)], dtype=object),
    ],
    ids=lambda v: str(v.dtype),
)
def test_every_kind_of_number_reads_the_same(values):
    df = pd.DataFrame({"x": values, "g": ["a", "b", "a", "b"]})
    data = build(df, ["x"], "g")
    np.testing.assert_allclose(data.to_original(data.points)["x"], [1, 2, 3, 4], atol=1e-12)
    assert data.columns[0].levels == ()
    if isinstance(df["x"].iloc[0], str):
        assert any("'x': numbers written as text" in note for note in data.notes)


@pytest.mark.parametrize(
    "values",
    [
        np.array([True, False, True, False]),
        pd.array([True, False, True, False], dtype="boolean"),
        pd.Series([True, False, True, False], dtype=object),
        pd.Series([np.True_, np.False_, np.True_, np.False_], dtype=object),
    ],
    ids=["numpy", "nullable", "object", "object-numpy"],
)
def test_true_and_false_are_one_and_zero(values):
    df = pd.DataFrame({"x": values, "g": ["a", "b", "b", "a"]})
    data = build(df, ["x"], "g")
    np.testing.assert_allclose(data.points[:, 0], [1, -1, 1, -1])
    assert any("'x': false and true are read as 0 and 1" in note for note in data.notes)


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (pd.Categorical(["lo", "hi", "lo", "hi"], ["lo", "mid", "hi"]), ("lo", "hi")),
        (pd.Categorical([2, 1, 2, 1]), ("1", "2")),
        (pd.array(["b", "a", "b", "a"], dtype="string"), ("a", "b")),
        (pd.Series(["10", "9", "10+", "9"], dtype=object), ("10", "10+", "9")),
        (pd.cut(pd.Series([1, 5, 1, 5]), [0, 2, 6]), ("(0, 2]", "(2, 6]")),
        (pd.Series(["True", "False", "True", "False"], dtype=object), ("False", "True")),
    ],
    ids=["ordered", "numeric", "string", "text", "intervals", "words"],
)
def test_every_kind_of_category_keeps_its_levels(values, levels):
    df = pd.DataFrame({"x": values, "g": ["a", "b", "b", "a"]})
    data = build(df, ["x"], "g")
    assert data.columns[0].levels == levels
    came_back = data.to_original(data.points)["x"].tolist()
    assert came_back == [str(v) for v in df["x"]]


def test_mostly_numeric_text_says_why_it_is_categorical():
    df = people().assign(x=["1", "2", "3", "4", "5", "n/a"] * 2)
    assert any("'n/a'" in note and "categorical" in note for note in build(df, ["x"]).notes)


def test_two_protected_columns_give_their_intersections():
    data = build(people(), protected=("race", "sex"))
    assert data.group_names == (
        "Black × Female", "Black × Male", "White × Female", "White × Male",
    )  # fmt: skip
    assert data.protected == "race × sex"
    for row, code in zip(people().itertuples(), data.groups, strict=True):
        assert data.group_names[code] == f"{row.race} × {row.sex}"


def test_only_intersections_that_occur_are_groups():
    df = people().assign(sex=lambda d: np.where(d["race"] == "Black", "Female", d["sex"]))
    assert build(df, protected=["race", "sex"]).group_names == (
        "Black × Female", "White × Female", "White × Male",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([10, 9, 10, 9], ("9", "10")),
        ([1.0, 2.0, 1.0, 2.0], ("1", "2")),
        ([True, False, True, False], ("False", "True")),
        (pd.Categorical(["z", "a", "z", "a"], ["z", "a", "q"]), ("z", "a")),
        ([" a", "b", "a ", "b"], ("a", "b")),
    ],
    ids=["integers", "floats", "booleans", "categories", "spaces"],
)
def test_group_names_read_as_people_write_them(values, names):
    df = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": values})
    assert build(df, ["x"], "g").group_names == names


def test_columns_named_by_numbers_work():
    df = pd.DataFrame({0: [1.0, 2.0, 3.0, 4.0], 1: list("abab")})
    assert dataset_from_frame(df, [0], 1).feature_names == ("0",)


def test_the_table_itself_is_left_alone():
    df, before = people(), people()
    build(df, ["age", "job"])
    pd.testing.assert_frame_equal(df, before)


# ---------------------------------------------------------------- round trips

texts = st.text("abcxyz é", min_size=1, max_size=5).map(str.strip).filter(bool)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_points_go_back_to_the_table_they_came_from(draws):
    n = draws.draw(st.integers(4, 30))
    size = {"min_size": n, "max_size": n}
    values = st.floats(-1e9, 1e9, allow_subnormal=False)
    number = draws.draw(st.lists(values, **size).filter(lambda v: np.ptp(v) > 1e-3))
    levels = draws.draw(st.lists(texts, min_size=2, max_size=6, unique=True))
    text = draws.draw(st.lists(st.sampled_from(levels), **size).filter(lambda v: len(set(v)) > 1))
    kind = draws.draw(st.sampled_from(["object", "string", "category"]))
    df = pd.DataFrame({"number": number, "text": pd.Series(text, dtype=kind)})
    df["group"] = ["a", "b"] * (n // 2) + ["a"] * (n % 2)
    data = build(df, ["text", "number"], "group")
    original = data.to_original(data.points)
    assert list(original.columns) == ["text", "number"]
    assert original["text"].tolist() == text
    tolerance = 1e-12 * max(1.0, float(np.abs(number).max()))
    np.testing.assert_allclose(original["number"], number, rtol=0, atol=tolerance)


# ---------------------------------------------------------------- missing values


def holes() -> pd.DataFrame:
    df = people()
    df.loc[[0, 1], "age"] = np.nan
    df.loc[[1, 2], "job"] = None
    df.loc[3, "job"] = "?"
    df.loc[4, "race"] = np.nan
    return df


def test_rows_with_missing_values_are_dropped_and_counted():
    data = build(holes(), ["age", "job"])
    assert data.n == 7
    assert (
        "5 of 12 rows left out because a value is missing "
        "(missing per column: age 2, job 3, race 1)."
    ) in data.notes
    np.testing.assert_allclose(data.to_original(data.points)["age"], 20.0 + np.arange(5, 12))


def test_missing_values_are_imputed_and_counted_but_never_a_group():
    data = build(holes(), ["age", "job"], missing="impute")
    assert data.n == 11
    kept = holes().drop(index=4)
    ages = kept["age"].fillna(kept["age"].median())
    original = data.to_original(data.points)
    np.testing.assert_allclose(original["age"], ages)
    assert original["job"].tolist()[1:4] == ["(missing)"] * 3
    notes = " ".join(data.notes)
    assert "1 of 12 rows left out because a value is missing (missing per column: race 1)" in notes
    assert f"2 missing values of 'age' filled in by the median, {kept['age'].median():g}" in notes
    assert "3 missing values of 'job' filled in by a level of its own, '(missing)'" in notes


def test_nullable_missing_values_count_too():
    df = pd.DataFrame(
        {
            "x": pd.array([1, None, 3, 4, 5], dtype="Int64"),
            "b": pd.array([True, True, None, False, True], dtype="boolean"),
            "g": pd.array(["a", "b", "a", "a", "b"], dtype="string"),
        }
    )
    with pytest.raises(DataError, match=r"groups of fewer than 2 rows: b \(1\)"):
        build(df, ["x", "b"], "g")
    assert build(df, ["x", "b"], "g", missing="impute").n == 5


def test_a_level_that_vanishes_with_the_dropped_rows_is_no_feature():
    df = people().assign(job=["odd"] + ["clerk", "nurse"] * 5 + ["clerk"])
    df.loc[0, "age"] = np.nan
    assert build(df, ["age", "job"]).columns[1].levels == ("clerk", "nurse")


# ---------------------------------------------------------------- refusals, each with its sentence


def test_not_a_table():
    assert "pandas DataFrame; got list" in sentence([1, 2])


def test_no_rows():
    assert "no rows" in sentence(people().head(0))


def test_no_features():
    assert "No feature is named" in sentence(people(), [])


def test_unknown_feature():
    text = sentence(people(), ["agee"])
    assert "'agee'" in text
    assert "did you mean 'age'?" in text
    assert "income, job, race, sex" in text


def test_unknown_protected():
    assert "'zzz' to use as protected attribute" in sentence(people(), protected="zzz")


def test_feature_named_twice():
    assert "Column 'age' is named 2 times" in sentence(people(), ["age", "age"])


def test_protected_is_also_a_feature():
    text = sentence(people(), ["age", "race"])
    assert "'race' is both a feature and the protected attribute" in text
    assert "take it out" in text


@pytest.mark.parametrize("protected", [[], ["race", "race"], list("abcdef")])
def test_protected_is_one_column_or_a_few(protected):
    assert "wanted the name of one column, or of up to 5" in sentence(people(), protected=protected)


def test_unknown_policy_for_missing_values():
    assert "'drop' or 'impute'; got 'guess'" in sentence(people(), missing="guess")


def test_categorical_that_is_no_feature():
    assert "'job' is named as categorical" in sentence(people(), categorical=["job"])


def test_duplicate_column_names():
    df = pd.concat([people(), people()[["age"]]], axis=1)
    assert "Column 'age' occurs 2 times" in sentence(df)
    assert "Column '1' occurs 2 times" in sentence(pd.DataFrame({1: [1], "1": [2]}), ["1"])


def test_several_header_lines():
    df = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    assert "2 header lines" in sentence(df)


def test_too_many_rows():
    df = pd.DataFrame({"x": np.zeros(1_000_001, dtype=np.int8), "g": np.int8(0)})
    text = sentence(df, ["x"], "g")
    assert "1,000,001 rows" in text
    assert "at most 1,000,000" in text


def test_too_many_columns():
    df = pd.DataFrame({f"x{i}": [0.0, 1.0] for i in range(501)} | {"g": [0, 1]})
    text = sentence(df, [f"x{i}" for i in range(501)], "g")
    assert "501 features are named; wanted at most 500" in text


def test_too_many_features_after_encoding():
    levels = [f"level {i}" for i in range(50)] * 2
    df = pd.DataFrame({f"x{i}": levels for i in range(11)} | {"g": [0, 1] * 50})
    text = sentence(df, [f"x{i}" for i in range(11)], "g")
    assert "550 features after encoding" in text
    assert "wanted at most 500" in text


def test_too_many_numbers_in_all(monkeypatch):
    monkeypatch.setattr(frame, "MAX_CELLS", 20)
    assert "12 rows by 2 features after encoding; wanted at most 20 numbers" in sentence(people())


def test_too_many_levels():
    df = people(120).assign(job=[f"job {i}" for i in range(120)])
    text = sentence(df, ["job"])
    assert "'job' has 120 different texts ('job 0', 'job 1', 'job 10', …)" in text
    assert "at most 50 categories" in text


@pytest.mark.parametrize(
    ("values", "shown"), [(7.5, "7.5"), ("same", "'same'"), (True, "1"), (0, "0")]
)
def test_constant_columns(values, shown):
    text = sentence(people().assign(flat=values), ["age", "flat"])
    assert f"Column 'flat' has the same value, {shown}, in every row used" in text
    assert "leave it out" in text


def test_rounding_noise_is_constant():
    df = people().assign(flat=[0.3, 0.1 + 0.2] * 6)
    assert "'flat' has the same value" in sentence(df, ["flat"])


def test_constant_after_dropping_rows():
    df = people().assign(flat=[5.0] + [1.0] * 11)
    df.loc[0, "age"] = np.nan
    assert "'flat' has the same value, 1," in sentence(df, ["age", "flat"])


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_values(bad):
    df = people()
    df.loc[[3, 5], "income"] = bad
    text = sentence(df)
    assert "'income' holds 2 values that are not finite, the first in row 4" in text


def test_infinite_values_in_text_and_objects():
    texts = sentence(people().assign(x=["1", "2", "inf"] * 4), ["x"])
    assert "'x' holds 4 values that are not finite, the first in row 3" in texts
    objects = pd.Series([10**400, *range(11)], dtype=object)
    assert "not finite" in sentence(people().assign(x=objects), ["x"])


@pytest.mark.parametrize("values", [[1e308, -1e308], [0.0, 5e-324]])
def test_numbers_beyond_standardising(values):
    assert "cannot be standardised" in sentence(people().assign(x=values * 6), ["x"])


def test_column_without_values():
    assert "'x' has no value in any of the 12 rows" in sentence(people().assign(x=np.nan), ["x"])
    assert "'x' has no value in any" in sentence(people().assign(x=None), ["x"])


def test_column_without_values_where_the_group_is_known():
    df = people().assign(x=[1.0, 2.0] + [np.nan] * 10)
    df.loc[[0, 1], "race"] = None
    text = sentence(df, ["x"], missing="impute")
    assert "'x' has no value in any row with a known protected attribute" in text


def test_every_row_lacks_something():
    df = people()
    df.loc[::2, "age"] = np.nan
    df.loc[1::2, "income"] = np.nan
    text = sentence(df)
    assert "Every one of the 12 rows lacks a value (missing per column: age 6, income 6)" in text


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2024-01-01", periods=12),
        pd.date_range("2024-01-01", periods=12, tz="UTC"),
        pd.timedelta_range("1D", periods=12),
        pd.period_range("2024-01", periods=12, freq="M"),
        pd.Series([datetime.date(2024, 1, i + 1) for i in range(12)], dtype=object),
        pd.Series([datetime.date(2024, 1, i + 1) for i in range(12)], dtype="date32[pyarrow]"),
    ],
    ids=["datetime", "zone", "timedelta", "period", "object", "arrow"],
)
def test_dates_are_refused(values):
    text = sentence(people().assign(when=values), ["age", "when"])
    assert "Column 'when' holds dates or times" in text
    assert "a year or an age in days" in text


@pytest.mark.parametrize(
    ("values", "came"),
    [
        ([[1], [2]] * 6, "values of the type list"),
        ([(1,), (2,)] * 6, "values of the type tuple"),
        ([1j, 2j] * 6, "complex numbers"),
        (pd.Series([1j, 2.5] * 6, dtype=object), "values of the type complex"),
        ([b"a", b"b"] * 6, "values of the type bytes"),
    ],
    ids=["list", "tuple", "complex", "object-complex", "bytes"],
)
def test_other_kinds_of_values_are_refused(values, came):
    df = people().assign(odd=pd.Series(values))
    text = sentence(df, ["age", "odd"])
    assert f"Column 'odd' holds {came}; wanted numbers, texts or categories" in text


def test_mixed_columns_are_refused():
    df = people().assign(x=pd.Series([1, 2.5, "three"] * 4, dtype=object))
    text = sentence(df, ["x"])
    assert "Column 'x' mixes numbers and texts (1 and 'three', for instance)" in text
    assert build(df, ["x"], categorical=["x"]).columns[0].levels == ("1", "2.5", "three")


def test_one_group_only():
    text = sentence(people().assign(race="White"))
    assert "Column 'race' has one group only (White, 12 rows)" in text


def test_no_group_at_all():
    assert "lacks a value (missing per column: race 12)" in sentence(people().assign(race=None))


def test_more_than_twenty_groups():
    df = people(42).assign(race=[f"r{i % 21}" for i in range(42)])
    text = sentence(df)
    assert "Column 'race' has 21 different values; wanted at most 20 groups" in text
    assert "broader groups" in text
    assert build(people(42).assign(race=[f"r{i % 20}" for i in range(42)])).n == 42


def test_groups_of_fewer_than_two_rows():
    df = people()
    df.loc[0, "race"] = "Rare"
    text = sentence(df)
    assert "Column 'race' has groups of fewer than 2 rows: Rare (1)" in text
    df = people()
    df.loc[0, "sex"] = "Rare"
    assert "'race × sex'" in sentence(df, protected=("race", "sex"))
