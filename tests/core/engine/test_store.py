"""The run store: ids, content keys, owners, privacy, rebuilding, damage."""

import dataclasses
import sqlite3
import threading

import numpy as np
import pandas as pd
import pytest

from antidote_core import dataset_from_frame, load_dataset
from antidote_core.engine import JobState, RunError, Store
from antidote_core.engine.job_folder import (
    Lock,
    LogWriter,
    RunFolder,
    is_held,
    read_dataset,
    write_dataset,
)
from antidote_core.engine.settings import default_home
from antidote_core.errors import DataError
from antidote_core.runs.events import event_of
from antidote_core.runs.kinds import RUN
from antidote_core.runs.view import RunView
from tests.core.engine.runs import SMALL, other

BLOBS = load_dataset("blobs")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "home")
    yield store
    store.close()


def upload():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(40, 9, 60), "work": list("abc") * 20, "sex": ["f", "m"] * 30}
    )
    return dataset_from_frame(frame, features=["age", "work"], protected="sex", name="staff")


def end(store, run_id, state=JobState.FINISHED):
    store.claim(run_id)
    RunFolder(store.runs / run_id).write_end(state, "because")
    store.record_end(run_id, state, "because", RunView())


def test_ids_are_random_and_never_made_from_what_the_user_wrote(store):
    ids = {store.submit(other(SMALL, seed), BLOBS) for seed in range(20)}
    assert len(ids) == 20
    assert all(len(run_id) == 22 and "blobs" not in run_id for run_id in ids)


@pytest.mark.parametrize(
    "bad",
    ["", "..", "../../etc/passwd", "/etc/passwd", "a" * 21, "a" * 23, "a" * 21 + "/",
     "a" * 22 + "\n", "..%2f..%2f..%2f..%2f..%", "a" * 21 + "\0", "é" * 22, None, 7, b"a" * 22],
)  # fmt: skip
def test_ids_of_another_form_are_refused_before_any_path_is_made(store, bad):
    for call in (store.status, store.folder, store.requeue, store.touch):
        with pytest.raises(RunError, match="is not the id of a run"):
            call(bad)
    for call in (store.rename, store.delete):
        with pytest.raises(RunError, match="is not the id of a run"):
            call(bad, "me", *(["name"] if call == store.rename else []))


def test_an_unknown_id_gives_a_sentence(store):
    with pytest.raises(RunError, match="There is no run"):
        store.status("a" * 22)


def test_identical_runs_are_joined_and_replayed_and_others_are_not(store):
    first = store.submit(SMALL, BLOBS, "ann")
    assert store.submit(SMALL, BLOBS, "bob") == first  # waiting: joined
    store.claim(first)
    assert store.submit(SMALL, BLOBS, "cy") == first  # working: joined
    end(store, first)
    assert store.submit(SMALL, BLOBS, "dee") == first  # finished: replayed
    assert store.submit(other(SMALL, 9), BLOBS) != first
    changed = dataclasses.replace(BLOBS, points=BLOBS.points + 1.0)
    assert store.submit(SMALL, changed) != first


@pytest.mark.parametrize("state", [JobState.STOPPED, JobState.FAILED, JobState.DEAD])
def test_only_a_finished_run_is_replayed(store, state):
    first = store.submit(SMALL, BLOBS)
    end(store, first, state)
    assert store.submit(SMALL, BLOBS) != first


def test_a_run_on_its_way_to_a_stop_is_not_joined_but_a_finished_one_is_replayed(store):
    first = store.submit(SMALL, BLOBS)
    store.claim(first)
    store.folder(first).ask_to_stop("stopped by you")
    second = store.submit(SMALL, BLOBS)
    assert second != first
    end(store, second)
    store.folder(second).ask_to_stop("too late")
    assert store.submit(SMALL, BLOBS) == second


def test_a_finished_run_whose_folder_is_gone_is_not_replayed(store):
    first = store.submit(SMALL, BLOBS)
    end(store, first)
    (store.runs / first / "events.jsonl").unlink()
    with pytest.raises(RunError, match="its log is missing"):
        store.folder(first)
    assert store.submit(SMALL, BLOBS) != first


