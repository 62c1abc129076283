"""No slide, line, table or report is more positive than the verdict."""

import dataclasses
import re

import pytest

from antidote_core import RunSpec, run
from antidote_core.datasets import load_for
from antidote_core.engine import JobState
from antidote_core.engine.job_folder import JobStatus
from antidote_core.reporting.documents.report import RunRecord, figures, run_report
from antidote_core.reporting.documents.report import result as result_of
from antidote_core.reporting.documents.slides import HOW_SURE, run_slides
from antidote_core.reporting.figures.comparisons import Side, fairest_sentence, results_table
from antidote_core.reporting.text.glossary import GLOSSARY
from antidote_core.reporting.text.run_words import (
    caution,
    guard_sentence,
    limits,
    list_table,
    reasons,
    run_rows,
    settings,
)
from antidote_core.runs.verdict import Outcome

FREE = RunSpec(
    dataset="bank", sample=5000, target=-0.8, start_size=8, max_rounds=1, min_share=0,
    max_price=None, place="minmax",
)  # fmt: skip
GUARDED = dataclasses.replace(
    FREE, min_share=0.2, max_price=0.1, target=-0.33, start_size=200, budget=200
)
ALL_IS_WELL = ("confirmed", "and the checks agree", "a fairer clustering, not a fair decision")


@pytest.fixture(scope="module")
def data():
    return load_for(FREE)


@pytest.fixture(scope="module")
def hollow(data):
    found = RunRecord(data, FREE, run(FREE, data))
    assert found.view.verdict.outcome is Outcome.HOLLOW
    return found


@pytest.fixture(scope="module")
def sound(data):
    found = RunRecord(data, GUARDED, run(GUARDED, data))
    assert found.view.verdict.outcome is Outcome.CONFIRMED
    return found


def plain(text):
    return " ".join(text.split()).casefold()


def slide_text(slide):
    numbers = [text for one in slide.numbers for text in (one.value, one.label, one.beside)]
    return plain(" ".join((slide.caution, slide.title, slide.note, *slide.points, *numbers)))


def status(record, **changes):
    summary = {**record.view.summary(), **changes}
    return JobStatus("a" * 22, JobState.FINISHED, record.spec, False, 1.0, summary=summary)


def test_every_slide_of_a_hollow_win_says_so_and_why(hollow):
    slides = run_slides(hollow)
    assert len(slides) == 7
    for slide in slides:
        assert slide.caution.startswith("Hollow. The win is hollow: one cluster holds only 47")
        assert not [words for words in ALL_IS_WELL if words in slide_text(slide)]
    assert slides[4].title.startswith("Hollow: adding 8 points")
    assert "price of fairness" in slide_text(slides[4])
    assert "0.94 % smallest cluster of the data; 38 % before" in slide_text(slides[4])
    assert slides[3].title.startswith("Now (hollow): ")
    assert "47, 4,953" in slides[3].note
    assert slides[5].title == HOW_SURE[Outcome.HOLLOW]
    assert slides[-1].points[0].startswith("The win is hollow")
    assert "no ground for a decision" in slides[-1].title


def test_a_confirmed_gain_carries_no_caution(sound):
    slides = run_slides(sound)
    assert {slide.caution for slide in slides} == {""}
    assert HOW_SURE[Outcome.CONFIRMED] in [slide.title for slide in slides]
    assert slides[-1].points[0].startswith("Shown for a sample of 5,000 rows and 2 clusters")
    assert guard_sentence(GUARDED) == ""


@pytest.mark.parametrize(
    ("change", "outcome", "why"),
    [
        ({"verification": None}, Outcome.NOT_CONFIRMED, "Not checked"),
        ({"noise": (-5.0,)}, Outcome.WITHIN_THE_NOISE, "may be chance"),
        ({"state": JobState.STOPPED, "reason": "stopped by you"}, Outcome.STOPPED, "by you"),
    ],
)
def test_every_other_outcome_is_named_with_its_reason(sound, change, outcome, why):
    view = dataclasses.replace(sound.view, **change)
    assert view.verdict.outcome is outcome
    for slide in run_slides(dataclasses.replace(sound, view=view)):
        assert slide.caution.startswith(outcome.word)
        assert why in slide.caution
        assert slide.title != HOW_SURE[Outcome.CONFIRMED]
        assert "a fairer clustering" not in slide.title
    if outcome is not Outcome.STOPPED:
        assert why in " ".join(reasons(view))
        assert why in " ".join(limits(sound.data, GUARDED, view))


