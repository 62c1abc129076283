"""The map of a run while a round comes in, in Chromium: `python -m benchmarks.stage_frames [log]`.

All 45,211 points of bank on their principal components, one round after another. The clock is that
of the browser: the times between frames while the step is animated, and what has to be sent for one
round. Rivals: the Plotly figure that the reports draw, with as many points and with its usual
10,000, which Streamlit builds anew for every round. A log (events.jsonl) of a run of bank spares
computing one.
"""

import base64
import json
import shutil
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import antidote_core as ac
from antidote_core.analysis.snapshots import Snapshot, moves, snapshot
from antidote_core.projection import Plane, fit_plane
from antidote_core.reporting.documents.page import template
from antidote_core.reporting.figures import maps, stage

SPEC = ac.RunSpec(
    dataset="bank", start_size=100, step=100, target="four_fifths", optimizer="design",
    place="rows", growth="extend",
)  # fmt: skip
TIMES = 7
SECONDS = 0.65  # one step, as the stage plays it
PAGE = """<body style="margin:0;font-family:sans-serif;
  --st-background-color:#fff;--st-text-color:#1F2328;--st-primary-color:#0072B2;
  --st-secondary-background-color:#f3f3f3;--st-font:sans-serif"><div id="place"></div></body>"""
FRAMES = """([name, seconds]) => new Promise(done => {
    const times = []
    const look = now => {
        times.push(now)
        window.tick?.(Math.min(1, (now - times[0]) / (1000 * seconds)))
        if (now - times[0] < 1000 * seconds) requestAnimationFrame(look)
        else done(times)
    }
    window[name]()
    requestAnimationFrame(look)
})"""
STAGE = """async ([html, css, js, hand, points, parcels]) => {
    const place = document.getElementById("place")
    place.innerHTML = `<style>${css}</style>${html}`
    const load = text => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })))
    const give = (await load(hand)).default
    give({ data: Uint8Array.from(atob(points), letter => letter.charCodeAt(0)) })
    for (const data of parcels) give({ data })
    ;(await load(js)).default({ data: { run: "r" }, parentElement: place })
    const press = key => document.querySelector("canvas").dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true }))
    window.back = () => press("ArrowLeft")
    window.forth = () => press("ArrowRight")
}"""
PLOTLY = """([figure]) => {
    const { data, layout } = JSON.parse(figure)
    const place = document.getElementById("place")
    const begun = performance.now()
    return Plotly.newPlot(place, data, layout).then(() => new Promise(done => {
        const V = data.length - 1
        window.tick = part => Plotly.restyle(place, { "marker.size": 4 + 12 * part }, [V])
        window.forth = () => {}
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)))
    }))
}"""


def told(name: str, times: list[list[float]], sent: float, once: str) -> None:
    rates = [1000 * (len(run) - 1) / (run[-1] - run[0]) for run in times]
    gaps = [max(b - a for a, b in pairwise(run)) for run in times]
    print(
        f"{name:34} {statistics.median(rates):6.1f} frames/s  longest wait "
        f"{statistics.median(gaps):6.0f} ms  {sent / 1024:8.1f} KiB a round  {once}",
        flush=True,
    )


def on_canvas(page: Any, data: ac.Dataset, view: ac.RunView, plane: Plane) -> None:
    ground = stage.plane_ground(data, SPEC, plane)
    shots = [snapshot(data, SPEC, view, i) for i in range(len(view.steps))]
    found = [moves(shot) for shot in shots]
    points = stage.points_parcel("r", data, ground, shots[0].labels)

    steps = [
        stage.step_parcel("r", data, found[: first + 1], ground, first)
        for first in range(len(found))
    ]
    axes = stage.map_axes(ground, steps)
    show = stage.show_parcel(
        "r", data, SPEC, view, range(len(found)), ground, axes, fair={}, live=True, color="group"
    )
    sent = statistics.mean(len(json.dumps(step)) for step in steps[1:]) + len(json.dumps(show))
    page.set_content(PAGE)
    files = [template(name) for name in ("stage.html", "stage.css", "stage.js")]
    hand = template("stage_data.js")
    page.evaluate(STAGE, [*files, hand, base64.b64encode(points).decode(), [*steps, show]])
    page.wait_for_timeout(500)
    times = []
    for _ in range(TIMES):
        page.evaluate(FRAMES, ["back", 1.2 * SECONDS])
        page.wait_for_timeout(300)
        times.append(page.evaluate(FRAMES, ["forth", SECONDS]))
        page.wait_for_timeout(300)
    moved = len(found[-1].moved)
    once = f"{len(points) / 1024:.0f} KiB once; {moved:,} people change cluster"
    told(f"canvas, {len(ground.rows):,} points", times, sent, once)


def on_plotly(page: Any, data: ac.Dataset, shot: Snapshot, plane: Plane, limit: int) -> None:
    from plotly.offline import get_plotlyjs

    usual, maps.MAP_LIMIT = maps.MAP_LIMIT, limit
    figure = maps.run_map_figure(data, shot, maps.flat_picture(data, SPEC, shot, plane), "group")
    maps.MAP_LIMIT = usual
    sent = figure.to_json()
    page.set_content(PAGE)
    page.add_script_tag(content=get_plotlyjs())
    times, drawn = [], []
    for _ in range(TIMES):
        drawn.append(page.evaluate(PLOTLY, [sent]))
        times.append(page.evaluate(FRAMES, ["forth", SECONDS]))
        page.wait_for_timeout(300)
    once = f"{statistics.median(drawn):.0f} ms to draw it anew for a round"
    told(f"Plotly, {min(limit, data.n):,} points", times, len(sent), once)


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("Chromium is not installed (Debian: apt install chromium).")
    data = ac.load_dataset("bank")
    lines = Path(sys.argv[1]).read_text().splitlines() if len(sys.argv) > 1 else []
    view = ac.fold(map(ac.Event.from_json, lines)) if lines else ac.run(SPEC)
    plane = fit_plane(data.points, data.feature_names)
    answer = snapshot(data, SPEC, view, view.answer_index)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        size = {"width": 1440, "height": 900}
        on_canvas(browser.new_page(viewport=size), data, view, plane)
        for limit in (maps.MAP_LIMIT, data.n):
            on_plotly(browser.new_page(viewport=size), data, answer, plane, limit)
        browser.close()


if __name__ == "__main__":
    main()