def test_many_threads_asking_the_same_share_one_run(store):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(store.submit(SMALL, BLOBS, "me")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert len(set(answers)) == 1
    assert [path.name for path in store.runs.iterdir()] == answers[:1]


def test_owners_do_not_see_each_others_lists(store):
    ann = [store.submit(other(SMALL, seed), BLOBS, "ann") for seed in range(3)]
    bob = store.submit(other(SMALL, 7), BLOBS, "bob")
    assert [s.run_id for s in store.of_owner("ann", RUN)] == ann[::-1]
    assert [s.run_id for s in store.of_owner("bob", RUN)] == [bob]
    assert store.of_owner("eve", RUN) == []
    assert store.of_owner("", RUN) == []


def test_tokens_of_owners_are_nowhere_on_disk(store, tmp_path):
    store.submit(SMALL, BLOBS, "token-of-ann")
    store.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"token-of-ann" not in path.read_bytes()


def test_names_are_each_owners_own(store):
    run_id = store.submit(SMALL, BLOBS, "ann")
    store.submit(SMALL, BLOBS, "bob")
    store.rename(run_id, "ann", "  first try ")
    assert store.status(run_id, "ann").name == "first try"
    assert store.status(run_id, "bob").name == ""
    assert store.of_owner("ann", RUN)[0].name == "first try"
    with pytest.raises(RunError, match="not on your list"):
        store.rename(run_id, "eve", "mine")


def test_a_run_is_deleted_with_its_last_owner(store):
    run_id = store.submit(SMALL, BLOBS, "ann")
    store.submit(SMALL, BLOBS, "bob")
    store.delete(run_id, "ann")
    assert store.of_owner("ann", RUN) == []
    with pytest.raises(RunError, match="stop it first"):
        store.delete(run_id, "bob")
    assert len(store.of_owner("bob", RUN)) == 1  # the refusal changed nothing
    end(store, run_id)
    with pytest.raises(RunError, match="not on your list"):
        store.delete(run_id, "eve")
    store.delete(run_id, "bob")
    assert list(store.runs.iterdir()) == []
    with pytest.raises(RunError, match="There is no run"):
        store.status(run_id)


def test_private_data_stay_in_the_folder_and_with_their_owner(store, tmp_path):
    data = upload()
    spec = dataclasses.replace(SMALL, dataset="staff")
    run_id = store.submit(spec, data, "ann", private=True)
    assert store.status(run_id).private
    end(store, run_id)
    assert store.submit(spec, data, "ann", private=True) == run_id
    assert store.submit(spec, data, "bob", private=True) != run_id
    nobody = store.submit(spec, data, None, private=True)
    assert store.submit(spec, data, None, private=True) != nobody
    assert store.submit(spec, data, "ann") != run_id  # nor does it answer a public one
    assert {p.parent.parent for p in tmp_path.rglob("data.npz")} == {store.runs}
    assert store.folder(run_id).read_data().content_hash == data.content_hash


def test_data_files_come_back_the_same(tmp_path):
    for data in (upload(), load_dataset("bank")):
        write_dataset(tmp_path / "data.npz", data)
        again = read_dataset(tmp_path / "data.npz")
        assert again.content_hash == data.content_hash
        assert (again.title, again.notes, again.card) == (data.title, data.notes, data.card)
        pd.testing.assert_frame_equal(
            again.to_original(again.points[:3]), data.to_original(data.points[:3])
        )
    raw = (tmp_path / "data.npz").read_bytes()
    for broken in (raw[: len(raw) // 2], b"", b"PK\x03\x04 nonsense"):
        (tmp_path / "data.npz").write_bytes(broken)
        with pytest.raises(DataError, match="cannot be read"):
            read_dataset(tmp_path / "data.npz")


def test_queue_positions_follow_the_order_of_asking(store):
    ids = [store.submit(other(SMALL, seed), BLOBS) for seed in range(3)]
    assert [store.status(i).position for i in ids] == [1, 2, 3]
    assert store.ids(JobState.QUEUED) == ids
    assert store.claim(ids[0])
    assert not store.claim(ids[0])
    assert [store.status(i).position for i in ids] == [0, 1, 2]
    assert store.withdraw(ids[1], "no longer")
    assert not store.withdraw(ids[0], "no longer")
    assert [store.status(i).position for i in ids] == [0, 0, 1]
    assert "number 1 in the queue" in store.status(ids[2]).message
    store.requeue(ids[1])  # at the end
    assert store.status(ids[1]).position == 2


def test_the_queue_says_how_long_by_what_such_runs_took(store):
    long = dataclasses.replace(SMALL, dataset="bank", rows=None)
    bank = load_dataset("bank")
    ids = [store.submit(other(long, seed), bank) for seed in range(4)]
    small = store.submit(SMALL, BLOBS)
    assert store.status(small).position == 1  # a teaching set waits for no long run
    assert store.status(ids[3]).position == 4
    assert store.status(ids[3]).expected is None  # no such run has ended yet
    assert store.claim(ids[0])
    store.record_end(ids[0], JobState.FINISHED, "done", RunView())
    store._query("UPDATE runs SET started = 1000, ended = 1030 WHERE id = ?", (ids[0],))
    assert store.claim(ids[1])
    assert [store.status(i).expected for i in ids[2:]] == [30.0, 60.0]
    assert "number 2 in the queue, about 60 s." in store.status(ids[3]).message
    assert store.status(small).expected is None
    lanes = store.by_lane(JobState.QUEUED, RUN)
    assert list(lanes.values()) == [ids[2:], [small]]


def test_only_what_ended_unfinished_can_be_queued_again(store):
    run_id = store.submit(SMALL, BLOBS)
    for state in (None, JobState.FINISHED):
        if state:
            end(store, run_id, state)
        with pytest.raises(RunError, match="only one that was stopped, failed"):
            store.requeue(run_id)


def everything(store):
    rows = store._query("SELECT * FROM runs ORDER BY id")
    owners = store._query("SELECT run, owner, name, added FROM owners ORDER BY run, owner")
    volatile = {"looked", "turn", "started", "ended"}
    return (
        [{k: row[k] for k in row.keys() if k not in volatile} for row in rows],  # noqa: SIM118
        [tuple(row) for row in owners],
        store.ids(JobState.QUEUED),
    )


def filled(store):
    ids = [store.submit(other(SMALL, seed), BLOBS, "ann") for seed in range(4)]
    store.submit(other(SMALL, 1), BLOBS, "bob")
    store.submit(dataclasses.replace(SMALL, dataset="staff"), upload(), "bob", private=True)
    store.rename(ids[1], "bob", "mine")
    end(store, ids[0])
    end(store, ids[1], JobState.DEAD)
    store.claim(ids[2])
    with LogWriter(store.folder(ids[2]).events) as log:
        log.append(event_of("stage", {"seconds": 0.0, "text": "loading"}))
    return ids


def test_the_index_is_rebuilt_from_the_folders(store):
    filled(store)
    before = everything(store)
    assert store.rebuild() == []
    assert everything(store) == before


@pytest.mark.parametrize("damage", ["missing", "rubbish", "torn", "older layout"])
def test_a_lost_or_damaged_index_is_rebuilt_on_opening(tmp_path, damage):
    store = Store(tmp_path)
    ids = filled(store)
    before = everything(store)
    store.close()
    index = tmp_path / "index.sqlite"
    raw = index.read_bytes()
    if damage == "missing":
        index.unlink()
    elif damage == "rubbish":
        index.write_bytes(b"this is no database" * 500)
    elif damage == "torn":
        index.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))
    else:
        connection = sqlite3.connect(index)
        connection.execute("PRAGMA user_version = 0")
        connection.execute("DROP TABLE owners")
        connection.commit()
        connection.close()
    again = Store(tmp_path)
    assert everything(again) == before
    assert again.status(ids[0]).state is JobState.FINISHED
    again.close()


def test_an_index_of_a_newer_layout_is_left_alone(tmp_path):
    Store(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RunError, match="newer version"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_read_is_named_and_left_out(store):
    ids = filled(store)
    (store.runs / ids[0] / "meta.json").write_text("{")
    (store.runs / ids[1] / "spec.json").write_text("[]")
    (store.runs / "not-a-run").mkdir()
    left_out = store.rebuild()
    assert len(left_out) == 2
    assert any(ids[0] in sentence for sentence in left_out)
    assert any("must be a JSON object" in sentence for sentence in left_out)
    assert len(store.of_owner("ann", RUN)) == 2


def test_a_home_that_cannot_be_written_gives_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="name a folder that can be written in ANTIDOTE_HOME"):
        Store(tmp_path / "file" / "home")


def test_a_run_that_cannot_be_written_gives_a_sentence_and_leaves_nothing(store):
    store.runs.rmdir()
    store.runs.write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        store.submit(SMALL, BLOBS)
    assert store.ids(JobState.QUEUED) == []


def test_home_is_named_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path / "here"))
    assert default_home() == tmp_path / "here"
    monkeypatch.delenv("ANTIDOTE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_home() == tmp_path / "antidote"


def test_lock_is_held_once_also_within_one_process(tmp_path):
    path = tmp_path / "lock"
    assert not is_held(path)
    first, second = Lock(path), Lock(path)
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    assert is_held(path)
    first.release()
    assert not is_held(path)
    assert second.acquire()
    second.release()


def test_a_run_opened_by_its_link_is_on_the_list_but_stops_without_its_guest(store):
    run_id = store.submit(SMALL, BLOBS, "host")
    store.add_to_list(run_id, "guest")
    store.add_to_list(run_id, "guest")
    assert [run.run_id for run in store.of_owner("guest", RUN)] == [run_id]
    assert store.watchers(run_id, "host", 60) == 0
    assert store.watchers(run_id, "guest", 60) == 1
    store.rename(run_id, "guest", "theirs")
    assert store.status(run_id, "host").name == ""
    store.rebuild()
    assert store.watchers(run_id, "host", 60) == 0
    assert store.status(run_id, "guest").name == "theirs"
    assert store.submit(SMALL, BLOBS, "guest") == run_id
    assert store.watchers(run_id, "host", 60) == 1
    private = store.submit(SMALL, upload(), "host", private=True)
    with pytest.raises(RunError, match="only in the browser"):
        store.add_to_list(private, "guest")
