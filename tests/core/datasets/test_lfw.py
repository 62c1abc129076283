"""Labeled Faces in the Wild: three forms, never one for another, and a sentence when one lacks."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets

from antidote_core.datasets import available_forms, load_dataset
from antidote_core.datasets.sets import lfw
from antidote_core.errors import DataError

REAL = Path(os.environ.get("ANTIDOTE_DATA_DIR", ".")) / "lfw.npz"
needs_faces = pytest.mark.skipif(
    not REAL.is_file(), reason="ANTIDOTE_DATA_DIR names no folder with lfw.npz"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIDOTE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("ANTIDOTE_LFW_SEX", raising=False)
    return tmp_path


def save(folder: Path, **arrays: np.ndarray) -> None:
    points = np.random.default_rng(0).normal(size=(20, 80)).astype(np.float32)
    sex = (np.arange(20) % 2).astype(np.uint8)
    np.savez(folder / "lfw.npz", **(arrays or {"X": points, "sex": sex}))


def sentence(**options) -> str:
    with pytest.raises(DataError) as caught:
        load_dataset("lfw", **options)
    return str(caught.value)


# ---------------------------------------------------------------- local file


@needs_faces
def test_the_real_file_loads_as_it_is():
    data = load_dataset("lfw")
    assert data.points.shape == (13232, 80)
    assert dict(zip(data.group_names, data.group_sizes.tolist(), strict=True)) == {
        "female": 2962,
        "male": 10270,
    }
    assert "your local file" in data.source
    with np.load(REAL) as archive:
        np.testing.assert_array_equal(data.points, archive["X"].astype(np.float64))
        np.testing.assert_array_equal(data.groups, archive["sex"])
    for size in data.group_sizes:
        assert f"{size:,}" in data.card.groups


def test_a_local_file_is_used_when_present(folder):
    save(folder)
    data = load_dataset("lfw")
    assert data.points.shape == (20, 80)
    assert data.points.dtype == np.float64
    assert data.group_names == ("female", "male")
    assert data.source == "Labeled Faces in the Wild, your local file lfw.npz, 20 pictures"
    assert available_forms("lfw")[0].available


def test_without_a_local_file_nothing_else_is_taken(folder, monkeypatch):
    text = sentence()
    assert f"({folder}) holds no lfw.npz" in text
    assert "rows='download'" in text
    assert "rows='twin'" in text
    assert "not real data" in text
    monkeypatch.delenv("ANTIDOTE_DATA_DIR")
    assert "ANTIDOTE_DATA_DIR is not set" in sentence()


def test_forms_say_what_each_of_them_lacks(folder):
    local, download, twin = available_forms("lfw")
    assert (local.name, download.name, twin.name) == ("local", "download", "twin")
    assert "holds no lfw.npz" in local.missing
    assert "ANTIDOTE_LFW_SEX is not set" in download.missing
    assert not local.available
    assert not download.available
    assert twin.available
    assert "synthetic" in twin.title


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"Y": np.zeros(3)}, "holds Y; wanted the arrays X and sex"),
        ({"X": np.zeros((20, 79)), "sex": np.zeros(20)}, "X of shape (20, 79)"),
        ({"X": np.zeros((20, 80)), "sex": np.zeros(19)}, "sex of shape (19,)"),
        ({"X": np.full((20, 80), np.nan), "sex": np.arange(20) % 2}, "not finite numbers"),
        ({"X": np.full((20, 80), "a"), "sex": np.arange(20) % 2}, "not finite numbers"),
        ({"X": np.zeros((20, 80)), "sex": np.zeros(20)}, "sex holds [0.0]; wanted 0 (female)"),
        ({"X": np.zeros((20, 80)), "sex": np.arange(20) % 3}, "sex holds [0, 1, 2]"),
        ({"X": np.zeros((20, 80)), "sex": np.arange(20) == 0}, "at least two of each"),
    ],
    ids=["names", "width", "length", "nan", "text", "one-sex", "three", "single"],
)
def test_a_local_file_of_another_make_is_refused(folder, arrays, words):
    save(folder, **arrays)
    text = sentence()
    assert words in text
    assert "docs/data.md" in text


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"hello, this is no archive"])
def test_a_file_that_is_no_archive_is_refused(folder, content):
    (folder / "lfw.npz").write_bytes(content)
    assert "lfw.npz in ANTIDOTE_DATA_DIR cannot be read" in sentence()


def test_pickled_and_single_arrays_are_refused(folder):
    save(folder, X=np.array([{}], dtype=object), sex=np.zeros(1))
    assert "cannot be read (ValueError)" in sentence()
    with (folder / "lfw.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    assert "cannot be read" in sentence()


# ---------------------------------------------------------------- download

PEOPLE = {"Ada_Byron": "female", "Alan_Kay": "male", "Grace_Hall": "female", "Noam_Lee": "male"}


@pytest.fixture
def labels(folder, monkeypatch):
    path = folder / "sex.csv"
    lines = [f"{name.replace('_', ' ')},{sex}" for name, sex in PEOPLE.items()]
    path.write_text("name,sex\n" + "\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setenv("ANTIDOTE_LFW_SEX", str(path))
    return path


@pytest.fixture
def pictures(folder, monkeypatch):
    """A folder as scikit-learn leaves it after downloading, with made-up pictures in it."""
    image = pytest.importorskip("PIL.Image", reason="pillow writes the made-up pictures")
    home = folder / "scikit_learn_data" / "lfw_home"
    rng = np.random.default_rng(1)
    for name in (*PEOPLE, "Un_Labelled"):
        (home / "lfw_funneled" / name).mkdir(parents=True)
        for i in range(1, 26):
            pixels = rng.integers(0, 256, (250, 250, 3), dtype=np.uint8)
            path = home / "lfw_funneled" / name / f"{name}_{i:04d}.jpg"
            image.fromarray(pixels).save(path)
    for name in ("pairsDevTrain.txt", "pairsDevTest.txt", "pairs.txt"):
        (home / name).write_text("", encoding="utf-8")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(home.parent))


def test_downloaded_pictures_become_eighty_components(labels, pictures):
    heard: list[str] = []
    data = load_dataset("lfw", rows="download", progress=heard.append)
    assert data.points.shape == (100, 80)
    assert data.group_sizes.tolist() == [50, 50]
    assert "downloaded by scikit-learn" in data.source
    assert any("25 of 125 pictures without a sex label are left out" in n for n in data.notes)
    # Principal components: centred, uncorrelated, falling variance, of 42 x 42 standardised pixels.
    covariance = np.cov(data.points, rowvar=False)
    np.testing.assert_allclose(covariance - np.diag(np.diag(covariance)), 0.0, atol=1e-6)
    assert (np.diff(np.diag(covariance)) <= 1e-9).all()
    assert 0.5 * 42 * 42 < np.diag(covariance).sum() < 42 * 42 * 100 / 99
    assert heard[0].startswith("Looking for")
    assert heard[-1] == "Reducing the pictures to 80 principal components"
    again = load_dataset("lfw", rows="download")
    assert again.content_hash == data.content_hash


def test_no_network_is_said_in_one_sentence(labels, monkeypatch):
    def unreachable(**_):
        raise URLError("[Errno -3] Temporary failure in name resolution")

    monkeypatch.setattr(sklearn.datasets, "fetch_lfw_people", unreachable)
    text = sentence(rows="download")
    assert "could not be downloaded ([Errno -3] Temporary failure in name resolution)" in text
    assert "a network connection is needed" in text
    assert "ANTIDOTE_DATA_DIR" in text
    assert "rows='twin'" in text


def test_an_unreachable_address_is_said_in_one_sentence(labels, folder, monkeypatch):
    """Scikit-learn's own download code, sent to a port where nobody listens."""
    from sklearn.datasets import _lfw

    nowhere = [target._replace(url="http://127.0.0.1:9/x") for target in _lfw.TARGETS]
    monkeypatch.setattr(_lfw, "TARGETS", tuple(nowhere))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(folder / "empty"))
    heard: list[str] = []
    text = sentence(rows="download", progress=heard.append)
    assert "could not be downloaded" in text
    assert "Connection refused" in text
    assert heard[0].startswith("Looking for")


