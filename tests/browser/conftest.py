"""The real app on a free port, and Chromium to look at it.

In CI a missing browser is a failure; elsewhere the browser tests are skipped with the reason.
`.ci/run` sets ANTIDOTE_BROWSER_RERUNS, because a browser and a server on busy cores can miss each
other; every rerun prints its reason (see tests/conftest.py). Elsewhere there is none.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from antidote_core.clustering.compiled import warm

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
START_SECONDS = 120
PATIENCE = 60_000  # milliseconds
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reruns = int(os.environ.get("ANTIDOTE_BROWSER_RERUNS", "0"))
    for item in items:
        if reruns and item.path.parent == HERE:
            item.add_marker(pytest.mark.flaky(reruns=reruns))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    visit = getattr(item, "funcargs", {}).get("visit")
    if report.when == "call" and report.failed and visit is not None:
        with suppress(Exception):  # a page that is gone says nothing, and the failure stands
            report.sections.append((f"what {visit.page.url} said", visit.text()[:4000]))
    return report


@dataclass
class Visit:
    """A browser tab on the app, and every request it made."""

    page: Any
    base: str
    scheme: str
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("request", lambda sent: self.requests.append(sent.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))

    def open(self, path: str) -> None:
        self.page.goto(f"{self.base}/{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run and every chart is drawn."""
        state = "[data-testid=stApp][data-test-script-state=notRunning]"
        self.page.locator(state).wait_for()
        self.page.wait_for_function(
            """() => {
                const charts = [...document.querySelectorAll('[data-testid=stPlotlyChart]')];
                return document.querySelector('h1, [data-testid=stAlert]')
                    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')
                    && charts.every(c => c.querySelector('.main-svg g.subplot'));
            }"""
        )

    def text(self) -> str:
        """All words and figures on the page, without icons and charts."""
        parts = "h1, h2, h3, [data-testid=stMarkdownContainer], [data-testid=stMetricValue]"
        return "\n".join(self.page.locator("[data-testid=stMain]").locator(parts).all_inner_texts())

    def external_requests(self) -> list[str]:
        host = self.base.removeprefix("http://")
        local = (f"http://{host}/", f"ws://{host}/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(local)]


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    path = _chromium()
    if path is None:
        reason = "Chromium is not installed (Debian: apt install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server under test keeps its runs."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="package")
def app_url(browser: Any, home: Path) -> Iterator[str]:
    warm()  # a fresh machine compiles before the clock starts
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py",
        "--server.headless", "true", "--server.address", "127.0.0.1",
        "--server.port", str(port),
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "ANTIDOTE_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(url, server)
            yield url
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert server.poll() is None, "the app ended before it answered"
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the app did not answer within {START_SECONDS} seconds")


@pytest.fixture(scope="package")
def contexts(browser: Any) -> Iterator[dict[str, Any]]:
    """One browser profile per colour scheme, so that pages share what they have fetched."""
    opened = {
        scheme: browser.new_context(color_scheme=scheme, reduced_motion="reduce")
        for scheme in ("light", "dark")
    }
    yield opened
    for context in opened.values():
        context.close()


@pytest.fixture
def visit(
    contexts: dict[str, Any], app_url: str, request: pytest.FixtureRequest
) -> Iterator[Visit]:
    """A fresh tab; parametrise indirectly with (width, colour scheme) for another look."""
    width, scheme = getattr(request, "param", (1440, "light"))
    page = contexts[scheme].new_page()
    page.set_viewport_size({"width": width, "height": 900})
    yield Visit(page, app_url, scheme)
    page.close()
