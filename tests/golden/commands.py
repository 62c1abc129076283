"""What the command line prints and returns, without what goes by the clock."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from antidote_core.cli.main import main
from antidote_core.engine.settings import worker_environment

SMALL = "--dataset two-optima --budget 40 --start-size 4 --step 4 --restarts 3"
COMMANDS = {
    "run reached": f"run {SMALL} --target -0.9 --max-rounds 4 --json",
    "run not reached": f"run {SMALL} --optimizer random --target -2 --max-rounds 2 --json",
    "run design": f"run {SMALL} --fairness social --optimizer design --growth bisect --spread "
    "--json --out OUT",
    "run in words": f"run {SMALL} --target sota --max-rounds 3 --shrink",
    "run design in words": "run --dataset blobs --optimizer design --growth bisect --start-size 2 "
    "--restarts 3",
    "compare": f"compare {SMALL} --max-rounds 2 --json",
    "compare in words": "compare --dataset two-optima --clustering kmedian --fairness social "
    "--optimizer random --budget 20 --start-size 4 --restarts 2 --max-rounds 1",
    "frontier": "frontier --dataset two-optima --clustering kmedian --fairness social "
    "--optimizer random --sizes 4,8 --seeds 2 --restarts 2 --budget 20 --json --out OUT",
    "unknown data": "run --dataset nowhere",
    "unknown clustering": "run --dataset blobs --clustering halves",
    "bad number": "run --dataset blobs --k 1",
    "bad argument": "run --dataset blobs --seed one",
    "no command": "",
    "bad sizes": "frontier --dataset blobs --sizes ten",
    "bad target": "frontier --dataset blobs --target lowest",
}
# Through the shell's door: slower, so one that works and one that does not.
SHELL = {
    "shell": f"run {SMALL} --target -0.9 --max-rounds 4 --json",
    "shell, bad": "run --dataset nowhere",
}
BY_THE_CLOCK = {"alive", "workers", "stage", "queued"}
CLOCK_KEYS = {"seconds", "taken"}
LONG = ("data_with_weights.csv", "weights.csv")  # a line per row of the data
TABLE = slice(124, 136)  # where the seconds stand in the table that `compare` prints


def every():
    """The names of all commands."""
    return [*COMMANDS, *SHELL]


def outcome(name):
    """Exit code, lines of both streams and, where asked for, the files of a command."""
    with tempfile.TemporaryDirectory() as folder:
        home, out = Path(folder) / "home", Path(folder) / "out"
        command = (COMMANDS | SHELL)[name].replace("OUT", str(out))
        places = {"ANTIDOTE_HOME": str(home), "ANTIDOTE_SCHEDULER": "", "COLUMNS": "80"}
        with mock.patch.dict(os.environ, places):
            run = _in_shell if name in SHELL else _in_process
            code, output, errors = run(command.split())
        found = {
            "command": (COMMANDS | SHELL)[name],
            "code": code,
            "out": lines(output),
            "err": errors.splitlines(),
        }
        if out.exists():
            found["files"] = {
                path.name: lines(path.read_text(encoding="utf-8"))
                for path in sorted(out.iterdir())
                if path.name not in ("cells.csv", "events.jsonl", *LONG)
            }
            events = lines((out / "events.jsonl").read_text(encoding="utf-8"))
            found["the events are those printed"] = events == found["out"][:-1]
            found["names"] = sorted(path.name for path in out.iterdir())
        return found


def _in_process(arguments):
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
    return code, output.getvalue(), errors.getvalue()


def _in_shell(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "antidote_core", *arguments],
        env=worker_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def lines(text):
    """JSON lines as values, other lines as words and numbers; cells of a sweep in their order."""
    try:
        return timeless(json.loads(text))
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            event = timeless(json.loads(line))
            if event.get("kind") in BY_THE_CLOCK or event.get("state") == "running":
                continue
            if "run" in event:
                event["run"] = "(run)"
            found.append(event)
        else:
            found.append(words_and_numbers(line))
    cells = iter(
        sorted((e for e in found if _is_result(e)), key=lambda e: (e["kind"], e.get("index", 0)))
    )
    return [next(cells) if _is_result(event) else event for event in found]


def _is_result(event):
    return isinstance(event, dict) and event.get("kind") in ("cell", "reference")


def timeless(value):
    """JSON with every time set to 0."""
    if isinstance(value, dict):
        return {key: 0 if key in CLOCK_KEYS else timeless(item) for key, item in value.items()}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    return value


def words_and_numbers(line):
    """A printed line in pieces, so that numbers can be compared as numbers; seconds are 0."""
    line = re.sub(r"\d+\.\d s\b", "0.0 s", line)
    if len(line) == TABLE.stop + 12 and line[TABLE].strip() != "seconds":
        line = line[: TABLE.start] + "  0" + line[TABLE.stop :]
    pieces = re.split(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)", " ".join(line.split()))
    return [float(piece) if index % 2 else piece for index, piece in enumerate(pieces)]
