"""The address of a page, with anything in it: the page as usual and a sentence, never an error."""

import runpy
from pathlib import Path
from urllib.parse import urlencode

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from antidote_core import RunSpec
from antidote_core.teaching import playground as play
from pages._ui import learn_blocks, paper_blocks
from pages._ui.jobs import job_settings, store
from pages._ui.shared.frame import or_show_error
from pages._ui.shared.link import agrees, asked_by_link, tell_ignored
from pages._ui.shared.settings import URL, clustering_settings, data_settings

from .inputs import tries
from .pages import OWNER, opened, server, texts

ROOT = Path(__file__).parents[2]
SPEC = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=1,
    start_size=2, budget=5, max_rounds=1, target=0.8,
)  # fmt: skip
PICTURE, HTML = "![p](//evil.example/p.png)", "<b id=evil>"
HOSTILE = (
    PICTURE, HTML, "[a](javascript:alert(1))", "=1+1", "../../etc/passwd", "\x00", "\ud800", "٣",
    "\u202e12", "nan", "inf", "-inf", "1e999", "-1", "0", "0.5", "1_000", "1e400,1,1", "9" * 5000,
    "true", "None", "", " ", ",", ";", "%00", "a" * 3000, f"1,1,{'9' * 4300}", "value", "other",
    "0.5,0.5,1;" * 9, f"0,0,1;0,0,{'9' * 4300}", "your own table", "playground", "my-table",
)  # fmt: skip


def explore():
    link = asked_by_link()
    run_id = store.shown(store.RUN)
    status = or_show_error(store.status_of, run_id) if run_id else None
    if status is not None and agrees(link, values := job_settings.values_of(status.spec)):
        st.session_state.update(values)
    asked = job_settings.ask_run(job_settings.ask_data(lambda: None), None)
    tell_ignored("explore", link)
    return asked


def frontier():
    link = asked_by_link()
    sweep_id = store.shown(store.SWEEP)
    status = or_show_error(store.status_of, sweep_id) if sweep_id else None
    if status is not None and or_show_error(store.view_of, store.SWEEP, sweep_id) is not None:
        agrees(link, job_settings.values_of(status.spec))
    agrees(link, job_settings.values_of(job_settings.EXAMPLE))
    asked = job_settings.ask_sweep()
    tell_ignored("frontier", link)
    return asked


def data():
    link = asked_by_link()
    wanted = data_settings()
    clustering_settings(wanted.seed)
    tell_ignored("data", link)


def learn():
    link = asked_by_link()
    st.segmented_control(
        "Part", ["story", "playground", "glossary"], key="part", bind=URL, default="story",
        required=True,
    )  # fmt: skip
    learn_blocks._settings()
    learn_blocks._read_link()
    learn_blocks._tell_note()
    learn_blocks._write_link()
    tell_ignored(
        "learn", {key: value for key, value in link.items() if key not in learn_blocks.OWN}
    )


def paper():
    link = asked_by_link()
    paper_blocks.choose_table()
    tell_ignored("paper", link)


def whole(page):
    return lambda: runpy.run_path(str(ROOT / "pages" / f"{page}.py")) and None


PAGES = {
    "explore": explore, "frontier": frontier, "data": data, "learn": learn, "paper": paper,
    "runs": whole("runs"), "present": whole("present"), "compare": whole("compare"),
}  # fmt: skip
DATA = ("data", "protected", "rows", "sample", "seed")
NAMES = {
    "explore": (
        *DATA, "run", "pair", "method", "cost", "k", "start", "step", "target", "alpha",
        "optimizer", "dimension", "full", "budget", "box", "growth", "restarts", "max_size",
        "max_rounds", "max_seconds", "shrink", "spread", "run_seed", "factor", "place",
    ),
    "frontier": (
        *DATA, "sweep", "pairs", "ks", "optimizers", "boxes", "sizes", "seeds", "first_seed",
        "reach", "reach_at", "tries", "starts",
    ),
    "data": (*DATA, "method", "k", "restarts", "show"),
    "learn": ("part", "lesson", "scene", "goal", "points", "copies", "centres", "answer"),
    "paper": ("table",),
    "runs": ("filter", "kind"),
    "present": ("run", "sweep", "slide"),
    "compare": ("runs",),
}  # fmt: skip
STRANGE = ("", "$$ID-x-None", "_owner", "run", "embed", "__proto__")
USUAL = (
    "bank", "blobs", "adult", "lfw", "kmeans", "spectral", "social", "balance", "vanilla", "sota",
    "lowest", "racos", "design", "2", "7", "100", "10, 20", "kmeans + balance", "kmeans + social",
)  # fmt: skip


@pytest.fixture(scope="module")
def run_id(tmp_path_factory):
    """The id of a finished run of this visitor's, in a home of its own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ANTIDOTE_HOME", str(tmp_path_factory.mktemp("home")))
    with server():
        runner = store.runner()
        run_id = runner.submit(SPEC, owner=OWNER)
        assert runner.wait(run_id, 60).state == "finished"
        yield run_id
        store._runners.clear()
        runner.close()
    patch.undo()


@tries(300)
@given(link=some.data())
def test_any_link_opens_the_page(run_id, link):
    values = (
        some.sampled_from(USUAL)
        | some.sampled_from(HOSTILE)
        | some.sampled_from([PICTURE, HTML])
        | some.sampled_from([run_id, f"{run_id},{run_id[::-1]}", run_id[:-1], f"{run_id}/.."])
        | some.text(max_size=12)
        | some.integers().map(str)
        | some.floats().map(str)
    )
    page = link.draw(some.sampled_from(sorted(PAGES)))
    names = some.sampled_from(NAMES[page]) | some.sampled_from(STRANGE) | some.text(max_size=5)
    asked = link.draw(some.lists(some.tuples(names, values), max_size=6))
    query = urlencode(asked, errors="surrogatepass")
    found, sent = opened(PAGES[page], query)
    for kind, text in texts(sent):
        assert kind != "exception", text
        assert "](//evil" not in text
        assert "](javascript" not in text
        assert kind != "html" or HTML not in text
        assert kind != "alert" or text.rstrip(")").endswith((".", ":")), text
    if found is not None and found.spec is not None:
        assert type(found.spec).from_json(found.spec.to_json()) == found.spec
    elif found is not None:
        assert found.problem.endswith(".")


@tries()
@given(text=some.text(alphabet="0123456789.,;-+e_ \u0663nif", max_size=40))
def test_any_points_in_a_link(text):
    frame = play.get_game(next(iter(play.SITUATIONS)), "balance").frame
    try:
        clumps = play.from_link(text, frame)
    except play.SpecError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right
        return
    assert play.from_link(play.to_link(clumps), frame) == clumps
