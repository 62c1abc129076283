"""What a run on copies of rows gives to take away: copies, weights, and lines that use them."""

import io
import os
import runpy
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core import RunSpec
from antidote_core.analysis.snapshots import numbered_as
from antidote_core.cli.main import main
from antidote_core.geometry import nearest_center
from antidote_core.reporting.documents.report import (
    CONTENTS,
    RunRecord,
    run_bundle,
    run_report,
    weight_files,
    weight_lines,
)

SOCIAL = {"fairness": "social", "start_size": 6, "budget": 120, "max_rounds": 2, "max_copies": 3}


def frame(n=120):
    """Whole numbers, decimals, and names and texts that files tend to spoil."""
    rng = np.random.default_rng(3)
    side = np.resize([0, 1], n)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 60, n) + 30 * side,
            "weight": np.round(rng.normal(70, 12, n) + 40 * side, 1),
            "=town": rng.choice(["NA", "=north", "1.50"], n),
            "sex": rng.choice(["f", "m"], n, p=[0.3, 0.7]),
        }
    )


@pytest.fixture(scope="module")
def record():
    table = frame()
    data = ac.dataset_from_frame(table, ["age", "weight", "=town"], "sex", name="own")
    spec = RunSpec(dataset="own", **SOCIAL)
    result = ac.run(spec, data)
    assert result.size
    return RunRecord(data, spec, result)


def read(text, **options):
    return pd.read_csv(io.StringIO(text), keep_default_na=False, dtype={"'=town": str}, **options)


def test_values_are_those_of_the_table_to_the_last_digit(record):
    files = weight_files(record)
    whole = read(files["data_with_weights.csv"])
    assert list(whole.columns) == ["age", "weight (table)", "'=town", "sex", "weight"]
    assert whole["age"].tolist() == frame()["age"].tolist()
    assert whole["weight (table)"].tolist() == frame()["weight"].tolist()
    assert whole["sex"].tolist() == frame()["sex"].tolist()
    towns = [text.removeprefix("'") for text in whole["'=town"]]
    assert towns == frame()["=town"].tolist()
    assert whole["weight"].tolist() == record.view.sample_weight.tolist()


def test_copies_and_weights_are_those_of_the_result(record):
    files, copies = weight_files(record), record.view.copies
    table = read(files["copies.csv"])
    assert table["copies"].sum() == record.view.size
    assert len(table) == record.view.people
    assert (copies[table["row"] - 1] == table["copies"]).all()
    rows = frame().iloc[table["row"] - 1]
    assert table["age"].tolist() == rows["age"].tolist()
    assert table["sex"].tolist() == rows["sex"].tolist()
    weights = read(files["weights.csv"])
    assert weights["row"].tolist() == list(range(1, record.data.n + 1))
    assert weights["weight"].tolist() == (1 + copies).tolist()


def promised(record):
    """Labels of U at the centres of the answer."""
    return nearest_center(record.data.points, record.view.answer.centers)[0]


def test_the_lines_of_python_give_the_promised_clusters(record, tmp_path, monkeypatch, capsys):
    for name, text in weight_files(record).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made = runpy.run_path("use_weights.py")
    np.testing.assert_allclose(made["points"], record.data.points, atol=1e-9)
    labels = made["table"]["cluster"].to_numpy()
    again, _ = numbered_as(promised(record), labels, np.zeros((2, 1)))
    assert np.array_equal(again, promised(record))
    assert "cluster" in capsys.readouterr().out


def test_the_lines_run_without_this_software(record, tmp_path):
    for name, text in weight_files(record).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "use_weights.py"],
        cwd=tmp_path, env=bare, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert sum(int(word) for word in done.stdout.split() if word.isdecimal()) >= record.data.n
    assert "antidote_core" not in weight_lines(record)


def test_scikit_learn_with_the_weights_of_the_result_keeps_the_promise(record):
    """From the same start to 1e-9, and from ten starts of its own."""
    data, result = record.data, record.view
    known = KMeans(2, init=result.answer.centers, n_init=1, tol=0.0)
    known.fit(data.points, sample_weight=result.sample_weight)
    cost = ac.social_cost(known.cluster_centers_, data.points, data.groups)
    assert cost == pytest.approx(result.cost, abs=1e-9)
    model = KMeans(2, n_init=10, random_state=5).fit(
        data.points, sample_weight=result.sample_weight
    )
    union = KMeans(2, n_init=10, random_state=5).fit(np.vstack([data.points, result.antidote]))
    assert model.inertia_ == pytest.approx(union.inertia_, rel=1e-3)
    fresh = ac.social_cost(model.cluster_centers_, data.points, data.groups)
    assert fresh == pytest.approx(result.cost, rel=1e-3)


