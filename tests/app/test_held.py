"""What a real server holds: not for any client to clear, and not for longer than its owner."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from tests.app.test_server import ROOT, address

ANN = "2|00000000|" + bytes(range(16)).hex() + "|1700000000"  # cookies of two browsers
EVE = "2|00000000|" + bytes(range(16, 32)).hex() + "|1700000000"
Ask = Callable[[str], Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Ask]]:
    """Its port, and a function that asks it for the value of an expression."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.app.inspected_server", str(port)], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "ANTIDOTE_HOME": str(home)},
    )  # fmt: skip

    def ask(expression: str) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(expression + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("answer:"):
                return json.loads(line.removeprefix("answer:"))
        raise AssertionError("the server is gone")

    with process:
        try:
            until(lambda: _answers(port))
            yield port, ask
        finally:
            process.kill()  # a server that is asked to end waits for its standard input


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(address(port, "/_stcore/health"), timeout=2).close()
        return True
    except OSError:
        return False


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@asynccontextmanager
async def page(port: int, cookie: str) -> Any:
    async with connect(
        f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None,
        origin=f"http://localhost:{port}",
        additional_headers={"Cookie": f"_streamlit_xsrf={cookie}"},
    ) as connection:  # fmt: skip
        yield connection


async def drawn(connection: ClientConnection, name: str) -> tuple[str, bytes]:
    """Ask for a page; the id of the session and all that was sent until it was drawn."""
    message = BackMsg()
    message.rerun_script.page_name = name
    await connection.send(message.SerializeToString())
    session, sent = "", b""
    while True:
        received = await asyncio.wait_for(connection.recv(), 120)
        assert isinstance(received, bytes)
        sent += received
        found = ForwardMsg.FromString(received)
        if found.WhichOneof("type") == "new_session":
            session = found.new_session.initialize.session_id
        done = found.WhichOneof("type") == "script_finished"
        if done and found.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
            return session, sent


def test_no_client_can_clear_what_others_have(server: tuple[int, Ask]) -> None:
    port, ask = server

    async def attack() -> None:
        async with page(port, ANN) as ann:
            await drawn(ann, "runs")
            [owner] = ask("list(rooms.ROOMS._rooms)")
            ask(f"rooms.ROOMS.put({owner!r}, 'tab', table('my-rows'))")
            assert ask("threads('antidote-scheduler')") == 1
            async with page(port, EVE) as eve:
                for _ in range(5):
                    await eve.send(BackMsg(clear_cache=True).SerializeToString())
                    await drawn(eve, "runs")
            assert b"my-rows" in (await drawn(ann, "data"))[1]
            assert ask("threads('antidote-scheduler')") == 1
            assert ask("threads('keeper')") == 1
            ask(f"rooms.ROOMS.forget({owner!r}, 'my-rows')")
            assert not ask("is_held('my-rows')")

    asyncio.run(attack())


def test_nothing_is_left_of_a_visitor_who_is_gone(server: tuple[int, Ask]) -> None:
    port, ask = server

    async def visit() -> None:
        async with page(port, ANN) as ann:
            session, _ = await drawn(ann, "data")
            request = urllib.request.Request(
                address(port, f"/_stcore/upload_file/{session}/file"), _form(b"x,g\n1,a\n"),
                {"Cookie": f"_streamlit_xsrf={ANN}", "X-Xsrftoken": ANN,
                 "Content-Type": "multipart/form-data; boundary=part"}, method="PUT",
            )  # fmt: skip
            (await asyncio.to_thread(urllib.request.urlopen, request, timeout=10)).close()
            assert ask("sent_files()") == 1
            owner = ask(
                f"next(o for o, r in rooms.ROOMS._rooms.items() if {session!r} in r.sessions)"
            )
            ask(f"rooms.ROOMS.put({owner!r}, {session!r}, table('my-own'))")
            before = ask("offered()")
            ask(f"offer({session!r}, table('my-file'))")
            assert ask("offered()") == before + 2
            held = f"runtime.get_instance().get_app_session({session!r})"
            ask(f"{held}._fragment_storage._fragments.update(part=[table('my-part')])")
            ask(f"{held}.session_state.__setitem__('value', table('my-value'))")

    asyncio.run(visit())
    assert ask("is_held('my-own')")
    hurry = "[setattr(keeper, 'AWAY_SECONDS', 0.2), setattr(rooms, 'LEASE_SECONDS', 0.2)]"
    ask(hurry)
    # One look sees that the page is closed, the next that it stays closed; two more, and nobody
    # can still be fetching a file of it.
    for _ in range(4):
        ask("keeper.KEEPER.look()")
        time.sleep(0.5)
    ask("keeper.KEEPER.look()")
    assert ask("sent_files()") == 0
    assert ask("list(rooms.ROOMS._rooms)") == []
    assert not ask("is_held('my-own')")
    assert not ask("is_held('my-part')")
    assert not ask("is_held('my-value')")
    assert not ask("is_held('my-file')")
    assert ask("offered()") == 0


def _form(content: bytes) -> bytes:
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    return head + content + b"\r\n--part--\r\n"
