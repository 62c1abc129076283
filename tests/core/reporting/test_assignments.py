"""Files that are to be joined with the table they came from: IDs, rows, digits and signs of it."""

import io
import runpy
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import antidote_core as ac
from antidote_core import RunSpec
from antidote_core.cli.main import main
from antidote_core.datasets import uploads
from antidote_core.datasets.registry import subsample
from antidote_core.engine.job_folder import read_dataset, write_dataset
from antidote_core.geometry import nearest_center
from antidote_core.reporting.documents.report import (
    RunRecord,
    assignments_csv,
    run_bundle,
    weight_files,
)

SOCIAL = {"fairness": "social", "start_size": 6, "budget": 120, "max_rounds": 2, "max_copies": 3}
CHOICE = uploads.Choice(
    ("Alter", "Einkommen", "Wohnung"), ("Geschlecht",), ids=("Kennung", "Vorwahl")
)


def german(n=160):
    """The lines of a file as a spreadsheet writes it, and its cells as texts, one row each."""
    rng = np.random.default_rng(5)
    side = np.resize([0, 1], n)
    income = rng.normal(2300, 300, n) + 1500 * side
    cells = pd.DataFrame(
        {
            "Kennung": [f"K-{i:05d}" for i in rng.permutation(n)],
            "Vorwahl": [f"0{i}" for i in rng.integers(10, 99, n)],
            "Alter": [f"{a},50" for a in rng.integers(18, 50, n) + 20 * side],
            "Einkommen": [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in income],
            "Wohnung": rng.choice(["Miete", "Eigentum"], n),
            "Geschlecht": rng.choice(["w", "m"], n, p=[0.4, 0.6]),
            "Notiz": [f"Notiz {i}" for i in range(n)],
        }
    )
    cells.loc[[3, 40], "Alter"] = ""
    cells.loc[7, ["Alter", "Geschlecht"]] = ""
    lines = [";".join(row) for row in cells.to_numpy()]
    lines[20] = "zu;kurz"
    return "\n".join([";".join(cells.columns), *lines, ""]), cells


@pytest.fixture(scope="module")
def table():
    return uploads.read_table("leute.csv", german()[0].encode("cp1252"))


@pytest.fixture(scope="module")
def record(table):
    data = uploads.encode(table, CHOICE, "my-leute", "Leute").data
    spec = RunSpec(dataset="my-leute", **SOCIAL)
    return RunRecord(data, spec, ac.run(spec, data))


def read(text):
    return pd.read_csv(io.StringIO(text), sep=";", dtype=str, keep_default_na=False)


def test_assignments_join_with_the_table_by_row_and_by_id(record):
    found, cells = read(assignments_csv(record, record.shot)), german()[1]
    assert found.columns.tolist() == [
        "row", "Kennung", "Vorwahl", "group", "cluster before", "cluster after", "changed",
        "copies",
    ]  # fmt: skip
    rows = cells.iloc[found["row"].astype(int) - 1].reset_index(drop=True)
    for name in ("Kennung", "Vorwahl"):
        assert found[name].tolist() == rows[name].tolist()
    assert found["group"].tolist() == rows["Geschlecht"].tolist()
    assert sorted({*range(1, 161)} - set(found["row"].astype(int))) == [4, 8, 21, 41]
    joined = found.merge(cells, on="Kennung", validate="one_to_one")
    assert len(joined) == record.data.n


def test_assignments_are_those_of_the_run(record):
    found, view = read(assignments_csv(record, record.shot)), record.view
    before = nearest_center(record.data.points, view.steps[0].centers)[0] + 1
    assert found["cluster before"].astype(int).tolist() == before.tolist()
    after = nearest_center(record.data.points, view.answer.centers)[0]
    named = found["cluster after"].astype(int).to_numpy()
    assert len(set(zip(after, named, strict=True))) == 2  # the same clusters under other numbers
    moved = found["cluster before"] != found["cluster after"]
    assert (found["changed"] == np.where(moved, "yes", "no")).all()
    assert found["copies"].astype(int).tolist() == view.copies.tolist()
    assert found["copies"].astype(int).sum() == view.size > 0


def test_copied_rows_have_the_digits_and_signs_of_the_file(record):
    cells, files = german()[1], weight_files(record)
    copies = read(files["copies.csv"])
    assert len(copies) == record.view.people
    rows = cells.iloc[copies["row"].astype(int) - 1].reset_index(drop=True)
    for name in ("Kennung", "Vorwahl", "Alter", "Einkommen", "Wohnung", "Geschlecht"):
        assert copies[name].tolist() == rows[name].tolist(), name
    weights = read(files["weights.csv"])
    assert weights.columns.tolist() == ["row", "Kennung", "Vorwahl", "weight"]


def test_the_lines_of_python_read_that_dialect(record, tmp_path, monkeypatch, capsys):
    for name, text in weight_files(record).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made = runpy.run_path("use_weights.py")
    capsys.readouterr()
    np.testing.assert_allclose(made["points"], record.data.points, atol=1e-9)


