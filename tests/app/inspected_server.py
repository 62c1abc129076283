"""`python -m tests.app.inspected_server PORT`: the real server, which answers questions.

A question is a line of Python on standard input; the answer is a line of JSON on standard output.
"""

import dataclasses
import gc
import json
import sys
import threading
import weakref
from typing import Any

from streamlit import runtime
from streamlit.web import cli

import antidote_core as ac
from pages._ui.jobs import keeper, store
from pages._ui.shared import rooms

KEPT: dict[str, Any] = {}


def table(name: str) -> ac.Dataset:
    """A table of somebody's own, known to the tests by a weak reference only."""
    data = dataclasses.replace(ac.load_dataset("blobs"), name=name)
    KEPT[name] = weakref.ref(data)
    return data


def is_held(name: str) -> bool:
    gc.collect()
    return KEPT[name]() is not None


def threads(name: str) -> int:
    return sum(name in thread.name for thread in threading.enumerate())


def sent_files() -> int:
    return len(runtime.get_instance().uploaded_file_mgr.file_storage)


def offer(session: str, data: ac.Dataset) -> None:
    """Offer the table for download on a page of this session, and download it once."""
    files = runtime.get_instance().media_file_mgr
    file = files.add_deferred(lambda: data.points.tobytes(), "text/csv", "place")
    entry = files._deferred_callables[file]
    entry["session_id"] = session
    files._files_by_session_and_coord[session] = files._files_by_session_and_coord.pop("dontcare")
    files.execute_deferred(file)


def offered() -> int:
    files = runtime.get_instance().media_file_mgr
    return len(files._file_metadata) + len(files._deferred_callables)


def answer() -> None:
    known = {**globals(), "keeper": keeper, "store": store, "rooms": rooms}
    for line in sys.stdin:
        try:
            found = eval(line, known)
        except Exception as error:
            found = f"error: {error!r}"
        print("answer:" + json.dumps(found), flush=True)


if __name__ == "__main__":
    threading.Thread(target=answer, daemon=True).start()
    sys.argv = [
        "streamlit", "run", "app.py", "--server.headless", "true", "--server.port", sys.argv[1],
    ]  # fmt: skip
    cli.main()