def test_the_same_of_a_design_on_rows():
    data = ac.load_dataset("two-optima")
    spec = RunSpec(dataset="two-optima", optimizer="design", growth="bisect", target=-0.6)
    result = ac.run(spec, data)
    assert result.reached
    known = KMeans(2, init=result.answer.centers, n_init=1, tol=0.0)
    known.fit(data.points, sample_weight=result.sample_weight)
    cost = ac.balance_cost(known.cluster_centers_, data.points, data.groups)
    assert cost == pytest.approx(result.cost, abs=1e-9)
    model = KMeans(2, n_init=10, random_state=1)
    model.fit(data.points, sample_weight=result.sample_weight)
    assert ac.balance_cost(model.cluster_centers_, data.points, data.groups) <= -0.6


def test_zip_and_report_have_them(record):
    archive = zipfile.ZipFile(io.BytesIO(run_bundle(record, [])))
    files = weight_files(record)
    assert set(files) <= set(archive.namelist()) & set(CONTENTS)
    assert archive.read("copies.csv").decode() == files["copies.csv"]
    assert "Weights instead of points" in run_report(record)


def test_weights_of_the_data_are_counted_in(record):
    own = np.resize([1.0, 2.5], record.data.n)
    view = replace(record.view, weight=float(own.sum()))
    files = weight_files(replace(record, data=replace(record.data, weights=own), view=view))
    assert read(files["weights.csv"])["weight"].tolist() == (own + view.copies).tolist()


def test_made_up_points_have_no_weights():
    spec = RunSpec(dataset="blobs", place="minmax", **SOCIAL)
    made_up = RunRecord(ac.load_dataset("blobs"), spec, ac.run(spec))
    assert made_up.view.size
    assert weight_files(made_up) == {}
    assert "Weights instead of points" not in run_report(made_up)


def test_a_clustering_without_weights_has_copies_only(record):
    spec = replace(record.spec, clustering="kmedoids")
    assert list(weight_files(replace(record, spec=spec))) == ["copies.csv"]
    spec = replace(record.spec, clustering="kmedian")
    assert "use_weights.py" not in weight_files(replace(record, spec=spec))


def test_the_command_line_writes_them(tmp_path, capsys):
    out = tmp_path / "run"
    asked = "--dataset blobs --fairness social --start-size 3 --budget 60 --max-rounds 1"
    main(["run", *asked.split(), "--out", str(out)])
    capsys.readouterr()
    names = {"copies.csv", "weights.csv", "data_with_weights.csv", "use_weights.py"}
    assert names <= {path.name for path in out.iterdir()}
    assert pd.read_csv(out / "copies.csv")["copies"].sum() == 3


def test_a_run_on_weighted_rows_has_its_report_and_files():
    table = frame().assign(people=np.resize([1, 3, 2.5], 120))
    data = ac.dataset_from_frame(table, ["age", "weight"], "sex", name="own", weights="people")
    spec = RunSpec(dataset="own", **SOCIAL)
    events = list(ac.grow(spec, data))
    weighted = RunRecord(data, spec, ac.fold(events))
    assert weighted.view.size
    page = run_report(weighted)
    assert "by its weight in &#39;people&#39;: 260 in all" in page
    assert "260 people" in page
    archive = zipfile.ZipFile(io.BytesIO(run_bundle(weighted, events)))
    weights = read(archive.read("weights.csv").decode())["weight"]
    assert weights.tolist() == (data.weights + weighted.view.copies).tolist()
    clusters = read(archive.read("clusters.csv").decode())
    assert clusters["points"].sum() == pytest.approx(260, abs=2)


def test_fractional_weights_are_files_of_weights_and_no_table_of_points(tmp_path, capsys):
    out = tmp_path / "run"
    arguments = [
        "run", "--dataset", "two-optima", "--optimizer", "design", "--growth", "bisect",
        "--target=-0.8", "--max-size", "200", "--no-whole", "--out", str(out),
    ]  # fmt: skip
    assert main(arguments) == 0
    assert "weighting" in capsys.readouterr().out
    assert not (out / "antidote.csv").exists()
    spec = RunSpec.from_json((out / "spec.json").read_text())
    assert not spec.whole
    data = ac.load_dataset("two-optima")
    view = ac.RunView.fold(
        ac.Event.from_json(line) for line in (out / "events.jsonl").read_text().splitlines()
    )
    weights = pd.read_csv(out / "weights.csv")["weight"].to_numpy()
    assert weights == pytest.approx(view.sample_weight)
    assert weights.sum() == pytest.approx(data.n + view.added)
    copies = pd.read_csv(out / "copies.csv")["copies"].to_numpy()
    assert copies == pytest.approx(view.copies[view.copies > 0])
    record = RunRecord(data, spec, view)
    assert "real rows weigh more" in run_report(record)
    bundle = zipfile.ZipFile(io.BytesIO(run_bundle(record, [])))
    assert "weights.csv" in bundle.namelist()
    assert "antidote.csv" not in bundle.namelist()
