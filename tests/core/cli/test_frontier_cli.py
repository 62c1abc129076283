"""`python -m antidote_core frontier`: bad input is one line, Ctrl-C keeps, the command resumes."""

import json
import signal
import subprocess
import sys

import pandas as pd
import pytest

from antidote_core.cli import BAD_INPUT, INTERRUPTED, NOT_REACHED, REACHED
from antidote_core.cli.main import main
from antidote_core.engine import Runner
from antidote_core.engine.settings import worker_environment
from antidote_core.runs.events import Event
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.view import fold

COMMAND = [
    "frontier", "--dataset", "blobs", "--clustering", "kmedian", "--fairness", "social",
    "--optimizer", "random", "--sizes", "2,5", "--sizes", "9", "--seeds", "2", "--restarts", "2",
    "--budget", "60",
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("--sizes ten", "--sizes must be whole numbers; got ten."),
        ("--seeds 0", "--seeds must be at least 1, or a list of seeds; got 0."),
        ("--k 1", "k must be a whole number of at least 2; got 1."),
        ("--optimizer guess", "optimizer must be one of"),
        ("--target lowest", "target (α) of a sweep must be"),
        ("--target sota --clustering kmedian", "No fair algorithm is known here for k-median"),
        ("--embed-dim few", "--embed-dim must be whole numbers; got few."),
        ("--scheduler here", "The scheduler's address 'here' cannot be read"),
        ("--dataset nowhere", "There is no data set named 'nowhere'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(change, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path))
    assert main(["frontier", "--dataset", "blobs", *change.split()]) == BAD_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert sentence in printed.err


def test_a_sweep_is_interrupted_resumed_and_shown_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ANTIDOTE_SCHEDULER", raising=False)
    with subprocess.Popen(
        [sys.executable, "-m", "antidote_core", *COMMAND, "--budget", "3000"],
        env=worker_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A job started in the background of a shell ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        line = ""
        while "worker processes here" not in line:
            line = process.stdout.readline()
            assert line, process.stderr.read()
        process.send_signal(signal.SIGINT)
        printed, complaint = process.communicate(timeout=180)
    assert process.returncode == INTERRUPTED
    assert "cells are there" in printed
    assert complaint.endswith("interrupted; the same command goes on from here\n")

    # Costs are positive: nobody reaches 0.
    out = tmp_path / "out"
    assert main([*COMMAND, "--target", "0", "--json", "--out", str(out)]) == NOT_REACHED
    *lines, last = capsys.readouterr().out.splitlines()
    result = json.loads(last)
    assert (result["kind"], result["done"], result["cells"]) == ("result", 6, 6)
    [curve] = result["curves"]
    assert curve["smallest"] is None
    assert [level["size"] for level in curve["levels"]] == [2, 5, 9]
    view = SweepView.fold(Event.from_json(line) for line in lines)
    assert view == SweepView.fold(
        Event.from_json(line) for line in (out / "events.jsonl").read_text().splitlines()
    )
    assert SweepSpec.from_json((out / "sweep.json").read_text()) == view.spec
    assert len(pd.read_csv(out / "cells.csv")) == 6
    assert json.loads((out / "frontier.json").read_text())["curves"] == result["curves"]

    # The same cells answer another target, in words this time.
    assert main([*COMMAND, "--target", "100"]) == REACHED
    printed = capsys.readouterr().out
    assert printed.count("(known from before)") == 6
    assert "<- smallest" in printed
    with Runner(tmp_path / "home") as runner:
        run = fold(runner.events(view.rows[0].run)[0])
        assert run.cost == view.rows[0].cost