def test_progress_counts_the_megabytes_that_have_arrived(tmp_path):
    (tmp_path / "lfw-funneled.tgz.part_x").write_bytes(b"0" * 2_000_000)
    assert lfw._stage(tmp_path) == "Downloading the pictures: 2 of about 243 MB"
    (tmp_path / "lfw_funneled").mkdir()
    assert lfw._stage(tmp_path) == "Unpacking and reading the pictures"


def test_the_download_tells_its_stage_while_it_waits(labels, monkeypatch):
    import time

    def slow(**_):
        time.sleep(1.2)
        raise TimeoutError("timed out")

    monkeypatch.setattr(sklearn.datasets, "fetch_lfw_people", slow)
    heard: list[str] = []
    assert "(timed out)" in sentence(rows="download", progress=heard.append)
    assert any(message.startswith(("Downloading", "Unpacking")) for message in heard)


def test_pillow_is_named_when_it_is_missing(labels, monkeypatch):
    def no_pillow(**_):
        raise ImportError("PIL")

    monkeypatch.setattr(sklearn.datasets, "fetch_lfw_people", no_pillow)
    assert "needs the package pillow" in sentence(rows="download")


def test_the_download_needs_sex_labels(folder, monkeypatch):
    assert "ANTIDOTE_LFW_SEX is not set; point it to a CSV file" in sentence(rows="download")
    monkeypatch.setenv("ANTIDOTE_LFW_SEX", str(folder / "none.csv"))
    assert "none.csv, which is not a file" in sentence(rows="download")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("person,sex\nA,male\n", "has the columns person, sex; wanted name and sex"),
        ("name,sex\nA,unknown\n", "has the sex 'unknown'; wanted female or male"),
        ("", "cannot be read (EmptyDataError)"),
        ('name,sex\n"A,male\n', "cannot be read (ParserError)"),
    ],
)
def test_label_files_of_another_make_are_refused(labels, content, words):
    labels.write_text(content, encoding="utf-8")
    assert words in sentence(rows="download")


