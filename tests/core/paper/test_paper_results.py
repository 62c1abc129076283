"""The stored results of the paper's tables: complete, true, marked as they should be, renewable."""

import json
from dataclasses import asdict
from pathlib import Path

import msgspec
import numpy as np
import pytest
from sklearn.cluster import KMeans

from antidote_core import DataError, Problem, SpecError, social_cost
from antidote_core.cli.main import BAD_INPUT, main
from antidote_core.engine import Runner
from antidote_core.paper import marks, paper_tables, summary, tables
from antidote_core.paper.recompute import compute_row, is_current
from antidote_core.paper.rows import (
    CONVEX,
    FAIRNESS_TABLES,
    MODES,
    OURS,
    PUBLISHED,
    SECONDS,
    TABLES,
    Cell,
    Results,
    all_cells,
    new_results,
    printed,
    read_results,
    stored_results,
    write_results,
)
from antidote_core.runs.events import Packed
from antidote_core.runs.kinds import PAPER
from antidote_core.runs.paper_spec import PaperSpec
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import unpack
from antidote_core.types import jsonable
from tests.core.engine.runs import until

SHORT = (("vanilla_k2",), ("bank",), (PUBLISHED,))
DOCS = Path(__file__).parents[3] / "docs"
QUICK = Cell(CONVEX, "bank", "son", "social", 0, OURS)
KMEANS_K2 = [
    cell
    for cell in all_cells(["vanilla_k2"], ["adult", "bank"])
    if cell.clustering == "kmeans"
]  # fmt: skip


def test_the_stored_results_have_every_cell_in_both_modes():
    rows = stored_results().rows
    assert set(rows) == {cell.key for cell in all_cells()}
    fairness = [row for row in rows.values() if row["table"] in FAIRNESS_TABLES]
    assert len(fairness) == 2 * 48
    assert all(row["answer"]["size"] >= 0 and row["answer"]["checks"] > 0 for row in fairness)
    assert "not computed yet" not in summary.headline(rows)
    some = {key: row for key, row in rows.items() if row["table"] == "vanilla_k2"}
    assert summary.headline(some).endswith("36 are not computed yet.")


@pytest.mark.parametrize("cell", KMEANS_K2, ids=lambda cell: cell.key)
def test_a_stored_v_has_the_stored_cost(cell):
    row = stored_results().rows[cell.key]
    data = cell.load()
    assert data.content_hash == row["data"]
    restarts = 10 if cell.mode == OURS else 1
    problem = Problem(data, cell.clustering, cell.fairness, cell.k, restarts, row["seed"])
    assert problem.vanilla.cost == pytest.approx(row["vanilla"], rel=1e-9)
    answer = row["answer"]
    antidote = unpack(msgspec.convert(answer["antidote"], Packed))
    assert len(antidote) == answer["size"]
    assert problem.evaluate(antidote) == pytest.approx(answer["cost"], rel=1e-9, abs=1e-12)


def test_what_holds_is_found_by_scikit_learn_too():
    cell = Cell("vanilla_k2", "creditcard", "kmeans", "social", 2, OURS)
    row = stored_results().rows[cell.key]
    found = next(one for one in (row["answer"], row["smallest"]) if one and one["holds"])
    data = cell.load()
    union = np.vstack([data.points, unpack(msgspec.convert(found["antidote"], Packed))])
    model = KMeans(2, n_init=10, tol=0, random_state=12345).fit(union)
    cost = social_cost(model.cluster_centers_, data.points, data.groups)
    assert cost <= row["target"] + 1e-9


@pytest.mark.parametrize(
    "cell",
    [QUICK, Cell("vanilla_k2", "adult", "kmeans", "social", 2, PUBLISHED)],
    ids=lambda cell: cell.key,
)
def test_a_cheap_cell_comes_out_as_stored(cell):
    stored, found = stored_results().rows[cell.key], compute_row(cell, stored_results().seed)[0]
    _same(found["answer"], stored["answer"])
    assert found["data"] == stored["data"]
    _same(found["paper"], stored["paper"])


def _timed(key):
    return key in ("seconds", "son", "ratio", "spec")


