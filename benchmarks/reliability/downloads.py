"""Downloads while ten visitors keep the server busy: how many fail, and why they did.

First a page of a few lines shows what Streamlit does by itself: a file that is made when its button
is pressed belongs to no page, and one that a page names is let go while that page is drawn again;
in both cases whoever's page is ready next removes it. Then the app: ten visitors look at a finished
run, have their pages drawn again and again, and fetch its files.
"""

import asyncio
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from antidote_core.engine import Runner
from antidote_core.runs.spec import RunSpec
from benchmarks.reliability.load import Visitor, serving

TRIES = 200
PAUSE = 0.25  # seconds before a file is fetched, as over a slow line
ANSWER_SECONDS = 10.0  # for what a pressed button makes
SPEC = RunSpec(dataset="bank", start_size=100, step=100, budget=300, target="four_fifths")
SMALL_PAGE = """
import os
import time
import streamlit as st
mine = st.session_state.setdefault("mine", os.urandom(50_000))
st.download_button("made when pressed", lambda: mine + b"1", "pressed.csv", on_click="ignore")
time.sleep(0.2)
st.download_button("made before", mine + b"2", "before.csv", on_click="ignore")
"""


class Downloader(Visitor):
    """A visitor who also presses download buttons."""

    def __init__(self, address: str, number: int) -> None:
        super().__init__(address, number)
        self.files: dict[str, str] = {}  # address by label
        self.deferred: dict[str, str] = {}  # id of what is made when pressed, by label
        self._session = ""
        self.answers: asyncio.Queue[str] = asyncio.Queue()

    def _take(self, message: ForwardMsg) -> None:
        super()._take(message)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._session = message.new_session.initialize.session_id
        elif kind == "backend_operation_response":
            answer = message.backend_operation_response
            self.answers.put_nowait(answer.deferred_file.url)
        elif kind == "delta" and message.delta.new_element.HasField("download_button"):
            button = message.delta.new_element.download_button
            known = self.deferred if button.deferred_file_id else self.files
            known[button.label] = button.deferred_file_id or button.url

    async def press(self, label: str) -> str:
        """The address of what the button makes; empty when it is refused."""
        message = BackMsg()
        message.backend_operation_request.request_id = f"{self.number}-{time.monotonic_ns()}"
        message.backend_operation_request.session_id = self._session
        message.backend_operation_request.deferred_file.file_id = self.deferred[label]
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        try:
            return await asyncio.wait_for(self.answers.get(), ANSWER_SECONDS)
        except TimeoutError:
            return ""

    async def fetch(self, url: str) -> str:
        """What the server says to it."""
        return await asyncio.to_thread(_fetch, f"http://{self._address}{url}")


def _fetch(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return "whole" if answer.read() else "empty"
    except urllib.error.HTTPError as error:
        return str(error.code)


def main(visitors: int, tries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = Path(folder) / "small.py"
        app.write_text(SMALL_PAGE, encoding="utf-8")
        with serving(Path(folder), app) as (address, _):
            asyncio.run(_small(address, visitors, tries))
    with tempfile.TemporaryDirectory() as home:
        with Runner(Path(home)) as runner:
            run_id = runner.submit(SPEC)
            runner.wait(run_id, 600)
        with serving(Path(home)) as (address, _):
            asyncio.run(_app(address, run_id, visitors, tries))


async def _small(address: str, visitors: int, tries: int) -> None:
    crowd = await _arrived(address, visitors, "")
    busy = [asyncio.create_task(_redraw(visitor, "")) for visitor in crowd]
    pressed: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for turn in range(tries):
        visitor = crowd[turn % len(crowd)]
        url = await visitor.press("made when pressed")
        await asyncio.sleep(PAUSE)
        pressed[await visitor.fetch(url) if url else "refused"] += 1
        named[await visitor.fetch(visitor.files["made before"])] += 1
    for task in busy:
        task.cancel()
    print("| Streamlit by itself | answers |\n|---|---|")
    print(f"| made when its button is pressed | {_said(pressed)} |")
    print(f"| named by the page | {_said(named)} |", flush=True)
    await asyncio.gather(*(visitor.leave() for visitor in crowd))


async def _app(address: str, run_id: str, visitors: int, tries: int) -> None:
    page = f"explore?run={run_id}&details=Take+it+along"
    crowd = await _arrived(address, visitors, page)
    busy = [asyncio.create_task(_redraw(visitor, page)) for visitor in crowd]
    found: Counter[str] = Counter()
    slowest = 0.0
    for turn in range(tries):
        visitor = crowd[turn % len(crowd)]
        labels = sorted(visitor.files)
        await asyncio.sleep(PAUSE)
        begun = time.monotonic()
        found[await visitor.fetch(visitor.files[labels[turn // len(crowd) % len(labels)]])] += 1
        slowest = max(slowest, time.monotonic() - begun)
    drawn = sum(len(seconds) for visitor in crowd for seconds in visitor.seconds.values())
    for task in busy:
        task.cancel()
    print(f"\n| the app: {visitors} visitors | |\n|---|---|")
    print(f"| files of the run | {', '.join(labels)} |")
    print(f"| downloads | {_said(found)} |")
    print(f"| slowest | {slowest:.1f} s |")
    print(f"| pages drawn meanwhile | {drawn} |")
    print(f"| exceptions on a page | {sum(visitor.errors for visitor in crowd)} |")
    await asyncio.gather(*(visitor.leave() for visitor in crowd))


async def _arrived(address: str, visitors: int, page: str) -> list[Downloader]:
    crowd = [Downloader(address, number) for number in range(visitors)]
    await asyncio.gather(*(visitor.arrive() for visitor in crowd))
    await asyncio.gather(*(visitor.open(page) for visitor in crowd))
    return crowd


async def _redraw(visitor: Downloader, page: str) -> None:
    while True:
        await visitor.open(page)
        await asyncio.sleep(0.1)


def _said(found: Counter[str]) -> str:
    return ", ".join(f"{count} {answer}" for answer, count in sorted(found.items()))