def test_checks_that_disagree_are_the_reason(sound):
    checked = dataclasses.replace(sound.view.verification, share=0.5)
    view = dataclasses.replace(sound.view, verification=checked)
    assert caution(view) == "Not confirmed. 2 of 4 independent clusterings agree."


def test_a_target_out_of_reach_is_named(data):
    spec = dataclasses.replace(GUARDED, target=-0.9999, budget=20)
    record = RunRecord(data, spec, run(spec, data))
    assert {slide.caution for slide in run_slides(record)} == {record.view.verdict.headline}
    assert caution(record.view).startswith("Not reached: no antidote points tried led")


def test_the_line_of_a_hollow_win(hollow):
    [line] = list_table(run_rows([status(hollow)])).to_dict("records")
    assert line["outcome"] == "Hollow"
    assert plain(line["plain → with V"]) == "31 % → 92 % of its fair share"
    assert plain(line["smallest cluster"]) == "0.94 %"
    assert line["price"].startswith("+4.1")
    assert "confirmed" not in plain(" ".join(map(str, line.values())))
    assert "reached" not in plain(" ".join(map(str, line.values())))
    assert run_rows([status(hollow)])[0].matches("hollow finished")


def test_a_summary_without_an_outcome_says_finished_and_no_more(hollow):
    summary = hollow.view.summary()
    for name in ("outcome", "price", "smallest_share"):
        del summary[name]
    old = dataclasses.replace(status(hollow), summary=summary)
    [line] = list_table(run_rows([old])).to_dict("records")
    assert (line["outcome"], line["price"], line["smallest cluster"]) == ("Finished", "–", "–")
    failed = dataclasses.replace(status(hollow), state=JobState.FAILED)
    assert run_rows([failed])[0].outcome == "Failed"


def test_side_by_side_a_hollow_win_is_not_the_fairer_run(hollow, sound):
    sides = [Side("free", FREE, hollow.view), Side("kept", GUARDED, sound.view)]
    table = results_table(sides).set_index("")
    assert table.loc["outcome"].tolist() == ["Hollow", "Confirmed"]
    assert plain(table.loc["smallest cluster"].iloc[0]) == "0.94 % of the data (38 % before)"
    assert table.loc["price of fairness"].iloc[0].startswith("inertia +4.1")
    said = plain(fairest_sentence(sides))
    assert "the lowest cost is that of a: free (92 % of its fair share; hollow)" in said
    assert re.search(r"does not count; the fairest that stands is b: kept \(.*; confirmed\)", said)
    assert "no result here is confirmed" in fairest_sentence([sides[0], sides[0]])
    assert plain(fairest_sentence([sides[1], sides[1]])).endswith("confirmed).")
    other = Side("other", dataclasses.replace(FREE, sample=400), hollow.view)
    assert fairest_sentence([sides[0], other]) == ""


def test_the_report_on_a_hollow_win(hollow):
    page = run_report(hollow)
    text = plain(re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]+>", " ", page, flags=re.S))
    assert not [words for words in ALL_IS_WELL if words in text]
    facts = {name: plain(value) for name, value in figures(hollow)}
    assert facts["outcome"] == "hollow"
    assert facts["smallest cluster, before → after"] == "38 % → 0.94 % of the data"
    assert facts["price of fairness"] == "inertia +4.1 %"
    assert facts["part of the way to perfect"] == "89 %"
    assert facts["guard: smallest cluster"] == "no limit, as in the paper"
    assert facts["where points may lie"].startswith("minmax")
    assert "class='lead bad'" in page
    section = text.split("what was not shown")[-1]
    assert "the win is hollow: one cluster holds only 47" in section
    assert "without the guard, as in the paper" in section
    written = result_of(hollow)
    assert (written["outcome"], written["smallest_share"]) == ("hollow", 47 / 5000)


def test_one_half_of_the_guard_off_is_said():
    spec = dataclasses.replace(GUARDED, min_share=0)
    assert guard_sentence(spec).startswith("With one half of the guard off")
    assert "fit the data worse" not in guard_sentence(spec)
    assert settings(spec)["guard: smallest cluster"] == "no limit, as in the paper"
    assert plain(settings(spec)["guard: highest price"]) == "10 % more inertia"


def test_the_glossary_knows_the_words_of_the_verdict():
    for word in ("fair share", "price of fairness", "guard", "hollow", "four fifths", "copies"):
        assert GLOSSARY[word].sentence
    assert "our analogue of the four-fifths rule" in GLOSSARY["four fifths"].sentence
