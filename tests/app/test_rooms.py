"""The rooms of visitors and the thread that looks after them."""

import dataclasses
import gc
import os
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

import antidote_core as ac
from antidote_core.engine.settings import LEASE_SECONDS
from pages._ui.jobs import keeper, store
from pages._ui.jobs.keeper import Keeper
from pages._ui.shared import rooms
from pages._ui.shared.rooms import TABLES, Room, Rooms

from .test_upload import press, reopened, table, used

SPEC = ac.RunSpec(dataset="mine", start_size=3, budget=40, max_rounds=1, restarts=2)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path))
    yield tmp_path
    if tmp_path in store._runners:
        store._runners.pop(tmp_path).close()


def until(true, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_room_is_emptied_some_minutes_after_the_last_page_is_closed(clock: Clock) -> None:
    alive = {"tab"}
    found = Rooms(alive.__contains__, clock)
    found.put("ann", "tab", table("my-a"))
    room = found.of("ann", "tab")
    room.kept("plane", "key", lambda: "made from it", most=1)
    clock.now = 10 * LEASE_SECONDS
    assert found.look() == ["ann"]
    alive.clear()
    clock.now += LEASE_SECONDS - 1
    assert found.look() == []
    alive.add("after F5")
    assert list(found.of("ann", "after F5").tables) == ["my-a"]
    assert found.look() == ["ann"]
    alive.clear()
    clock.now += LEASE_SECONDS + 1
    assert found.look() == []
    assert found.of("ann", "later") is not room
    assert found.of("ann", "later").tables == {}
    assert room.tables == {}
    assert room.kept("plane", "key", lambda: "made anew", most=1) == "made anew"


def test_everyone_has_only_their_own_tables(clock: Clock) -> None:
    found = Rooms(lambda session: True, clock)
    found.put("ann", "1", table("my-a"))
    found.put("bob", "2", table("my-b"))
    assert list(found.of("ann", "1").tables) == ["my-a"]
    assert found.of("eve", "3").tables == {}
    found.forget("bob", "my-a")
    assert list(found.of("ann", "1").tables) == ["my-a"]
    found.of("ann", "1").kept("plane", "key", lambda: "made from it", most=1)
    found.forget("ann", "my-a")
    assert found.of("ann", "1").tables == {}
    assert found.of("ann", "1").kept("plane", "key", lambda: "anew", most=1) == "anew"


def test_a_browser_and_a_server_hold_only_so_many(clock: Clock, monkeypatch) -> None:
    found = Rooms(lambda session: True, clock)
    for number in range(TABLES):
        found.put("ann", "1", table(f"my-{number}"))
    found.put("ann", "1", table("my-0"))
    with pytest.raises(ac.DataError, match="3 tables of yours are here already"):
        found.put("ann", "1", table("my-more"))
    monkeypatch.setattr(rooms, "MAX_TOTAL", 100)
    with pytest.raises(ac.DataError, match="holds as many tables"):
        found.put("bob", "2", table("my-more"))


def test_a_result_is_made_once_and_the_oldest_go_first() -> None:
    room, made, begin = Room(), [], threading.Barrier(4)

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return len(made)

    def ask() -> None:
        begin.wait(10)
        assert room.kept("slow", "key", make, most=2) == 1

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(10)
    assert made == [1]
    for key in ("second", "third"):
        room.kept("slow", key, make, most=2)
    assert room.kept("slow", "third", make, most=2) == 3
    assert room.kept("slow", "key", make, most=2) == 4  # it had to go
    with pytest.raises(ac.DataError):
        room.kept("slow", "refused", lambda: (_ for _ in ()).throw(ac.DataError("No.")), most=2)
    assert room.kept("slow", "refused", make, most=2) == 5


def test_a_damaged_run_takes_nobody_elses_run_along(home: Path, monkeypatch) -> None:
    visitors = Rooms(lambda session: True)
    monkeypatch.setattr(rooms, "ROOMS", visitors)
    runs = {}
    for owner in ("ann", "bob"):
        visitors.of(owner, f"tab of {owner}")
        data = dataclasses.replace(ac.load_dataset("blobs"), name="mine")
        runs[owner] = [
            store.runner().submit(dataclasses.replace(SPEC, seed=seed), data, owner, temporary=True)
            for seed in range(2)
        ]
    leases = {run_id: home / "runs" / run_id / "lease" for ids in runs.values() for run_id in ids}
    for owner, ids in runs.items():
        for run_id in ids:
            store.runner().wait(run_id, 60, owner)
            os.utime(leases[run_id], (time.time() - LEASE_SECONDS + 90,) * 2)
    (home / "runs" / runs["ann"][0] / "events.jsonl").unlink()
    Keeper().look()
    assert store.runner().store.expired(LEASE_SECONDS - 100) == []


def test_what_goes_wrong_with_one_visitor_is_written_down_and_the_keeper_goes_on(
    home: Path, monkeypatch, caplog
) -> None:
    visitors, renewed = Rooms(lambda session: True), []

    def renew(owner: str) -> None:
        if owner == "ann":
            raise RuntimeError("her folder is damaged")
        renewed.append(owner)

    for owner in ("ann", "bob"):
        visitors.of(owner, owner)
    monkeypatch.setattr(rooms, "ROOMS", visitors)
    monkeypatch.setattr(store, "runners", lambda: [runner])
    runner = store.runner()
    monkeypatch.setattr(runner, "renew", renew)
    looking = Keeper()
    for _ in range(3):
        looking.look()
    assert renewed == ["bob"] * 3
    assert len(caplog.records) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_keeper_that_has_died_is_started_again_by_the_next_page(monkeypatch) -> None:
    monkeypatch.setattr(keeper, "LOOK_SECONDS", 0.01)
    looks: list[str] = []

    class Dying(Keeper):
        def look(self) -> None:
            looks.append(threading.current_thread().name)
            raise SystemExit

    dying = Dying()
    dying.look_after("tab")
    until(lambda: len(looks) == 1)
    dying.look_after("tab")
    until(lambda: len(looks) == 2)


def test_nothing_of_a_private_run_is_held_when_its_owner_is_gone(home: Path, monkeypatch) -> None:
    app = used()
    for key, value in (("budget", 60), ("max_rounds", 1)):
        app.number_input(key=key).set_value(value)
    press(app, "▶ Run")
    run_id, owner = app.session_state["run"], app.session_state["_owner"]
    store.runner().wait(run_id, 120, owner)
    del app
    for page, link in (("explore", {"run": run_id}), ("present", {"run": run_id})):
        reopened(owner, page, **link)
    for tab in ("The people", "Take it along"):  # drawn when they are opened
        reopened(owner, "explore", run=run_id, projection="pca", details=tab)
    room = rooms.ROOMS.of(owner, "tab")
    kept = {kind: [one.value for one in found.values()] for kind, found in room._kept.items()}
    assert {"encoded", "table", "facts", "run data", "snapshot", "points"} <= set(kept)
    assert {"slides", "stage points"} <= set(kept)
    [[points, _]] = kept["points"]
    held = [
        weakref.ref(thing)
        for thing in (
            *room.tables.values(), *kept["table"], *kept["run data"], *kept["snapshot"],
            points, store.runner().view(run_id, owner), *room.jobs._futures.values(),
        )
    ]  # fmt: skip
    assert len(held) > 6
    assert all(thing() is not None for thing in held)
    del room, kept, points
    monkeypatch.setattr(rooms, "LEASE_SECONDS", -1.0)
    os.utime(home / "runs" / run_id / "lease", (0, 0))
    until(lambda: not (home / "runs" / run_id).exists())
    Keeper().look()
    for thing in gc.get_objects():  # without a server, nobody closes the pages with their files
        if issubclass(type(thing), MediaFileManager):  # a dead proxy would raise in isinstance
            thing._deferred_callables.clear()
    del thing
    gc.collect()
    assert [thing() for thing in held if thing() is not None] == []


def test_files_stay_at_their_address_until_they_are_let_go(monkeypatch) -> None:
    """Whatever other visitors' pages do, which remove what no page names."""
    media = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(rooms.runtime, "exists", lambda: True)
    monkeypatch.setattr(
        rooms.runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=media)
    )
    files = rooms.Files(most=25)

    def there(content: bytes) -> bool:
        for _ in range(2):
            media.remove_orphaned_files()
        return any(file.content == content for file in media._storage._files_by_id.values())

    media.add(b"nobody's", "text/csv", "1.1", "x.csv", True)
    media.clear_session_refs("dontcare")
    assert not there(b"nobody's")
    files.hold("one", "a.csv", "text/csv", b"0123456789")
    files.hold("one", "a.csv", "text/csv", b"0123456789")  # held already
    files.hold("one", "a.csv", "text/csv", b"renamed")  # the same name, made anew
    assert there(b"0123456789")
    assert there(b"renamed")
    files.hold("two", "b.csv", "text/csv", b"9876543210")  # 27 bytes: the oldest job goes
    assert not there(b"0123456789")
    assert there(b"9876543210")
    files.clear()
    assert not there(b"9876543210")