def _same(found, stored):
    if isinstance(stored, dict):
        assert set(found) == set(stored)
        for key in stored:
            if not _timed(key):
                _same(found[key], stored[key])
    elif isinstance(stored, list):
        assert len(found) == len(stored)
        for one, other in zip(found, stored, strict=True):
            _same(one, other)
    elif isinstance(stored, float):
        assert found == pytest.approx(stored, rel=1e-6, abs=1e-9)
    else:
        assert found == stored


def test_sizes_are_the_whole_numbers_behind_the_printed_shares():
    sizes = {
        cell.key.removesuffix("/ours"): printed(cell).points
        for cell in all_cells(tuple(FAIRNESS_TABLES), modes=[OURS])
    }
    assert sizes["vanilla_k2/bank/kmeans+balance"] == 5
    assert sizes["vanilla_k2/lfw/kmeans+social"] == 10
    assert sizes["vanilla_k4/adult/kmeans+balance"] == 1500
    assert sizes["sota_k2/lfw/kmeans+social"] == 5291
    # Of the 1,000 rows of the sample the shares of Table 1 would be less than one point.
    assert {sizes[f"vanilla_k2/{name}/spectral+balance"] for name in ("adult", "lfw")} == {10}
    assert sizes["vanilla_k3/bank/spectral+balance"] == 20
    assert sizes["sota_k2/bank/spectral+balance"] == 500


def row_of(cell, gain=0.1, size=5, verified=1.0, noise=0.0):
    """A row as `compute` makes it, with the figures a mark looks at."""
    paper = printed(cell)
    answer = {
        "cost": -0.5 - gain, "gain": gain, "size": size, "share": size / 45211,
        "reached": gain >= paper.gain, "verified": verified, "checks": 4,
        "holds": gain >= paper.gain and verified >= 0.75, "spec": {"dataset": "bank"},
    }  # fmt: skip
    return {
        **asdict(cell), "real": True, "seed": 0, "passed": [], "n": 45211, "vanilla": -0.5,
        "noise": [-0.5, -0.5 + noise], "noise_width": noise, "answer": answer,
        "paper": {**asdict(paper), "gain": paper.gain},
        "smallest": None, "wide": None, "one_start": None, "quality": None, "sota": None,
        "seconds": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "mark", "words"),
    [
        ({}, marks.BETTER, "with 5 points where the paper has 5, and 100%"),
        ({"verified": 0.5}, marks.REPRODUCED, "but only 50% of the independent clusterings"),
        ({"gain": 0.001}, marks.NOT, "not reached with 5 points nor with up to 10% of U"),
        ({"size": 6}, marks.NOT, "not reached with 5 points"),
    ],
)
def test_marks_follow_gain_size_and_checks(figures, mark, words):
    ours, published = (
        Cell("vanilla_k2", "bank", "kmeans", "balance", 2, mode) for mode in (OURS, PUBLISHED)
    )
    rows = {ours.key: row_of(ours, **figures), published.key: row_of(published, gain=0.0)}
    found = marks.mark_of(ours, rows)
    assert found.mark == mark
    assert words in found.text
    assert marks.mark_of(ours, {ours.key: rows[ours.key]}) is None


def test_a_gain_inside_the_noise_and_a_smallest_size_are_said():
    ours, published = (
        Cell("vanilla_k2", "bank", "kmeans", "balance", 2, mode) for mode in (OURS, PUBLISHED)
    )
    row = row_of(ours, gain=0.001, noise=0.004)
    row["smallest"] = {"size": 16, "share": 16 / 45211, "verified": 1.0}
    rows = {ours.key: row, published.key: row_of(published, gain=0.0)}
    text = marks.mark_of(ours, rows).text
    assert "the smallest size found that does it is 16 (100%" in text
    assert "inside the noise: plain clustering moves by 0.004" in text
    sentences = " ".join(claim.sentence for claim in summary.claims(rows))
    assert "in 0 of 1 cells" in sentences
    assert "16 points" in sentences


