"""Tables that other packages carry, held against those packages or a table written here."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from antidote_core.datasets import DATASETS, load_dataset
from antidote_core.datasets.sets.packaged import DIABETES, GERMAN, PACKAGED
from antidote_core.errors import DataError


def test_diabetes_is_the_table_of_scikit_learn():
    data, original = load_dataset("diabetes"), load_diabetes(scaled=False, as_frame=True).frame
    found = data.to_original(data.points)
    np.testing.assert_allclose(found, original[list(data.feature_names)])
    assert (data.groups + 1 == original["sex"]).all()


def test_sets_are_listed_where_their_package_is():
    for packaged in PACKAGED:
        assert (packaged.name in DATASETS) == packaged.is_here


def test_a_table_of_a_package_is_read_and_rows_with_gaps_are_left_out(tmp_path, monkeypatch):
    place = tmp_path / "a_package"
    place.mkdir()
    (place / "__init__.py").write_text("raise RuntimeError('only the file is read')")
    pd.DataFrame({"a": [1.0, 2.0, None, 4.0], "g": [0, 1, 0, 1]}).to_csv(place / "t.csv")
    monkeypatch.syspath_prepend(tmp_path)
    made = dataclasses.replace(
        DIABETES, package="a_package", file="t.csv", reading={}, features=("a",),
        protected={"g": {0: "no", 1: "yes"}},
    )  # fmt: skip
    assert made.is_here
    assert made.read()["a"].tolist() == [1.0, 2.0, 4.0]
    with pytest.raises(DataError, match="cannot be read as the file that is known here"):
        dataclasses.replace(made, features=("b",)).read()


def test_a_missing_package_is_named():
    absent = dataclasses.replace(GERMAN, package="no_such_package_here")
    assert not absent.is_here
    with pytest.raises(DataError, match="comes with the package no_such_package_here"):
        absent.read()
