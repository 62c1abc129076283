"""Click-to-redraw of the playground, in Chromium: `python -m benchmarks.playground [situation]`.

The clock of the browser runs from the press of the mouse until the plane shows the new point and
the costs beside it have changed, and that frame is painted.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

CLICKS = 24
PLACES = [(0.78 + 0.015 * i, 0.25 + 0.05 * i) for i in range(10)]  # of the plane's width and height
WATCH = """() => {
    const plane = () => document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot
    const state = () => [
        plane().querySelectorAll('.antidote').length,
        [...document.querySelectorAll('[data-testid=stMetricValue]')].at(-1).innerText,
    ]
    window.took = null
    window.addEventListener('pointerdown', () => {
        const begun = performance.now(), before = state()
        const look = () => {
            const now = state()
            if (now.some((part, i) => part === before[i])) return requestAnimationFrame(look)
            // The callback after the next is called when this frame has been painted.
            requestAnimationFrame(() => { window.took = performance.now() - begun })
        }
        requestAnimationFrame(look)
    }, {capture: true, once: true})
}"""


def serve(home: str) -> tuple[subprocess.Popen, str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
        "--server.address", "127.0.0.1", "--server.port", str(port),
    ]  # fmt: skip
    environment = {**os.environ, "ANTIDOTE_HOME": home}
    server = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
            return server, url
        except OSError:
            time.sleep(0.1)
    server.terminate()
    raise SystemExit("The app did not answer within a minute.")


def measure(page, url: str, situation: str) -> list[float]:
    page.goto(f"{url}/learn?part=playground&scene={situation}")
    field = page.locator("svg.field")
    field.wait_for()
    left = page.get_by_text(" points left.")
    left.wait_for()
    page.wait_for_load_state("networkidle")
    taken = []
    for click in range(CLICKS):
        if click and click % len(PLACES) == 0:
            page.get_by_role("button", name="Reset").click()
            page.get_by_text("10 of 10 points left.").wait_for()
        x, y = PLACES[click % len(PLACES)]
        box = field.bounding_box()
        page.evaluate(WATCH)
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.wait_for_function("window.took !== null")
        taken.append(page.evaluate("window.took"))
    return taken


def main(situation: str = "easy") -> None:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("Chromium is not installed (Debian: apt install chromium).")
    with tempfile.TemporaryDirectory() as home:
        server, url = serve(home)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(90_000)
                taken = measure(page, url, situation)
                browser.close()
        finally:
            server.terminate()
            server.wait()
    print(
        f"{situation}: {len(taken)} clicks, first {taken[0]:.0f} ms, "
        f"median {statistics.median(taken):.0f} ms, worst {max(taken):.0f} ms"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
