"""A clustering that a plugin brings, from the list of the Explore page to the verdict."""

from antidote_core.engine import JobState, Runner
from antidote_core.plugins import load_plugins
from tests.core.test_plugins import folder, plugin  # noqa: F401 - fixtures

from .test_pages import open_page, texts


def test_a_clustering_of_a_plugin_runs_from_the_dashboard(plugin, tmp_path, monkeypatch):  # noqa: F811
    home = tmp_path / "home"
    monkeypatch.setenv("ANTIDOTE_HOME", str(home))
    load_plugins()  # as a server does when it starts
    app = open_page(
        "explore", data="blobs", pair="other", method="bisecting", cost="largest",
        optimizer="random", restarts="2", start="4", budget="15", max_rounds="1",
    )  # fmt: skip
    assert not app.exception
    assert not app.warning
    assert app.selectbox(key="method").value == "bisecting"
    next(button for button in app.button if "Run" in button.label).click().run()
    assert not app.exception
    run_id = app.session_state["run"]
    with Runner(home) as runner:
        assert runner.wait(run_id, 180).state is JobState.FINISHED
        view = runner.view(run_id)
    assert (view.spec["clustering"], view.spec["fairness"]) == ("bisecting", "largest")
    again = open_page("explore", run=run_id)
    assert not again.exception
    assert not again.error
    assert "smallest cluster" in texts(again)  # the verdict is drawn
