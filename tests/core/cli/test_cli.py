"""The command line: exit codes, one clear line for bad input, JSON events, files."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import antidote_core as ac
from antidote_core import Problem, load_dataset
from antidote_core.cli import (
    BAD_INPUT,
    CLOSED_PIPE,
    CODES,
    INTERRUPTED,
    JSON_VERSION,
    NOT_REACHED,
    REACHED,
)
from antidote_core.cli.main import main
from antidote_core.cli.schema import FILE, schema
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS

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
    "more", ["--shrink", "--holdout", "--optimizer design --no-whole", "--target sota"]
)  # fmt: skip
def test_every_line_of_json_keeps_the_schema_of_the_package(more, capsys):
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    main(["run", *QUICK, "--json", "--max-rounds", "2", *more.split()])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        name = schema["discriminator"]["mapping"][line["kind"]].rsplit("/", 1)[1]
        known = schema["$defs"][name]
        rules = {**schema, "anyOf": [{"$ref": f"#/$defs/{name}"}]}
        jsonschema.validate(line, rules)
        assert set(line) <= set(known["properties"]), "a field that the schema does not know"
    assert lines[-1]["version"] == JSON_VERSION == schema["version"]
    wrong = {**lines[-1], "cost": "low"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_the_schema_in_the_package_is_that_of_the_code():
    """`python -m antidote_core.cli.schema` writes it."""
    assert json.loads(FILE.read_text(encoding="utf-8")) == schema()


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


# -- a table of one's own -------------------------------------------------------------------------


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(0)
    sex, race = rng.choice(["f", "m"], 300), rng.choice(["a", "b"], 300)
    income = rng.normal(30_000, 9_000, 300) + np.where(sex == "m", 12_000, 0)
    frame = pd.DataFrame({"id": range(1000, 1300), "age": rng.normal(40, 9, 300), "income": income})
    frame.assign(sex=sex, race=race).to_csv(tmp_path / "people.csv", index=False)
    return str(tmp_path / "people.csv")


OWN = ["--features", "age,income", "--protected", "sex,race", "--start-size", "10", "--step", "10"]


def test_run_on_a_file_of_ones_own_does_what_the_library_does(people, tmp_path, capsys):
    arguments = ["run", "--data", people, *OWN, "--target", "70%", "--budget", "60", "--json"]
    out = tmp_path / "out"
    assert main([*arguments, "--ids", "id", "--out", str(out)]) in (REACHED, NOT_REACHED)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    frame = pd.read_csv(people)
    data = ac.dataset_from_frame(frame, ["age", "income"], ["sex", "race"], name="people")
    spec = ac.RunSpec(dataset="people", start_size=10, step=10, target=-0.7, budget=60)
    result = ac.run(spec, data)
    assert told["cost"] == result.cost
    assert len(told["antidote"]) == result.size
    assert ac.RunSpec.from_json((out / "spec.json").read_text(encoding="utf-8")) == spec
    table = pd.read_csv(out / "assignments.csv")
    assert table["id"].tolist() == frame["id"].tolist()
    assert set(table["group"]) == {"f × a", "f × b", "m × a", "m × b"}


def test_compare_on_a_file_of_ones_own(people, capsys):
    own = ["--features", "age,income", "--protected", "sex", "--max-rounds", "1", "--budget", "10"]
    assert main(["compare", "--data", people, *own, "--json", "--restarts", "2"]) == REACHED
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    data = ac.dataset_from_frame(pd.read_csv(people), ["age", "income"], "sex")
    plain = ac.Problem(data, clustering="kmeans", fairness="balance", k=2, restarts=2)
    assert rows[0]["balance"] == pytest.approx(plain.vanilla.cost)


def test_a_sample_of_a_file_of_ones_own(people, capsys):
    arguments = ["run", "--data", people, *OWN, "--sample", "100", "--max-rounds", "1", "--json"]
    main([*arguments, "--budget", "5"])
    started = json.loads(capsys.readouterr().out.splitlines()[0])
    assert started["points"] == 100


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run"], "run needs --dataset NAME (the command data lists them) or --data FILE"),
        (["compare"], "compare needs --dataset NAME"),
        (["run", "--data", "FILE"], "--data needs --features A,B,...; the columns of people.csv "),
        (["run", "--data", "FILE", "--features", "age"], "--data needs --protected A,B,..."),
        (["run", "--data", "FILE", "--features", "incom"], "'incom' (did you mean 'income'?)"),
        (["run", "--data", "FILE", *OWN, "--dataset", "bank"], "wanted one of them"),
        (["run", "--data", "FILE", *OWN, "--features", "age,sex"], "'sex'"),
        (["run", "--data", "FILE", *OWN, "--weights", "id,age"], "--weights must be one column"),
        (["run", "--data", "nowhere.csv", *OWN], "nowhere.csv cannot be read: No such file"),
        (["run", "--dataset", "bank", "--features", "age"], "go with --data FILE"),
        (["run", *QUICK, "--target", "180%"], "180% is no share; wanted more than 0%"),
        (["run", *QUICK, "--target", "half%"], "half% is no share"),
        (["run", *QUICK, "--target", "80%", "--fairness", "social"], "which only balance has"),
        (["run", *QUICK, "--out", "FILE"], "cannot be written to: File exists"),
        (
            ["frontier", "--dataset", "blobs", "--sizes", "3", "--out", "FILE"],
            "cannot be written to",
        ),
    ],
)
def test_what_cannot_be_used_is_said_before_any_work(arguments, sentence, people, capsys):
    assert main([people if x == "FILE" else x for x in arguments]) == BAD_INPUT
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


# -- how it ends ----------------------------------------------------------------------------------


def shell(*arguments, **options):
    command = [sys.executable, "-m", "antidote_core", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_ctrl_c_keeps_the_best_so_far(tmp_path):
    arguments = ["--dataset", "blobs", "--target", "-1", "--optimizer", "random", "--budget", "50"]
    limits = ["--max-rounds", "none", "--max-stalled", "none", "--max-seconds", "60"]
    process = shell("run", *arguments, *limits, "--out", str(tmp_path), "--json", text=True)
    for line in process.stdout:
        if json.loads(line)["kind"] == "round":
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert err.strip() == "antidote: stopping with the best so far; again to leave at once"
    kept = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert kept["reason"] == "stopped by you"
    assert len(kept["antidote"]) == len(pd.read_csv(tmp_path / "antidote.csv")) > 0
    assert json.loads(out.splitlines()[-1]) == {"kind": "result", **kept}


@pytest.mark.parametrize("command", [["data", "--json"], ["run", *QUICK, "--json"]], ids=" ".join)
def test_a_closed_pipe_is_no_traceback(command):
    process = shell(*command)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == CLOSED_PIPE
    assert err == b""


def test_data_lists_every_set(capsys):
    assert main(["data", "--json"]) == REACHED
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["name"] for row in rows] == [info.name for info in ac.list_datasets()]
    assert main(["data"]) == REACHED
    words = capsys.readouterr().out
    assert all(f"\n{row['name']} " in f"\n{words}" for row in rows)


def test_version_and_exit_codes_are_told(capsys):
    assert main(["--version"]) == REACHED
    assert capsys.readouterr().out == f"antidote {ac.__version__}\n"
    assert main(["--help"]) == REACHED
    told = " ".join(capsys.readouterr().out.split())
    assert " ".join(CODES.split()) in told
    for code in (REACHED, BAD_INPUT, NOT_REACHED, INTERRUPTED, CLOSED_PIPE):
        assert f" {code} " in CODES


def test_help_has_defaults_choices_and_examples(capsys):
    assert main(["run", "--help"]) == REACHED
    told = " ".join(capsys.readouterr().out.split())
    for words in (
        f"{', '.join(CLUSTERINGS)} [default: kmeans]",
        f"{', '.join(FAIRNESS)} [default: balance]", "structured, design, racos",
        "adult, bank, creditcard", "number of clusters [default: 2]",
        "run --data people.csv --features age,income --protected sex,race --target 80%",
    ):  # fmt: skip
        assert words in told
    for command in ("compare", "frontier", "arena", "paper", "parts", "data", "dashboard"):
        assert main([command, "--help"]) == REACHED
        assert f"For example: python -m antidote_core {command} --" in " ".join(
            capsys.readouterr().out.split()
        )


def test_the_dashboard_runs_the_app_beside_the_package(monkeypatch):
    started = []
    monkeypatch.setattr("os.chdir", started.append)
    monkeypatch.setattr("os.execv", lambda path, arguments: started.append(arguments))
    main(["dashboard", "--port", "8765", "--headless"])
    folder, arguments = started
    app = Path(ac.__file__).parents[1] / "app.py"
    assert folder == app.parent
    expected = ["-m", "streamlit", "run", str(app), "--server.port", "8765"]
    assert arguments == [sys.executable, *expected, "--server.headless", "true"]


def test_the_shell_completes_commands_and_options(tmp_path):
    code = (
        "import sys; sys.argv[:] = ['antidote', '--install-completion']\n"
        "from antidote_core.cli.main import main; sys.exit(main())"
    )
    home = {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"}
    called = subprocess.run(
        [sys.executable, "-c", code], env=home, capture_output=True, check=False
    )
    assert called.returncode == REACHED, called.stderr
    script = "\n".join(x.read_text(encoding="utf-8") for x in tmp_path.rglob("completions/*"))
    assert "complete -F _antidote antidote" in script
    assert all(word in script for word in ("dashboard", "frontier", "--protected"))
