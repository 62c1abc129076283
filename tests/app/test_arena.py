"""The Arena page without a browser: it says what the records say, and an arena runs there."""

import pytest

from antidote_core.arena import shipped_records, standings
from antidote_core.engine import JobState, Runner
from antidote_core.fairness import get_fairness
from antidote_core.plugins import load_plugins
from antidote_core.reporting.text.arena_words import headline
from tests.app.test_pages import open_page, texts
from tests.core.test_plugins import folder, plugin  # noqa: F401 - fixtures


def test_shipped_results_stand_there_by_every_notion() -> None:
    records = shipped_records()
    for notion, scored in (("balance", "own assignment"), ("social", "nearest centre")):
        cost = get_fairness(notion)
        app = open_page("arena", notion=cost.title, scored=scored)
        assert not app.exception
        assert not app.error
        assert not app.warning
        rows = standings(records, notion, "own" if scored == "own assignment" else "nearest")
        assert headline(rows, cost) in texts(app)
        frame = app.dataframe[0].value
        assert len(frame) == len({row.method for row in rows})
        assert len(app.get("plotly_chart")) == 1
        assert len(app.get("download_button")) == 3


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"notion": "fame"}, "asks for notion = fame"),
        ({"arena": "nobody"}, "not the id of a run"),
    ],
)
def test_a_wrong_link_gets_a_sentence(link: dict[str, str], words: str) -> None:
    app = open_page("arena", **link)
    assert not app.exception
    assert words in texts(app)


def test_an_arena_is_asked_for_on_the_page_and_a_cost_of_a_plugin_is_in_it(
    plugin,  # noqa: F811
    tmp_path,
    monkeypatch,
) -> None:
    """Measured and chosen like the others, without a further line."""
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANTIDOTE_PROCESSES", "1")
    load_plugins()  # as a server does when it starts
    app = open_page("arena")
    app.selectbox(key="arena-data").set_value("blobs")
    app.multiselect(key="arena-methods").set_value(["Plain k-means", "Fair-Lloyd"])
    app.button(key="arena-run").click()
    app.run()
    assert not app.exception
    job = app.session_state["arena"]
    with Runner(tmp_path / "home") as runner:
        assert runner.wait(job, 180).state is JobState.FINISHED
    again = open_page("arena", arena=job, notion=get_fairness("largest").title)
    assert not again.exception
    assert not again.error
    assert not again.warning
    assert f"By {get_fairness('largest').title.lower()}, antidote data" in texts(again)
    assert again.dataframe[0].value["method"].tolist() == ["Plain k-means", "Fair-Lloyd"]
