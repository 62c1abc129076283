"""The event log: appended lines, torn ends, damaged middles, reading by offset."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import DataError, grow
from antidote_core.engine.job_folder import Follower, LogWriter, follow, read_log
from antidote_core.runs.events import Event, event_of
from antidote_core.runs.view import RunView, fold
from tests.core.engine.runs import SMALL, plain

EVENTS = [
    event_of("queued", {"seconds": 0.0}),
    event_of("stage", {"seconds": 0.0, "text": "loading"}),
    *grow(SMALL),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    with LogWriter(path) as log:
        for event in EVENTS:
            log.append(event)
    return path


def test_what_was_written_is_read_and_folds_alike(path):
    events, offset = read_log(path)
    assert [e.kind for e in events] == [e.kind for e in EVENTS]
    assert offset == path.stat().st_size
    assert plain(fold(events)) == plain(fold(EVENTS))
    assert fold(events).state == "finished"
    assert fold(events).unreadable == 0


def test_every_line_is_on_disk_when_append_returns(tmp_path):
    log = LogWriter(tmp_path / "log")
    for count, event in enumerate(EVENTS[:5], start=1):
        log.append(event)
        assert len((tmp_path / "log").read_bytes().splitlines()) == count
    log.close()


@settings(max_examples=200, deadline=None)
@given(share=st.floats(0, 1), split=st.floats(0, 1))
def test_a_log_cut_at_any_byte_is_its_whole_lines(path, tmp_path_factory, share, split):
    raw = path.read_bytes()
    cut = int(share * len(raw))
    torn = tmp_path_factory.mktemp("cut") / "log"
    torn.write_bytes(raw[:cut])
    whole = raw[:cut].count(b"\n")
    events, offset = read_log(torn)
    assert [e.kind for e in events] == [e.kind for e in EVENTS[:whole]]
    assert offset == raw[:cut].rfind(b"\n") + 1
    view = Follower(torn, RunView()).view()
    assert plain(view) == plain(follow(RunView(), EVENTS[:whole]))
    # The same log seen in two looks, the first at any earlier moment.
    growing = tmp_path_factory.mktemp("grow") / "log"
    growing.write_bytes(raw[: int(split * cut)])
    follower = Follower(growing, RunView())
    follower.view()
    growing.write_bytes(raw[:cut])
    assert plain(follower.view()) == plain(view)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damage_anywhere_never_raises(path, tmp_path_factory, data):
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    damaged = tmp_path_factory.mktemp("damage") / "log"
    damaged.write_bytes(raw)
    view = Follower(damaged, RunView()).view()
    assert view.unreadable <= 10
    assert (view.unreadable > 0) == any("damaged" in note for note in view.notes)


def test_a_damaged_line_is_skipped_counted_and_said(path, tmp_path):
    lines = path.read_bytes().splitlines(keepends=True)
    rounds = [i for i, line in enumerate(lines) if b'"kind":"round"' in line]
    assert len(rounds) == 3
    lines[rounds[1]] = b'{"kind":"round","sec\xff\n'
    copy = tmp_path / "log"
    copy.write_bytes(b"".join(lines))
    view = Follower(copy, RunView()).view()
    assert view.state == "finished"
    assert view.rounds == 2
    assert view.unreadable == 1
    assert view.notes[-1] == "1 line of the log of this run was damaged and left out."
    lines[rounds[0]] = b'{"kind":"round","seconds":1}\n'  # JSON, but no round
    copy.write_bytes(b"".join(lines))
    view = Follower(copy, RunView()).view()
    assert (view.rounds, view.unreadable) == (1, 2)
    assert view.notes[-1] == "2 lines of the log were damaged and left out."
    assert sum("damaged" in note for note in view.notes) == 1


def test_writing_after_a_torn_line_leaves_the_next_line_whole(path, tmp_path):
    copy = tmp_path / "log"
    copy.write_bytes(path.read_bytes()[:-7])
    with LogWriter(copy) as log:
        log.append(event_of("dead", {"seconds": 1.0, "reason": "killed"}))
    view = Follower(copy, RunView()).view()
    assert view.state == "dead"
    assert view.reason == "killed"
    assert view.unreadable == 1


def test_a_new_part_of_the_log_forgets_the_old_one(path, tmp_path):
    copy = tmp_path / "log"
    copy.write_bytes(b"rubbish\n" + path.read_bytes()[:-30] + b"\n" + path.read_bytes())
    assert plain(Follower(copy, RunView()).view()) == plain(fold(EVENTS))


def test_a_shorter_file_in_its_place_is_read_from_the_start(path, tmp_path):
    copy = tmp_path / "log"
    copy.write_bytes(path.read_bytes())
    follower = Follower(copy, RunView())
    assert follower.view().state == "finished"
    copy.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert follower.view().state == "queued"


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "3", '{"kind":"x"}', '{"kind":1,"seconds":1}', '{"kind":"x","seconds":"1"}',
     '{"kind":"x","seconds":true}', '{"kind":"x","seconds":NaN}', "[" * 100_000],
)  # fmt: skip
def test_what_is_not_an_event_is_a_data_error(line):
    with pytest.raises(DataError):
        Event.from_json(line)


def test_events_survive_json():
    for event in EVENTS:
        again = Event.from_json(event.to_json())
        assert again.kind == event.kind
        assert again.seconds == pytest.approx(event.seconds, abs=1e-4)
        assert dict(again.data) == json.loads(json.dumps(dict(event.data)))
