"""Take the pictures of Home and of V growing anew: `python -m benchmarks.pictures`.

Starts the dashboard with an empty home folder, opens it in Chromium and writes docs/images/home.png
and docs/images/explore-grows.gif: the recorded run on bank, step by step, drawn at times that do
not depend on how busy the machine is.
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from benchmarks.stage_times import CHROMIUM, HOME, ROOT, start, waited

IMAGES = ROOT / "docs" / "images"
STEPS = 5  # of the recorded run, after plain clustering
TURN, FRAMES = 660, 5  # milliseconds from one step to the next, and pictures of them
REST, FIRST, LAST = 700, 1200, 3000  # milliseconds that a step stands still
WIDTH, COLORS = 1120, 256
PLAYED = "() => document.querySelector('[data-testid=stMain]').innerText.includes('Confirmed')"


def main() -> None:
    server, address, folder = start(fresh=False)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=CHROMIUM
            )
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.set_default_timeout(180_000)
            page.goto(address)
            waited(page, "Home complete", HOME, 0.0)
            page.get_by_text("→ 100 %").first.wait_for()  # it plays to its end
            page.wait_for_timeout(1000)
            page.screenshot(path=IMAGES / "home.png")
            grow(page, address, IMAGES / "explore-grows.gif")
            browser.close()
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def grow(page: Any, address: str, path: Path) -> None:
    """Record the run step by step."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{address}/explore")
    page.locator(".st-key-example-four-fifths button").first.click()
    waited(page, "the recorded run is open", PLAYED, 0.0)
    canvas = page.locator(".stage canvas")
    canvas.wait_for()
    page.wait_for_timeout(8000)  # it plays itself once
    canvas.focus()
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.keyboard.press("Home")
    page.clock.run_for(2 * TURN)
    frames, times = [taken(page)], [FIRST]
    for _ in range(STEPS):
        page.keyboard.press("ArrowRight")
        for _ in range(FRAMES):
            page.clock.run_for(TURN // FRAMES)
            frames.append(taken(page))
            times.append(TURN // FRAMES)
        times[-1] = REST
    times[-1] = LAST
    colors = frames[-1].quantize(COLORS, Image.Quantize.FASTOCTREE)  # the last one has them all
    first, *others = (frame.quantize(palette=colors, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def taken(page: Any) -> Image.Image:
    whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return whole.resize(
        (WIDTH, round(whole.height * WIDTH / whole.width)), Image.Resampling.LANCZOS
    )


if __name__ == "__main__":
    main()
