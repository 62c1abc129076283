"""A table of one's own on the Data page and beyond, run without a browser; and who may see it."""

import dataclasses

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import antidote_core as ac
from antidote_core.datasets import uploads
from antidote_core.engine import Runner
from antidote_core.engine.process.isolated_read import Full
from antidote_core.reporting.documents.data_files import FORMULA_STARTS
from antidote_core.reporting.documents.report import antidote_csv, union_csv
from antidote_core.reporting.figures.tables import antidote_table
from pages._ui import upload_blocks
from pages._ui.shared import own_tables

from .test_pages import ROOT, open_page, texts

SAMPLES = {sample.name: sample.content for sample in uploads.sample_files()}


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIDOTE_HOME", str(tmp_path))


def said(app: AppTest) -> str:
    return texts(app).replace("\\", "")


def bring(name: str, content: bytes, app: AppTest | None = None) -> AppTest:
    app = app or open_page("data", show="your own table")
    app.file_uploader(key="upload").set_value((name, content, "text/csv")).run()
    assert not app.exception
    return app


def widget(kind, label: str):
    return next(element for element in kind if element.label.startswith(label))


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception
    return app


def can_be_used(app: AppTest) -> bool:
    return any(button.key == "use-new" for button in app.button)


def test_before_an_upload_the_page_states_its_limits_and_offers_samples() -> None:
    app = open_page("data", show="your own table")
    assert not app.exception
    assert not app.error
    assert "at most 50 MB" in app.file_uploader(key="upload").label
    assert "never shown to anyone else" in said(app)
    names = [button.label for button in app.get("download_button")]
    assert names == list(SAMPLES)


def test_a_file_with_semicolons_decimal_commas_and_gaps() -> None:
    app = bring("messwerte.csv", SAMPLES["messwerte.csv"])
    assert not app.error
    guessed = next(e.label for e in app.expander if e.label.startswith("Guessed"))
    assert "semicolon, decimal comma, thousands point" in guessed
    assert widget(app.selectbox, "Protected").value == "Geschlecht"
    assert widget(app.multiselect, "Features").value == ["Alter", "Größe (m)", "Einkommen"]
    assert "30 of 320 rows left out" in said(app)
    widget(app.radio, "Rows with a gap").set_value("impute").run()
    assert "2 of 320 rows left out, 29 cells filled in" in said(app)
    widget(app.multiselect, "Features").select("Wohnung").run()
    assert "318 rows** by **6 features" in said(app)
    widget(app.radio, "Categories (Wohnung)").set_value("share").run()
    assert "318 rows** by **4 features" in said(app)
    widget(app.multiselect, "And others").select("Wohnung").run()
    assert "wanted it in one place" not in said(app)
    assert "4 groups" in said(app)


def test_a_column_of_weights_is_no_feature_and_counts_the_rows() -> None:
    lines = [f"{20 + i % 9},{i % 4},{'fm'[i % 2]},{1 + i % 3}" for i in range(60)]
    app = bring("survey.csv", "\n".join(["age,visits,sex,stands for", *lines]).encode())
    assert widget(app.selectbox, "Weights").value == upload_blocks.NONE
    assert "stands for" in widget(app.multiselect, "Features").value
    widget(app.selectbox, "Weights").select("stands for").run()
    assert not app.exception
    assert not app.error
    assert widget(app.multiselect, "Features").value == ["age", "visits"]
    assert "Every row counts by its weight in 'stands for': 120 in all" in said(app)
    assert can_be_used(app)


