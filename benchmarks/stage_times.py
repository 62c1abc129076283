"""How long Explore takes, in a browser: opened, clicked, first number, verdict.

    python -m benchmarks.stage_times [--visits 10] [--fresh]

Starts the dashboard with an empty home folder and drives the installed Chromium: a new visitor each
time opens Explore, then with another seed (so that no result is stored yet), presses Run and waits.
Medians, in seconds. With `--fresh` the server has no compiled kernel at first (an empty cache of
numba), and one visitor presses Run as soon as the button is there. A wait that ends in vain says
which one it was and what the page said.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import TimeoutError as WaitedInVain
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
PATIENCE = 180  # seconds
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
READY = "() => document.body.innerText.includes('Plain k-means with')"
NUMBER = "() => /Fair share of the worst-served group\\s+\\d/.test(document.body.innerText)"
VERDICT = "() => document.querySelector('[class*=st-key-verdict-]:not(.st-key-verdict-waiting)')"
HOME = """() => document.body.innerText.includes('What it cost.')
    && [...document.querySelectorAll('[data-testid=stMain] *')]
        .filter(part => part.shadowRoot?.querySelector('svg.field *')).length === 1"""


def start(fresh: bool) -> tuple[subprocess.Popen[bytes], str, str]:
    """The server, its address, and the folder that it works in."""
    folder = tempfile.mkdtemp()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cache = {"NUMBA_CACHE_DIR": f"{folder}/kernels"} if fresh else {}
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
         "--server.address", "127.0.0.1", "--server.port", str(port)],
        cwd=ROOT, env={**os.environ, "ANTIDOTE_HOME": f"{folder}/home", **cache},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return server, address, folder
        except OSError:
            time.sleep(0.05)


def waited(page: Any, what: str, condition: str, begun: float) -> float:
    """Seconds since `begun`, when the condition holds."""
    try:
        page.wait_for_function(condition, timeout=1000 * PATIENCE, polling=20)
    except WaitedInVain:
        said = page.locator("body").inner_text()
        sys.exit(f"{what}: not within {PATIENCE} s. {page.url} says:\n{said}")
    return time.monotonic() - begun


def visit(browser: Any, address: str, seed: int) -> dict[str, float]:
    """One visitor from the address to the verdict."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    begun = time.monotonic()
    page.goto(f"{address}/explore")
    taken = {}

    def wait(what: str, condition: str) -> None:
        taken[what] = waited(page, what, condition, begun)

    wait("Explore opened -> ready", READY)
    begun = time.monotonic()
    page.goto(f"{address}/explore?run_seed={seed}")
    wait("Explore opened with a seed nobody asked for -> ready", READY)
    page.wait_for_timeout(3000)  # somebody reads
    begun = time.monotonic()
    page.locator(".st-key-runbar button").first.click()
    wait("click -> first number", NUMBER)
    wait("click -> verdict", VERDICT)
    page.wait_for_timeout(4000)  # the comparison ends, and the next process gets ready
    context.close()
    return taken


def first_on_a_machine(browser: Any, address: str, begun: float) -> dict[str, float]:
    """Home, and the first run, while the compiler is at work."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(address)
    what = "server up -> Home complete"
    taken = {what: waited(page, what, HOME, begun)}
    page.goto(f"{address}/explore")
    page.locator(".st-key-runbar button").first.wait_for()
    begun = time.monotonic()
    page.locator(".st-key-runbar button").first.click()
    what = "first Run -> verdict"
    taken[what] = waited(page, what, VERDICT, begun)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=10)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    server, address, folder = start(options.fresh)
    begun = time.monotonic()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=CHROMIUM
            )
            if options.fresh:
                taken = [first_on_a_machine(browser, address, begun)]
            else:
                visit(browser, address, 1000)  # the server has met nobody yet
                taken = []
                for i in range(options.visits):
                    taken.append(visit(browser, address, 1001 + i))
                    seconds = ", ".join(f"{one:.2f}" for one in taken[-1].values())
                    print(f"visit {i + 1}: {seconds} s", flush=True)
            for name in taken[0]:
                values = [one[name] for one in taken]
                print(f"{name}: {statistics.median(values):.2f} s (most {max(values):.2f} s)")
            browser.close()
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