def test_rows_are_runs_of_the_store_and_a_second_call_goes_on(tmp_path, monkeypatch):
    """A killed job keeps its rows; each is a run that opens in Explore."""
    monkeypatch.setenv("ANTIDOTE_PROCESSES", "1")
    spec = PaperSpec(tables=("vanilla_k2",), datasets=("bank",), modes=(PUBLISHED,))
    cells = [cell for cell in all_cells(*SHORT) if cell.clustering == "kmeans"]
    with Runner(tmp_path) as runner:
        job = runner.submit(spec)
        until(lambda: len(runner.view(job, kind=PAPER).rows) >= 1, 120)
        runner.stop(job)
        runner.wait(job, 30)
        stopped = runner.view(job, kind=PAPER)
        assert stopped.state == "stopped"
        assert runner.submit(spec) == job  # the same goes on
        assert runner.wait(job, 240).state == "finished"
        view = runner.view(job, kind=PAPER)
        assert set(stopped.rows) <= view.known
        assert set(view.rows) == set(view.keys) == {cell.key for cell in all_cells(*SHORT)}
        for cell in cells:
            answer = view.rows[cell.key]["answer"]
            shown = runner.view(view.runs[cell.key])
            assert shown.cost == answer["cost"]
            assert shown.size == answer["size"]
            assert runner.submit(RunSpec(**answer["spec"])) == view.runs[cell.key]
            assert shown.comparison[0]["name"] == "vanilla"


def test_rows_of_the_twin_are_no_answer_once_the_faces_are_there(monkeypatch):
    cell = Cell("vanilla_k2", "lfw", "kmeans", "balance", 2, OURS)
    monkeypatch.delenv("ANTIDOTE_DATA_DIR", raising=False)
    assert is_current(cell, {"real": False})
    assert not is_current(cell, {"real": True})


def test_results_survive_the_file(tmp_path):
    results = new_results(
        3, {"b": jsonable({"x": float("nan"), "y": np.float64(0.1)}), "a": {"z": 1}}
    )
    write_results(tmp_path / "r.json", results)
    again = read_results(tmp_path / "r.json")
    assert again == Results(
        3, results.date, results.versions, {"a": {"z": 1}, "b": {"x": None, "y": 0.1}}
    )
    (tmp_path / "r.json").write_text('{"format": 99}')
    with pytest.raises(DataError, match="another format"):
        read_results(tmp_path / "r.json")
    with pytest.raises(DataError, match=r"no results at .*compute them by"):
        read_results(tmp_path / "none.json")


def test_the_page_of_documentation_is_that_of_the_stored_results():
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert tables.fill(page, stored_results()) == page
    for name in tables.BLOCKS:
        assert f"<!-- results: {name} -->" in page
    with pytest.raises(DataError, match="asks for results 'table_9'"):
        tables.fill("<!-- results: table_9 -->\n<!-- end -->", stored_results())


def test_the_command_renews_a_page_and_prints_tables(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- results: vanilla_k2 -->\nold\n<!-- end -->\nkept\n")
    assert main(["paper", "--markdown", "--into", str(page)]) == 0
    text = page.read_text()
    assert "old" not in text
    assert text.endswith("kept\n")
    assert "| bank | k-means + balance |" in text
    assert main(["paper", "--markdown"]) == 0
    out = capsys.readouterr().out
    assert all(f"## {title}" in out for title in summary.TITLES.values())


def test_the_command_computes_a_part_and_says_how_far_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path))
    out = tmp_path / "part.json"
    arguments = ["paper", "--table", CONVEX, "--dataset", "bank", "--mode", OURS, "--out", str(out)]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert f"[1/1] {QUICK.key}" in said
    assert "left" in said
    assert set(json.loads(out.read_text())["rows"]) == {QUICK.key}
    assert main(arguments) == 0
    assert "[1/1]" not in capsys.readouterr().out  # all of it was there


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--table", "vanila_k2"], "did you mean 'vanilla_k2'?"),
        (["--dataset", "iris"], "dataset must be one of adult"),
        (["--mode", "mine"], "mode must be one of as-published, ours"),
        (["--processes", "0"], "--processes must be at least 1; got 0"),
        (["--into", "x.md"], "--into goes with --markdown"),
        (["--markdown", "--out", "nowhere.json"], "There are no results at nowhere.json"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence, capsys):
    assert main(["paper", *arguments]) == BAD_INPUT
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_cells_are_the_papers_rows():
    for table in TABLES:
        rows = paper_tables()[table]["rows"]
        assert len(all_cells([table])) == len(rows) * len(MODES)
    assert len(all_cells([SECONDS], ["bank"], [OURS])) == 3
    with pytest.raises(SpecError, match="table must be one of"):
        all_cells(["no"])