def test_labels_of_other_people_are_refused(labels, pictures):
    labels.write_text("name,sex\nSomebody Else,male\n", encoding="utf-8")
    assert "labels 0 of 125 pictures with fewer than two sexes" in sentence(rows="download")


def test_labels_are_read_by_person_or_by_picture(tmp_path):
    path = tmp_path / "sex.csv"
    path.write_text(
        "Name, Sex\nAda Byron,F\nAlan_Kay_0001.jpg,m\nAlan_Kay/Alan_Kay_0002.jpg,1\n"
        "Alan_Kay_0003.jpg,f\nNoam Lee,male\nNoam_Lee,female\n",
        encoding="utf-8",
    )
    assert lfw.read_sex_labels(path) == {"ada byron": 0, "alan kay": 1}


# ---------------------------------------------------------------- synthetic twin


def test_the_twin_says_what_it_is(folder):
    save(folder)
    data = load_dataset("lfw", rows="twin")
    assert data.points.shape == (13232, 80)
    assert data.group_sizes.tolist() == [2962, 10270]
    assert data.source.startswith("synthetic twin")
    assert "made-up" in data.source
    assert "synthetic twin" in data.title
    assert "No row is a person" in data.card.harms
    assert data.notes[0].startswith("Synthetic")


def test_the_twin_follows_its_averages():
    data = load_dataset("lfw", rows="twin")
    statistics = json.loads(lfw.TWIN_FILE.read_text(encoding="utf-8"))
    for code, name in enumerate(("female", "male")):
        part = data.points[data.groups == code]
        factors = np.array(statistics[name]["factors"])
        covariance = factors.T @ factors + np.diag(statistics[name]["remaining_variance"])
        error = np.abs(part.mean(axis=0) - statistics[name]["mean"])
        assert (error < 5 * np.sqrt(np.diag(covariance) / len(part))).all()
        ratio = part.var(axis=0) / np.diag(covariance)
        assert (np.abs(ratio - 1) < 6 * np.sqrt(2 / len(part))).all()


def test_the_averages_are_too_few_to_rebuild_anything():
    statistics = json.loads(lfw.TWIN_FILE.read_text(encoding="utf-8"))
    numbers = 0
    for group in statistics.values():
        assert set(group) == {"size", "mean", "factors", "remaining_variance"}
        assert np.array(group["factors"]).shape == (10, 80)
        numbers += 1 + np.size(group["mean"]) + np.size(group["factors"]) + 80
    assert numbers == 2 * (1 + 80 + 800 + 80)  # for 13,232 x 80 numbers in the real set


def test_averages_of_a_known_cloud_are_found():
    rng = np.random.default_rng(3)
    strong = rng.normal(size=(10, 80))
    points = rng.normal(size=(8_000, 10)) @ strong + 0.5 * rng.normal(size=(8_000, 80)) + 2.0
    found = lfw.twin_statistics(points, np.arange(8_000) % 2)["female"]
    factors = np.array(found["factors"])
    covariance = factors.T @ factors + np.diag(found["remaining_variance"])
    expected = strong.T @ strong + 0.25 * np.eye(80)
    assert np.abs(covariance - expected).max() < 0.1 * np.abs(expected).max()
    np.testing.assert_allclose(found["mean"], 2.0, atol=0.3)
    assert found["size"] == 4_000


@needs_faces
def test_the_bundled_averages_are_those_of_the_real_file():
    with np.load(REAL) as archive:
        again = lfw.twin_statistics(archive["X"], archive["sex"])
    bundled = json.loads(lfw.TWIN_FILE.read_text(encoding="utf-8"))
    for name in ("female", "male"):
        assert again[name]["size"] == bundled[name]["size"]
        for key in ("mean", "factors", "remaining_variance"):
            np.testing.assert_allclose(again[name][key], bundled[name][key], rtol=0.02, atol=0.02)


@needs_faces
def test_no_point_of_the_twin_is_a_real_face():
    from sklearn.neighbors import NearestNeighbors

    real, twin = load_dataset("lfw"), load_dataset("lfw", rows="twin")
    nearest = NearestNeighbors(n_neighbors=1).fit(real.points)
    distance, _ = nearest.kneighbors(twin.points[:500])
    own, _ = NearestNeighbors(n_neighbors=2).fit(real.points).kneighbors(real.points[:500])
    assert distance.min() > 0.5 * np.median(own[:, 1])