def test_what_is_filled_in_stands_in_the_files_as_a_number(table, tmp_path, monkeypatch, capsys):
    data = uploads.encode(table, replace(CHOICE, missing="impute"), "my-leute", "Leute").data
    spec = RunSpec(dataset="my-leute", **SOCIAL)
    for name, text in weight_files(RunRecord(data, spec, ac.run(spec, data))).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    np.testing.assert_allclose(runpy.run_path("use_weights.py")["points"], data.points, atol=1e-9)
    capsys.readouterr()


def test_what_was_left_out_is_listed_with_its_reason(record):
    archive = zipfile.ZipFile(io.BytesIO(run_bundle(record, [])))
    assert {"assignments.csv", "left_out.csv"} <= set(archive.namelist())
    assert read(archive.read("left_out.csv").decode()).to_numpy().tolist() == [
        ["column", "Notiz", "not chosen"],
        ["row", "4", "no value in Alter"],
        ["row", "8", "no value in Alter, Geschlecht"],
        ["row", "21", "another number of values than the first line"],
        ["row", "41", "no value in Alter"],
    ]
    assert "cluster;group;points" in archive.read("clusters.csv").decode()


def test_ids_are_never_features(table, record):
    without = uploads.encode(table, replace(CHOICE, ids=()), "my-leute", "Leute").data
    assert np.array_equal(without.points, record.data.points)
    assert without.feature_names == record.data.feature_names
    assert without.content_hash != record.data.content_hash  # other files: another run
    with pytest.raises(ac.DataError, match="'Alter' is to be kept for joining and is a feature"):
        uploads.encode(table, replace(CHOICE, ids=("Alter",)), "a", "a")


def test_a_stored_run_knows_where_its_rows_came_from(record, tmp_path):
    write_dataset(tmp_path / "data.npz", record.data)
    again = read_dataset(tmp_path / "data.npz")
    assert again.content_hash == record.data.content_hash
    for name in ("written", "left_out"):
        pd.testing.assert_frame_equal(
            getattr(again.origin, name), getattr(record.data.origin, name)
        )
    stored = replace(record, data=again)
    assert assignments_csv(stored, stored.shot) == assignments_csv(record, record.shot)


def test_a_sample_keeps_its_rows(record):
    part = subsample(record.data, 50, seed=1)
    known = dict(zip(record.data.origin.rows, record.data.origin.written["Kennung"], strict=True))
    taken = zip(part.origin.rows, part.origin.written["Kennung"], strict=True)
    assert [known[row] for row, _ in taken] == part.origin.written["Kennung"].tolist()


def test_made_up_points_have_no_column_of_copies():
    spec = RunSpec(dataset="blobs", place="minmax", **SOCIAL)
    made_up = RunRecord(ac.load_dataset("blobs"), spec, ac.run(spec))
    text = assignments_csv(made_up, made_up.shot)
    assert text.splitlines()[0] == "row,group,cluster before,cluster after,changed"
    assert len(text.splitlines()) == made_up.data.n + 1


def test_nothing_needed_changes_nobody():
    spec = RunSpec(dataset="blobs", target=-0.1)
    done = RunRecord(ac.load_dataset("blobs"), spec, ac.run(spec))
    assert done.view.size == 0
    found = pd.read_csv(io.StringIO(assignments_csv(done, done.shot)))
    assert (found["changed"] == "no").all()
    assert (found["cluster before"] == found["cluster after"]).all()


def test_a_frame_brings_its_ids_along():
    frame = pd.DataFrame(
        {
            "who": ["=a", "b", "c", "d", None, "f"],
            "age": [20, 30, None, 50, 60, 35],
            "people": [1, 0, 1, 2, 1, 1],
            "sex": list("fmmffm"),
            "x": 0,
        }
    )
    frame = pd.concat([frame, frame.assign(age=frame["age"] + 1)], ignore_index=True)
    data = ac.dataset_from_frame(frame, ["age"], "sex", weights="people", ids="who")
    assert data.origin.rows.tolist() == [1, 4, 5, 6, 7, 10, 11, 12]
    assert data.origin.written["who"].tolist() == ["=a", "d", "", "f"] * 2
    assert data.origin.left_out.to_numpy().tolist() == [
        ["column", "x", "not chosen"],
        ["row", "2", "weight 0 in people"],
        ["row", "3", "no value in age"],
        ["row", "8", "weight 0 in people"],
        ["row", "9", "no value in age"],
    ]
    with pytest.raises(ac.DataError, match="no column 'whom' to use as ID"):
        ac.dataset_from_frame(frame, ["age"], "sex", ids=["whom"])


def test_the_command_line_writes_assignments(tmp_path, capsys):
    asked = "--dataset blobs --fairness social --start-size 3 --budget 60 --max-rounds 1"
    main(["run", *asked.split(), "--out", str(tmp_path / "run")])
    capsys.readouterr()
    found = pd.read_csv(tmp_path / "run" / "assignments.csv")
    assert found["copies"].sum() == 3
    assert found["row"].tolist() == list(range(1, len(found) + 1))
