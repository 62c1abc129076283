"""`antidote arena` from its arguments to its files, and what it says of wrong ones."""

import json

import pandas as pd
import pytest

import antidote_core as ac
from antidote_core.arena import read_records
from antidote_core.cli import BAD_INPUT, REACHED
from antidote_core.cli.main import main


def test_a_table_of_ones_own_goes_through_and_the_second_time_nothing_is_computed(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path / "home"))
    data = ac.load_dataset("blobs")
    table = data.to_original(data.points).assign(sex=[data.group_names[g] for g in data.groups])
    table.to_csv(tmp_path / "people.csv", index=False)
    asked = [
        "arena", "--data", str(tmp_path / "people.csv"), "--features", "x,y", "--protected", "sex",
        "--methods", "plain,fair_lloyd", "--k", "2", "--seeds", "1", "--workers", "1",
    ]  # fmt: skip
    assert main([*asked, "--out", str(tmp_path / "found")]) == REACHED
    told = capsys.readouterr()
    assert "antidote data are the fairest in 0 of 1" in told.out
    assert "[2/2]" in told.err
    records = read_records(tmp_path / "found" / "arena.jsonl.gz")
    assert [record["method"] for record in records] == ["plain", "fair_lloyd"]
    written = pd.read_csv(tmp_path / "found" / "arena.csv")
    assert written["balance (own)"].tolist() == [r["own"]["balance"] for r in records]
    assert "\\begin{tabular}" in (tmp_path / "found" / "arena.tex").read_text()
    assert main([*asked, "--json"]) == REACHED
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(again, key=lambda r: r["key"]) == sorted(records, key=lambda r: r["key"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--methods berra", "did you mean 'bera'"),
        ("--export word", "--export must be one of csv, latex"),
        ("--scoring best", "--scoring must be one of own, nearest"),
        ("--dataset adult,bnak", "did you mean 'bank'"),
        ("--k two", "--k must be whole numbers"),
        ("--features age", "go with --data FILE"),
        ("--notions social", "is not among the --notions social"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, words, capsys):
    assert main(["arena", *arguments.split()]) == BAD_INPUT
    told = capsys.readouterr()
    assert words in told.err
    assert len(told.err.strip().splitlines()) == 1
