"""The command line: exit codes, one clear line for bad input, JSON events, files."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from antidote_core import Problem, load_dataset
from antidote_core.cli import BAD_INPUT, NOT_REACHED, REACHED
from antidote_core.cli.main import main

QUICK = ["--dataset", "blobs", "--fairness", "social", "--start-size", "4", "--budget", "60"]


def test_run_reaches_better_than_vanilla_and_says_so(capsys):
    assert main(["run", *QUICK]) == REACHED
    out = capsys.readouterr().out
    assert "plain clustering: cost" in out
    assert "round 1: |V| = 4" in out
    assert "independent clusterings that meet the target" in out
    assert "Price: inertia" in out


def test_a_hollow_win_is_told_as_one(capsys):
    asked = ["--dataset", "bank", "--sample", "5000", "--target=-0.8", "--start-size", "8"]
    asked += ["--max-rounds", "1", "--place", "minmax", "--min-share", "0"]
    main(["run", *asked])
    out = capsys.readouterr().out
    assert "Hollow: adding 8 points" in out
    assert "With one half of the guard off, as in the paper" in out
    assert "Confirmed" not in out
    main(["run", *asked, "--json"])
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["outcome"] == "hollow"
    assert result["smallest_share"] < 0.05
    assert result["price"] > 0


def test_not_reached_has_its_own_code(capsys):
    assert main(["run", *QUICK, "--target=0.9", "--max-rounds", "1"]) == NOT_REACHED
    assert "limit of 1 round reached" in capsys.readouterr().out


def test_json_is_one_event_per_line_and_ends_with_the_result(capsys, tmp_path):
    assert main(["run", *QUICK, "--json", "--out", str(tmp_path / "run")]) == REACHED
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["kind"] == "started"
    assert lines[-1]["kind"] == "result"
    result = lines[-1]
    problem = Problem(load_dataset("blobs"), fairness="social")
    antidote = np.array(result["antidote"])
    assert problem.evaluate(antidote) == pytest.approx(result["cost"], rel=1e-12)
    folder = tmp_path / "run"
    names = [
        "antidote.csv", "assignments.csv", "copies.csv", "data_with_weights.csv", "events.jsonl",
        "result.json",
        "spec.json", "use_weights.py", "weights.csv",
    ]  # fmt: skip
    assert sorted(path.name for path in folder.iterdir()) == names
    written = pd.read_csv(folder / "antidote.csv")
    assert len(written) == len(antidote)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--dataset", "nowhere"], "nowhere"),
        (["run", *QUICK, "--start-size", "0"], "start_size (V_s) must be"),
        (["run", *QUICK, "--step", "0"], "step (ξ) must be"),
        (["run", *QUICK, "--embed-dim", "0"], "embed_dim (n′) must be"),
        (["run", *QUICK, "--k", "1"], "k must be"),
        (["run", *QUICK, "--k", "100000"], "k must be at most"),
        (["run", *QUICK, "--target", "soon"], "target (α) must be"),
        (["run", *QUICK, "--target", "nan"], "target (α) must be"),
        (["run", *QUICK, "--optimizer", "magic"], "optimizer must be one of"),
        (["run", *QUICK, "--clustering", "magic"], "clustering must be one of"),
        (["run", *QUICK, "--box", "magic"], "place must be one of"),
        (["run", *QUICK, "--growth", "magic"], "growth must be one of"),
        (["compare", "--dataset", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_clear_line(arguments, sentence, capsys):
    assert main(arguments) == BAD_INPUT
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_bad_arguments_are_one_line_too():
    called = subprocess.run(
        [sys.executable, "-m", "antidote_core", "run", "--k", "two", "--dataset", "bank"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert called.returncode == BAD_INPUT
    assert called.stderr.count("\n") == 1


def test_compare_prints_every_row_in_both_scorings(capsys):
    assert main(["compare", *QUICK, "--json", "--max-rounds", "1"]) == REACHED
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["name"] == "vanilla"
    scorings = {(row["name"], row["scoring"]) for row in rows}
    fair = {name for name, scoring in scorings if scoring == "own assignment"}
    assert len(fair) == 2
    assert all((name, "nearest centre") in scorings for name in fair)
    assert {row["name"] for row in rows} >= {"antidote for balance", "antidote for social"}
    assert all({"silhouette", "seconds", "balance", "social"} <= set(row) for row in rows)
    assert rows[0]["price"] == 0.0
    assert all(row["price"] >= 0.0 and 0.0 < row["smallest_share"] <= 0.5 for row in rows)
    assert main(["compare", *QUICK, "--max-rounds", "1"]) == REACHED
    printed = capsys.readouterr().out
    assert "own assignment" in printed
    assert "price" in printed
    assert "min. share" in printed
