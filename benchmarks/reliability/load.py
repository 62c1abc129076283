"""Thirty visitors at once, ten of them start a run, on a server of this machine.

A visitor speaks the protocol of Streamlit's own front end over a WebSocket, without drawing: opens
pages, clicks on Run, and answers the page's wish to be run again every half second, as a browser
does.
"""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from antidote_core.engine import Store
from benchmarks.reliability.processes import handles, megabytes, workers

PAGES = ("", "data", "learn", "runs", "explore", "frontier", "paper")
RUN = "explore?data=creditcard&start=20&target=value&alpha=-0.95&max_rounds=3&run_seed={seed}"
PATIENCE = 300.0  # seconds for one page under load
TOGETHER = 900.0  # seconds for all runs


class Visitor:
    """One tab: what it was sent, and how long each page took.

    Of the texts it is shown it remembers those with the word `heeds` in them.
    """

    def __init__(self, address: str, number: int, heeds: str = "queue") -> None:
        self.number = number
        self.seconds: dict[str, list[float]] = {}
        self.texts: list[str] = []
        self._heeds = heeds
        self.errors = 0
        self._address = address
        self._buttons: dict[str, str] = {}
        self._fragments: dict[str, float] = {}
        self._reached = False  # the page that was asked for is being drawn
        self._known: dict[str, ForwardMsg] = {}
        self._page = ""
        self._query = ""
        self._hash = ""
        self._finished = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def arrive(self) -> None:
        self._socket = await connect(
            f"ws://{self._address}/_stcore/stream", subprotocols=["streamlit"], max_size=None
        )
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._tick())]

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._socket is not None:
            await self._socket.close()

    async def open(self, path: str) -> None:
        """Open a page and wait until its script has run."""
        self._page, _, self._query = path.partition("?")
        self._hash = ""
        self._fragments.clear()
        self._buttons.clear()
        await self._run(self._page or "home")

    async def click(self, label: str) -> None:
        await self._run(f"click on {label}", self._buttons[label])

    async def _run(self, name: str, button: str = "") -> None:
        begun = time.monotonic()
        self._finished.clear()
        self._reached = False
        await self._send(button=button)
        finished = asyncio.create_task(self._finished.wait())
        await asyncio.wait(
            [finished, *self._tasks], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        for task in self._tasks:
            if task.done():
                task.result()
        if not finished.done():
            raise TimeoutError(f"{name} was not drawn within {PATIENCE:g} seconds")
        self.seconds.setdefault(name, []).append(time.monotonic() - begun)

    async def _send(self, fragment: str = "", button: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name = self._query, self._page
        state.page_script_hash, state.fragment_id = self._hash, fragment
        if button:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = button, True
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())

    async def _listen(self) -> None:
        assert self._socket is not None
        async for raw in self._socket:
            message = ForwardMsg()
            message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
            if message.WhichOneof("type") == "ref_hash":
                message = self._known.get(message.ref_hash, message)
            elif message.hash:
                self._known[message.hash] = message
            self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":  # a whole page begins; those parts that it draws again ask again
            self._hash = message.navigation.page_script_hash
            self._fragments.clear()
            self._reached = True
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self._fragments[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "script_finished":
            # A part is drawn again only when its page is there. The word that the page itself is
            # drawn may be missing: Streamlit does not send it when a part follows at once.
            whole = message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            part = message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
            if whole or (part and self._reached):
                self._finished.set()
        elif kind == "delta":
            element = message.delta.new_element
            what = element.WhichOneof("type")
            if what == "button":
                self._buttons[element.button.label] = element.button.id
            elif what == "exception":
                self.errors += 1
                print(f"{self._page}: {element.exception.message}", file=sys.stderr)
            elif what in ("heading", "markdown", "alert"):
                body = getattr(element, what).body
                if self._heeds in body:
                    self.texts.append(body)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(min([2.0, *self._fragments.values()]))
            for fragment in list(self._fragments):
                await self._send(fragment=fragment)


@contextmanager
def serving(home: Path, app: Path = Path("app.py")) -> Iterator[tuple[str, int]]:
    """A server of its own on that home folder: its address and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "streamlit", "run", str(app), "--server.headless", "true",
        "--server.port", str(port), "--server.address", "127.0.0.1",
    ]  # fmt: skip
    root = Path(__file__).parents[2]
    environment = {**os.environ, "ANTIDOTE_HOME": str(home)}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(port)
        yield f"127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait(30)


def main(visitors: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        with serving(Path(home)) as (address, server):
            asyncio.run(_together(address, home, server, visitors, runs))
        print(f"\nProcesses left behind: {len(workers(home))}")


async def _together(address: str, home: str, server: int, visitors: int, runs: int) -> None:
    first = Visitor(address, -1)
    await first.arrive()
    for page in PAGES:
        await first.open(page)  # a server that has been used once
    await first.leave()
    await asyncio.sleep(2)
    before, open_before = megabytes(server), handles(server)

    crowd = [Visitor(address, number) for number in range(visitors)]
    store = Store(home)
    begun = time.monotonic()
    await asyncio.gather(*(visitor.arrive() for visitor in crowd))
    starting = [asyncio.create_task(_start(visitor)) for visitor in crowd[:runs]]
    reading = [asyncio.create_task(_read(visitor)) for visitor in crowd[runs:]]
    longest, most = 0, 0.0
    while time.monotonic() - begun < TOGETHER:
        await asyncio.sleep(1)
        for task in (*starting, *reading):
            if task.done():
                task.result()  # a visitor that failed ends the measurement
        states = [row["state"] for row in store._query("SELECT state FROM runs")]
        print(f"\r{time.monotonic() - begun:4.0f} s {states}", end="", file=sys.stderr)
        longest, most = max(longest, states.count("queued")), max(most, megabytes(server))
        if len(states) == runs and not {"queued", "running"} & set(states):
            break
    together = time.monotonic() - begun
    await asyncio.gather(*starting, *reading)
    ended = [row["state"] for row in store._query("SELECT state FROM runs")]
    told = sum(any("number" in text for text in visitor.texts) for visitor in crowd[:runs])
    idle = megabytes(server)
    store.close()
    _print(crowd)
    print(
        f"\n| what | value |\n|---|---|\n| visitors at once, starting a run | {visitors}, {runs} |"
    )
    print(f"| runs, by how they ended | {', '.join(f'{ended.count(s)} {s}' for s in set(ended))} |")
    print(f"| all ended after | {together:.0f} s |")
    print(f"| longest queue; visitors who were told their place | {longest}; {told} |")
    print(f"| exceptions on a page | {sum(visitor.errors for visitor in crowd)} |")
    print(f"| memory of the server: before, most | {before:.0f} MB, {most:.0f} MB |")
    print(f"| memory per idle session | {(idle - before) / visitors:.1f} MB |")
    for visitor in crowd:
        await visitor.leave()
    await asyncio.sleep(5)
    print(f"| file handles of the server: before, after | {open_before}, {handles(server)} |")


async def _start(visitor: Visitor) -> None:
    await visitor.open(RUN.format(seed=visitor.number))
    await visitor.click("▶ Run")


async def _read(visitor: Visitor) -> None:
    for turn in range(len(PAGES)):
        await visitor.open(PAGES[(visitor.number + turn) % len(PAGES)])
        await asyncio.sleep(2)  # a look at the page


def _print(crowd: list[Visitor]) -> None:
    print("| page | times | median | slowest |\n|---|---|---|---|")
    names = {name for visitor in crowd for name in visitor.seconds}
    for name in sorted(names):
        took = [second for visitor in crowd for second in visitor.seconds.get(name, [])]
        print(f"| {name} | {len(took)} | {statistics.median(took):.1f} s | {max(took):.1f} s |")


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("the server did not answer")