def test_guesses_can_be_changed() -> None:
    app = bring("messwerte.csv", SAMPLES["messwerte.csv"])
    widget(app.selectbox, "Decimal sign").select(".").run()
    assert not app.exception
    assert "both the decimal and the thousands sign" in app.error[0].value.replace("\\", "")
    assert not can_be_used(app)
    widget(app.selectbox, "Thousands sign").select("").run()
    assert not app.error
    assert "Größe (m)" not in widget(app.multiselect, "Features").value
    widget(app.selectbox, "Separator").select("|").run()
    assert "one column only" in said(app)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty.csv is empty (0 bytes)"),
        ("photo.csv", b"\x89PNG\r\n\x1a\n" + bytes(999), "it begins like a PNG picture"),
        ("notes.csv", b"only one column\n1\n", "one column only"),
        ("two.csv", b"age,sex\n30,f\n40,m\n", "groups of fewer than 2 rows: f (1), m (1)"),
        ("one.csv", b"age,sex\n" + b"30,f\n31,f\n" * 9, "'sex' has one group only (f, 18 rows)"),
        ("big.csv", b"x,g\n" + b"1,a\n" * 15_728_640, "big.csv has 60 MB; wanted at most 50 MB"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_gets_one_sentence(name: str, content: bytes, sentence: str) -> None:
    app = bring(name, content)
    if name == "one.csv":
        widget(app.selectbox, "Protected").select("sex").run()
    assert len(app.error) == 1
    assert sentence in app.error[0].value.replace("\\", "")
    assert not can_be_used(app)


def test_a_refused_file_is_read_once_and_a_full_server_is_asked_again(monkeypatch) -> None:
    reads = []

    def refuse(error: ac.DataError):
        def read(*_):
            reads.append(str(error))
            raise error

        monkeypatch.setattr(upload_blocks, "read_isolated", read)

    refuse(ac.DataError("slow.csv could not be read within 120 seconds; take a sample."))
    app = bring("slow.csv", b"age,sex\n30,f\n40,m\n")
    app.run()
    assert "could not be read within 120 seconds" in said(app)
    assert len(reads) == 1
    refuse(Full("The server holds as many tables of its visitors as it can; try again later."))
    app = bring("new.csv", b"age,sex\n30,f\n41,m\n")
    app.run()
    assert "try again later" in said(app)
    assert len(reads) == 3


def test_thirty_groups_are_warned_of_and_joined_by_a_button() -> None:
    app = bring("towns.csv", SAMPLES["towns.csv"])
    widget(app.selectbox, "Protected").select("town").run()
    assert "'town' gives 30 groups; at most 20 can be compared" in said(app)
    assert not can_be_used(app)
    press(app, "Join groups of fewer than")
    assert not app.error
    assert can_be_used(app)
    assert "7 groups" in said(app)


def test_a_text_column_as_feature_is_warned_of_and_refused() -> None:
    frame = pd.DataFrame(
        {"age": range(80), "note": [f"*person* {i}" for i in range(80)], "sex": ["f", "m"] * 40}
    ).assign(age=lambda d: d["age"] % 37)
    app = bring("people.csv", frame.to_csv(index=False).encode())
    assert widget(app.multiselect, "Features").value == ["age"]
    widget(app.multiselect, "Features").select("note").run()
    assert "note: texts. Leave it out" in said(app)
    assert "'note' has 80 different texts" in app.error[0].value.replace("\\", "")
    assert not can_be_used(app)


def test_numbers_as_protected_attribute_are_cut_into_ranges() -> None:
    app = bring("applicants.csv", SAMPLES["applicants.csv"])
    widget(app.selectbox, "Protected").select("age").run()
    assert not app.error
    assert "3 groups" in said(app)


def used(name: str = "applicants.csv") -> AppTest:
    app = bring(name, SAMPLES[name])
    next(button for button in app.button if button.key == "use-new").click().run()
    assert not app.exception
    assert app.selectbox(key="data").value == "my-applicants"
    app.query_params.pop("show", None)  # as in a browser, where the link is empty now
    return app.switch_page("pages/explore.py").run()


def reopened(owner: str, page: str, **link: str) -> AppTest:
    """The page in a new session of the same browser, as after a reload."""
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
    app.session_state["_owner"] = owner
    app.switch_page(f"pages/{page}.py")
    for key, value in link.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def test_a_used_table_stands_among_the_data_sets_of_every_page() -> None:
    app = used()
    assert app.selectbox(key="data").value == "my-applicants"
    assert app.title[0].value == "applicants: before anything is added"
    assert "Only this browser sees it" in said(app)
    owner = app.session_state["_owner"]
    for page in ("explore", "convex", "data"):
        again = reopened(owner, page, data="my-applicants")
        assert not again.error
        assert again.selectbox(key="data").value == "my-applicants"
    assert again.title[0].value == "applicants"
    assert "your own table applicants.csv, 300 of 300 rows" in said(again)
    part = reopened(owner, "data", data="my-applicants", sample="100")
    assert "100 points" in said(part)


def test_nobody_else_sees_it() -> None:
    used()
    other = open_page("data", data="my-applicants")
    assert "my-applicants" not in other.selectbox(key="data").options
    assert "data = my-applicants" in other.warning[0].value.replace("\\", "")


def test_runs_on_it_are_private_and_go_with_it(tmp_path) -> None:
    app = used()
    press(app, "▶ Run")
    run_id = app.session_state["run"]
    assert (tmp_path / "runs" / run_id / "data.npz").exists()
    stranger = open_page("explore", run=run_id)
    assert not stranger.exception
    assert "opens only in the browser that started it" in stranger.error[0].value.replace("\\", "")
    app.switch_page("pages/data.py").run()
    app.segmented_control(key="show").set_value("your own table").run()
    press(app, "Forget this data now")
    assert app.success[0].value.replace("\\", "") == "Forgotten: my-applicants and 1 run on it."
    assert not (tmp_path / "runs" / run_id).exists()
    assert list((tmp_path / "runs").iterdir()) == []
    app.segmented_control(key="show").set_value("data sets").run()
    assert not app.exception
    assert "my-applicants" not in app.selectbox(key="data").options


def test_two_columns_of_it_can_be_played_with() -> None:
    app = used()
    app.switch_page("pages/learn.py").run()
    app.segmented_control(key="part").set_value("playground").run()
    app.segmented_control(key="scene").set_value("my-applicants").run()
    assert not app.exception
    across, up = (app.selectbox(key=key).value for key in ("across", "up"))
    assert f"{across} across, {up} up" in said(app)
    widget(app.number_input, "x").set_value(1.0)
    press(app, "Place")
    assert "9 of 10 points left" in said(app)
    other = next(name for name in app.selectbox(key="across").options if name not in (across, up))
    app.selectbox(key="across").set_value(other).run()
    assert not app.exception
    assert f"{other} across, {up} up" in said(app)
    assert "10 of 10 points left" in said(app)
    app.switch_page("pages/data.py").run()
    app.segmented_control(key="show").set_value("your own table").run()
    press(app, "Forget this data now")
    app.switch_page("pages/learn.py").run()
    app.segmented_control(key="part").set_value("playground").run()
    assert not app.exception
    assert "my-applicants" not in app.segmented_control(key="scene").options


@pytest.mark.parametrize(
    ("title", "name"),
    [("People 2024", "my-people-2024"), ("../x/¿", "my-x"), ("bank", "my-bank"), ("", "my-table")],
)
def test_names_fit_a_url_and_are_never_those_of_a_bundled_set(title: str, name: str) -> None:
    assert own_tables.choosable_name(title) == name
    assert own_tables.is_own(name)


def table(name: str) -> ac.Dataset:
    return dataclasses.replace(ac.load_dataset("blobs"), name=name)


# ---------------------------------------------------------------- exported tables


def test_formulas_in_an_uploaded_table_are_harmless_in_every_exported_one() -> None:
    frame = pd.DataFrame(
        {
            "=HYPERLINK(1)": [1.0, 2.0, 3.0, 4.0] * 5,
            "copies": ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-2"] * 5,
            "antidote": [5.0, 6.0, 8.0, -9.0] * 5,
            "who": ["=1+1", "b"] * 10,
        }
    )
    whole = uploads.Table("a.csv", frame)
    features = ("=HYPERLINK(1)", "copies", "antidote")
    data = uploads.encode(whole, uploads.Choice(features, ("who",)), "my-a", "a").data
    for exported in (antidote_csv(data, data.points[:3]), union_csv(data, data.points[:3])):
        cells = pd.read_csv(pd.io.common.StringIO(exported), dtype=str, keep_default_na=False)
        for cell in [*cells.columns, *cells.to_numpy().ravel()]:
            harmful = cell.startswith(FORMULA_STARTS)
            assert not harmful or pd.notna(pd.to_numeric(cell, errors="coerce"))
    assert "'=1+1" in union_csv(data, data.points[:3])
    assert "antidote (table),who,antidote" in union_csv(data, data.points[:3])
    assert antidote_table(data, data.points[:3]).columns[:3].tolist() == [
        "copies", "=HYPERLINK(1)", "copies (table)",
    ]  # fmt: skip


def test_a_private_run_of_a_library_user_is_left_alone(tmp_path) -> None:
    with Runner(tmp_path, slots=1) as runner:
        run_id = runner.submit(ac.RunSpec(dataset="mine"), table("mine"), "ann")
        assert runner.store.expired(-1.0) == []
        assert runner.forget("ann") == 0
        runner.stop(run_id, "ann")
