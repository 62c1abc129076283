"""A page drawn for one link, without a browser and without the hundred milliseconds of AppTest."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import MagicMock, patch

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    ScriptRunContext,
    add_script_run_ctx,
)
from streamlit.runtime.state import SafeSessionState, SessionState

OWNER = "somebody"


@contextmanager
def server() -> Iterator[None]:
    """A server that knows no cookies and no headers."""
    runtime = MagicMock()
    runtime.get_client.return_value = None
    runtime.media_file_mgr.add.return_value = ""
    thread = threading.current_thread()
    with patch.object(Runtime, "_instance", runtime):
        try:
            yield
        finally:
            add_script_run_ctx(thread, None)
            if hasattr(thread, "streamlit_script_run_ctx"):
                del thread.streamlit_script_run_ctx


class _Requests:
    def request_rerun(self, data: Any) -> None:
        raise RerunException(data)


def opened(draw: Callable[[], Any], query: str) -> tuple[Any, list[ForwardMsg]]:
    """What `draw` returns when the address ends in ?query, and what the browser is sent."""
    sent: list[ForwardMsg] = []
    context = ScriptRunContext(
        "fuzz", sent.append, "", SafeSessionState(SessionState(), lambda: None),
        MemoryUploadedFileManager("/upload"), "dashboard.py", {}, MemoryFragmentStorage(),
        PagesManager("dashboard.py"), script_requests=_Requests(),
    )  # fmt: skip
    context.session_state["_owner"] = OWNER
    context.session_state["_framed"] = True
    add_script_run_ctx(threading.current_thread(), context)
    context.reset(query_string=query)
    for _ in range(3):
        try:
            return draw(), sent
        except StopException:  # st.stop(): the page is drawn as far as it goes
            return None, sent
        except RerunException as again:
            sent.clear()
            context.reset(query_string=again.rerun_data.query_string)
    raise AssertionError("the page begins again and again")


def texts(sent: list[ForwardMsg]) -> Iterator[tuple[str, str]]:
    """Everything that is drawn as Markdown or as HTML: its kind and its text."""
    for message in sent:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind in ("markdown", "alert", "heading", "html", "exception"):
            part = getattr(element, kind)
            yield kind, part.message if kind == "exception" else part.body
