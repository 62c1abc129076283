"""The log of a run and its folder, damaged: read as far as they make sense, never an error."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidote_core import RunSpec, grow, load_dataset
from antidote_core.engine import JobState, RunError, Store
from antidote_core.engine.job_folder import Follower, follow, read_log
from antidote_core.runs.kinds import RUN
from antidote_core.runs.view import RunView

from .inputs import JSON, damaged, tries

SPEC = RunSpec(dataset="blobs", start_size=3, budget=30, max_rounds=2, target=-1.0)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [event.to_json() for event in grow(SPEC)]


@tries()
@given(data=st.data())
def test_a_damaged_log_is_read_to_its_end(lines, tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "events.jsonl"
    path.write_bytes(data.draw(damaged(("\n".join(lines) + "\n").encode())))
    view = Follower(path, RunView()).view()
    assert isinstance(view, RunView)
    assert view.state in {state.value for state in JobState}


@tries()
@given(data=st.data())
def test_events_with_other_values(lines, tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "events.jsonl"
    changed = [json.loads(line) for line in lines]
    for _ in range(data.draw(st.integers(1, 3))):
        event = changed[data.draw(st.integers(0, len(changed) - 1))]
        name = data.draw(st.sampled_from(sorted(event)))
        event[name] = data.draw(JSON)
    path.write_text("".join(json.dumps(event) + "\n" for event in changed), encoding="utf-8")
    events, offset = read_log(path)
    assert offset == path.stat().st_size
    assert isinstance(follow(RunView(), events), RunView)


@pytest.fixture(scope="module")
def kept(tmp_path_factory, lines) -> Path:
    """A home with one finished run of ann's."""
    home = tmp_path_factory.mktemp("kept")
    store = Store(home)
    run_id = store.submit(SPEC, load_dataset("blobs"), "ann")
    folder = store.folder(run_id)
    with folder.events.open("a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    store.close()
    return home


@tries(60)
@given(data=st.data())
def test_a_store_with_a_damaged_folder_opens_and_lists_what_it_can(kept, tmp_path_factory, data):
    home = tmp_path_factory.getbasetemp() / "damaged"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(kept, home)
    for index in home.glob("index*"):
        index.unlink()
    [folder] = (home / "runs").iterdir()
    victim = folder / data.draw(st.sampled_from(["meta.json", "spec.json", "events.jsonl"]))
    victim.write_bytes(data.draw(damaged(victim.read_bytes())))
    store = Store(home)
    try:
        for status in store.of_owner("ann", RUN):
            assert status.message
            assert isinstance(
                Follower(store.folder(status.run_id).events, RunView()).view(), RunView
            )
    except RunError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right
    finally:
        store.close()
