"""Logs written by earlier versions still read, fold, report and print as they did.

The golden files are those of `record_runs`, which says how and when they are written anew.
"""

import json

import pytest

from antidote_core.engine.job_folder import Follower, follow, read_log
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.view import RunView
from tests.golden import record_runs
from tests.golden.commands import every, outcome
from tests.golden.record_runs import Kept
from tests.golden.views import differences, run_view_dict, sweep_view_dict

EXACT = 1e-9
ANY_MACHINE = 1e-6  # what is computed anew may differ in the last digits on another processor
FIVE_DIGITS = 2e-5  # as charts are kept
DAMAGED = ("damaged", "sweep-damaged")
NAMES = record_runs.names()


def kept_file(path):
    return json.loads(path.read_text(encoding="utf-8"))


def assert_same(found, kept, rel=EXACT):
    found = json.loads(json.dumps(found, allow_nan=False))
    lines = differences(found, kept, rel)
    assert not lines, "\n".join(lines[:10])


def test_there_is_a_log_of_every_kind():
    states = {(Kept(name).sweep, kept_view(name)["state"]) for name in NAMES}
    runs = {state for sweep, state in states if not sweep}
    assert runs == {"queued", "running", "finished", "stopped", "failed", "dead"}
    assert {state for sweep, state in states if sweep} == {"running", "finished", "stopped"}
    kinds = {event.kind for name in NAMES for event in Kept(name).events()}
    assert kinds >= {
        "queued", "stage", "started", "vanilla", "target", "noise", "progress", "cut", "alive",
        "round", "shrunk", "spread", "note", "verified", "comparison", "finished", "stopped",
        "failed", "dead", "closed", "workers", "reference", "cell", "unreadable",
    }  # fmt: skip


def kept_view(name):
    return kept_file(record_runs.FOLDER / name / "view.json")["view"]


@pytest.mark.parametrize("name", NAMES)
def test_a_log_read_and_written_again_is_the_same(name):
    kept = Kept(name)
    text = kept.log.read_bytes()
    events, end = read_log(kept.log)
    lines = text[:end].split(b"\n")[:-1]
    assert len(events) == len(lines)
    for event, line in zip(events, lines, strict=True):
        if event.kind == "unreadable":
            assert name in DAMAGED
        else:
            assert event.to_json().encode() == line
    assert (end == len(text)) == (name not in DAMAGED)
    spec = (kept.path / "spec.json").read_text(encoding="utf-8")
    assert kept.spec.to_json() + "\n" == spec


@pytest.mark.parametrize("name", NAMES)
def test_a_log_folds_to_the_recorded_view_and_words(name):
    kept = Kept(name)
    for file, found in kept.found().items():
        assert_same(found, kept_file(kept.path / file))


@pytest.mark.parametrize("name", NAMES)
def test_a_log_read_in_parts_gives_the_same_view(name):
    kept = Kept(name)
    empty, to_dict = (SweepView(), sweep_view_dict) if kept.sweep else (RunView(), run_view_dict)
    events, _ = read_log(kept.log)
    half = follow(follow(empty, events[: len(events) // 2]), events[len(events) // 2 :])
    assert_same(to_dict(half), kept_view(name))
    assert_same(to_dict(Follower(kept.log, empty).view()), kept_view(name))


@pytest.mark.parametrize("name", record_runs.REPORTED)
def test_reports_slides_and_bundles_are_the_same(name):
    kept = Kept(name)
    for file, found in kept.documents().items():
        assert_same(found, kept_file(kept.path / file), FIVE_DIGITS)


def test_runs_side_by_side_say_the_same():
    assert_same(record_runs.beside(), kept_file(record_runs.BESIDE))


def test_a_home_folder_of_an_earlier_version_opens(tmp_path):
    assert_same(record_runs.statuses(tmp_path), kept_file(record_runs.HOME))


@pytest.mark.parametrize("name", every())
def test_the_command_line_prints_the_same(name):
    assert_same(outcome(name), kept_file(record_runs.CLI)[name], ANY_MACHINE)
