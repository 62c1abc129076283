"""The registry: bundled data, teaching sets, samples, and the sentences for bad requests."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from antidote_core.datasets import (
    DATASETS,
    available_forms,
    dataset_info,
    list_datasets,
    load_dataset,
)
from antidote_core.datasets.bundled import BUNDLED, build
from antidote_core.datasets.registry import _shares
from antidote_core.errors import DataError
from antidote_core.fairness import balance_cost

BUNDLED_SETS = ("adult", "bank", "creditcard")
TEACHING_SETS = tuple(info.name for info in list_datasets() if info.kind == "teaching")
FACES = {"rows": "twin"}

ORIGINALS = Path(os.environ.get("ANTIDOTE_DATA_DIR", "."))
needs_originals = pytest.mark.skipif(
    not (ORIGINALS / "adult.csv.gz").is_file(),
    reason="ANTIDOTE_DATA_DIR names no folder with the original UCI files",
)


def load(name: str, **options):
    return load_dataset(name, **(FACES if name == "lfw" else {}), **options)


# ---------------------------------------------------------------- the bundled files


def test_bundled_files_are_the_ones_that_were_checked_in():
    lines = (BUNDLED / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    expected = {name: digest for digest, name in (line.split() for line in lines)}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in BUNDLED.iterdir()
        if path.suffix in {".parquet", ".json"}
    }
    assert found == expected
    assert set(expected) == {f"{name}.parquet" for name in BUNDLED_SETS} | {"faces_twin.json"}


def test_bundled_files_are_small_and_credited():
    assert sum(path.stat().st_size for path in BUNDLED.iterdir()) < 3_000_000
    credit = (BUNDLED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "CC BY 4.0" in credit
    for words in ("Becker", "Kohavi", "Moro", "Rita", "Cortez", "Yeh"):
        assert words in credit


@needs_originals
@pytest.mark.parametrize("original", build.ORIGINALS, ids=lambda o: o.name)
def test_building_again_gives_the_bundled_content(original, tmp_path):
    path = tmp_path / "again.parquet"
    build.write_compact(build.read_original(original, ORIGINALS), original, path)
    again, bundled = pd.read_parquet(path), pd.read_parquet(BUNDLED / f"{original.name}.parquet")
    pd.testing.assert_frame_equal(again, bundled)
    # And against the original, read here without the code under test.
    source = next(ORIGINALS.glob(f"{original.stem}.csv*"))
    rows = pd.read_csv(source, sep=original.separator)
    assert len(rows) == len(bundled) == original.rows
    for column in bundled:
        assert rows[column].tolist() == bundled[column].tolist()


def test_building_without_the_originals_says_what_is_wanted(tmp_path, capsys):
    assert build.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "neither adult.csv nor adult.csv.gz" in said
    (tmp_path / "adult.csv").write_text("age,race\n1,White\n", encoding="utf-8")
    assert build.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "adult.csv has 1 rows and lacks these columns: fnlwgt" in said
    assert "wanted 32561 rows" in said


# ---------------------------------------------------------------- real sets

GROUPS = {
    ("adult", "race", "paper"): {
        "Amer-Indian-Eskimo": 99, "Asian-Pac-Islander": 309, "Black": 953, "Other": 83,
        "White": 8556,
    },
    ("adult", "race", "all"): {
        "Amer-Indian-Eskimo": 311, "Asian-Pac-Islander": 1039, "Black": 3124, "Other": 271,
        "White": 27816,
    },
    ("adult", "sex", "paper"): {"Female": 3297, "Male": 6703},
    ("adult", "sex", "all"): {"Female": 10771, "Male": 21790},
    ("bank", "marital", "all"): {"divorced": 5207, "married": 27214, "single": 12790},
    ("bank", "default", "all"): {"no credit in default": 44396, "credit in default": 815},
    ("creditcard", "EDUCATION", "all"): {"higher": 24615, "lower": 5385},
    ("creditcard", "SEX", "all"): {"female": 18112, "male": 11888},
    ("creditcard", "MARRIAGE", "all"): {"married": 13659, "other": 377, "single": 15964},
}  # fmt: skip


@pytest.mark.parametrize(("name", "protected", "rows"), GROUPS)
def test_group_sizes_are_those_of_the_original_files(name, protected, rows):
    data = load_dataset(name, protected=protected, rows=rows)
    sizes = dict(zip(data.group_names, data.group_sizes.tolist(), strict=True))
    assert sizes == GROUPS[name, protected, rows]
    assert data.protected == protected


@pytest.mark.parametrize("name", BUNDLED_SETS)
def test_every_protected_attribute_and_choice_of_rows_has_its_sizes_checked(name):
    asked = {(name, p, f.name) for p in dataset_info(name).protected for f in available_forms(name)}
    assert asked == {key for key in GROUPS if key[0] == name}


@pytest.mark.parametrize(
    ("name", "shape"), [("adult", (10000, 5)), ("bank", (45211, 3)), ("creditcard", (30000, 23))]
)
def test_real_sets_are_standardised_and_go_back_to_whole_numbers(name, shape):
    data = load_dataset(name)
    assert data.points.shape == shape
    assert data.points.flags.c_contiguous
    np.testing.assert_allclose(data.points.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(data.points.std(axis=0, ddof=0), 1.0, atol=1e-10)
    raw = pd.read_parquet(BUNDLED / f"{name}.parquet").head(shape[0])
    original = data.to_original(data.points)
    assert tuple(original.columns) == data.feature_names
    np.testing.assert_allclose(original, raw[list(data.feature_names)], atol=1e-6)
    assert "bundled copy" in data.source


def test_adult_is_standardised_on_the_rows_taken():
    first, everyone = load_dataset("adult"), load_dataset("adult", rows="all")
    assert everyone.n == 32561
    assert not np.allclose(first.shift, everyone.shift)
    assert "first 10,000 rows" in first.source
    assert "all 32,561 rows" in everyone.source


def test_the_default_groups_are_the_papers():
    assert [load_dataset(name).protected for name in BUNDLED_SETS] == [
        "race",
        "marital",
        "EDUCATION",
    ]


def test_odd_codes_are_explained():
    assert any("0, 5 and 6" in note for note in load_dataset("creditcard").notes)
    notes = load_dataset("creditcard", protected="marriage").notes
    assert any("code 0" in note and "'other'" in note for note in notes)
    assert any("both the protected attribute and a feature" in note for note in notes)


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_is_described(name):
    data, info = load(name), dataset_info(name)
    assert data.name == info.name == name
    assert data.title.startswith(info.title)
    assert info.description.endswith(".")
    assert data.card is not None
    for words in (data.card.what, data.card.who, data.card.licence, data.card.rows):
        assert words
    assert len(data.card.harms) > 60
    # The card gives the size of every group as it is.
    for size in data.group_sizes:
        assert f"{size:,}" in data.card.groups
    assert data.source
    assert len(data.feature_names) == data.points.shape[1] == sum(c.width for c in data.columns)


@pytest.mark.parametrize("name", DATASETS)
def test_loading_twice_gives_the_same(name):
    assert load(name).content_hash == load(name).content_hash
    assert load(name, sample=50, seed=3).content_hash == load(name, sample=50, seed=3).content_hash
    assert load(name, sample=50, seed=3).content_hash != load(name, sample=50, seed=4).content_hash


def test_the_seed_leaves_real_sets_alone():
    for name in (*BUNDLED_SETS, "lfw"):
        assert load(name, seed=7).content_hash == load(name).content_hash


# ---------------------------------------------------------------- samples


def test_a_sample_keeps_units_order_and_groups():
    data, sample = load_dataset("adult"), load_dataset("adult", sample=100, seed=5)
    assert sample.n == 100
    assert sample.group_names == data.group_names
    assert sample.group_sizes.min() >= 2
    np.testing.assert_array_equal(sample.shift, data.shift)
    np.testing.assert_array_equal(sample.scale, data.scale)
    lookup = {(*row, g): i for i, (row, g) in enumerate(zip(data.points, data.groups, strict=True))}
    drawn = [lookup[(*row, g)] for row, g in zip(sample.points, sample.groups, strict=True)]
    assert len(drawn) == 100
    assert "a sample of 100 (seed 5)" in sample.source
    assert any("at least two rows of each group" in note for note in sample.notes)


def test_a_sample_of_everything_is_the_set_itself():
    assert load_dataset("blobs", sample=200).content_hash == load_dataset("blobs").content_hash


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=20), st.data())
def test_shares_are_exact_proportional_and_leave_no_group_out(counts, draws):
    counts = np.array(counts)
    least = np.minimum(counts, 2)
    size = draws.draw(st.integers(int(least.sum()), int(counts.sum())))
    shares = _shares(counts, size)
    assert shares.sum() == size
    assert (shares >= least).all()
    assert (shares <= counts).all()
    ideal = counts * size / counts.sum()
    # Off by less than one row, but for what the smallest groups were given in addition.
    lifted = np.maximum(least - ideal, 0).sum()
    assert (np.abs(shares - ideal) < 1 + lifted + 1e-9).all()


@pytest.mark.parametrize("sample", [9, 10001])
def test_a_sample_that_does_not_fit(sample):
    with pytest.raises(DataError, match=rf"sample = {sample} does not fit .* between 10 .* 10000"):
        load_dataset("adult", sample=sample)


@pytest.mark.parametrize("sample", [0, -1, 2.5, "10", True])
def test_a_sample_that_is_no_number_of_rows(sample):
    with pytest.raises(DataError, match="sample must be a whole number of at least 1; got"):
        load_dataset("blobs", sample=sample)


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_seed_that_is_none(seed):
    with pytest.raises(DataError, match="seed must be a whole number of at least 0; got"):
        load_dataset("blobs", seed=seed)


def test_numpy_integers_are_whole_numbers():
    assert load_dataset("blobs", sample=np.int64(50), seed=np.int32(1)).n == 50


# ---------------------------------------------------------------- names


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(DataError) as caught:
        load_dataset("banks")
    assert "'banks' (did you mean 'bank'?)" in str(caught.value)
    for name in DATASETS:
        assert name in str(caught.value)
    for wrong in (None, 3, ["bank"]):
        with pytest.raises(DataError, match="There is no data set named"):
            load_dataset(wrong)


def test_an_unknown_protected_attribute_lists_the_known_ones():
    with pytest.raises(DataError, match="bank has no protected attribute 'race'; wanted one of "):
        load_dataset("bank", protected="race")
    assert load_dataset("creditcard", protected="education").protected == "EDUCATION"


def test_an_unknown_choice_of_rows_lists_the_known_ones():
    with pytest.raises(DataError, match="adult has no choice of rows 'some'; wanted one of paper"):
        load_dataset("adult", rows="some")
    with pytest.raises(DataError, match="wanted one of paper"):
        load_dataset("adult", rows=10)


# ---------------------------------------------------------------- teaching sets


def plain(data, antidote=None):
    rows = data.points if antidote is None else np.vstack([data.points, antidote])
    with threadpool_limits(1):  # hundreds of points: threads only wait for each other
        fit = KMeans(2, n_init=10, random_state=0).fit(rows)
    return balance_cost(fit.cluster_centers_, data.points, data.groups), fit


def test_there_are_four_teaching_sets():
    assert TEACHING_SETS == ("blobs", "outliers", "two-optima", "needs-distance")


@pytest.mark.parametrize("name", TEACHING_SETS)
@pytest.mark.parametrize("seed", [0, 1, 2, 99])
def test_every_draw_is_small_flat_and_plainly_unfair(name, seed):
    data = load_dataset(name, seed=seed)
    assert data.points.shape[1] == 2
    assert 200 <= data.n <= 600
    assert np.abs(data.points).max() < 10
    assert f"seed {seed}" in data.source
    cost, _ = plain(data)
    assert -0.5 < cost <= 0.0
    np.testing.assert_array_equal(data.to_original(data.points).to_numpy(), data.points)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_blobs_one_cluster_lacks_group_b_and_a_shifted_border_helps(seed):
    data = load_dataset("blobs", seed=seed)
    _, fit = plain(data)
    left = fit.labels_ == fit.cluster_centers_[:, 0].argmin()
    assert data.groups[left].mean() < 0.5 * data.groups[~left].mean()
    # A border further right, as antidote points would put it.
    before = balance_cost(fit.cluster_centers_, data.points, data.groups)
    moved = balance_cost(fit.cluster_centers_ + np.array([0.5, 0.0]), data.points, data.groups)
    assert moved < before - 0.1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_outliers_take_a_cluster_until_a_few_points_free_it(seed):
    data = load_dataset("outliers", seed=seed)
    cost, fit = plain(data)
    assert cost == 0.0
    assert sorted(np.bincount(fit.labels_).tolist()) == [11, 280]
    cured, _ = plain(data, np.tile([4.5, -1.5], (10, 1)))
    assert cured < -0.8


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_optima_are_close_in_inertia_and_far_in_fairness(seed):
    data = load_dataset("two-optima", seed=seed)
    cost, best = plain(data)
    start = np.array([[0.0, -1.5], [0.0, 1.5]])
    other = KMeans(2, init=start, n_init=1).fit(data.points)
    fair = balance_cost(other.cluster_centers_, data.points, data.groups)
    assert best.inertia_ < other.inertia_ < 1.1 * best.inertia_
    assert cost > -0.4
    assert fair < -0.95
    cured, _ = plain(data, np.tile([0.0, -2.4], (10, 1)))
    assert cured < -0.9


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_needs_distance_rewards_distance_only(seed):
    data = load_dataset("needs-distance", seed=seed)
    cost, _ = plain(data)
    near = min(plain(data, np.tile([x, 0.0], (10, 1)))[0] for x in (1.0, 2.0, 2.9))
    far, _ = plain(data, np.tile([9.0, 0.0], (10, 1)))
    assert near > cost - 0.1
    assert far < cost - 0.2
