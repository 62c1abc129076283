"""Explore and designed runs, without a browser: the preset, the contests, the sentences."""

import pytest

from antidote_core.engine import JobState, Runner
from antidote_core.reporting.text.design_words import cut_sentence, cut_table, share_sentence
from antidote_core.runs.spec import RunSpec

from .test_pages import open_page, texts

SPEC = RunSpec(
    dataset="two-optima", optimizer="design", growth="bisect", start_size=4, target=-0.9,
    max_size=40, place="minmax",
)  # fmt: skip


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """A home folder of its own for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("ANTIDOTE_HOME", str(home))
        with Runner(home) as runner:
            yield runner


@pytest.fixture(scope="module")
def designed(runner):
    run_id = runner.submit(SPEC)
    assert runner.wait(run_id, 180).state is JobState.FINISHED
    return run_id


def test_contests_and_sentences_stand_on_the_page(runner, designed) -> None:
    app = open_page("explore", run=designed, details="How sure, and how it works")
    view = runner.view(designed)
    assert not app.exception
    assert not app.error
    said = texts(app).replace("\\", "")
    assert view.cuts
    assert f"Contests of the design: {len(view.cuts):,}" in said
    assert cut_sentence(view.cuts[-1]) in said
    assert share_sentence(view) in said
    assert app.selectbox(key="optimizer").value == "design"


def test_the_table_of_contests_has_every_cut(runner, designed) -> None:
    view = runner.view(designed)
    table = cut_table(view)
    assert len(table) == len(view.cuts)
    latest = view.cuts[-1]["design"]
    assert table["points"][0] == latest["used"]
    assert table["aimed at"][0] == latest["start"]
    ahead = [cut["design"]["rival"] for cut in view.cuts if cut["design"].get("rival")]
    assert sum("ahead by" in text for text in table["competitor"]) == len(ahead)
    contested = sum("chance" in cut["design"] for cut in view.cuts)
    assert sum("not looked for" in text for text in table["competitor"]) == len(table) - contested


@pytest.mark.parametrize(
    ("pair", "optimizer", "growth"),
    [
        ("kmeans + balance", "design", "bisect"),
        ("kmeans + social", "design", "bisect"),
        ("spectral + balance", "structured", "extend"),
    ],
)
def test_our_best_designs_where_that_can_be_done(runner, pair, optimizer, growth) -> None:
    app = open_page("explore", data="two-optima", pair=pair)
    button = next(button for button in app.button if button.label == "Our best")
    button.click().run()
    assert not app.exception
    assert app.selectbox(key="optimizer").value == optimizer
    assert app.selectbox(key="growth").value == growth
    assert app.number_input(key="restarts").value == 10
