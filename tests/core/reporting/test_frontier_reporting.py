"""The words, tables and pictures of a frontier, from sweeps made of events."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from antidote_core.algorithms.algorithm2.verification import noise
from antidote_core.analysis.frontier_curves import curves
from antidote_core.analysis.progress import (
    Pace,
    SweepEstimate,
    estimate_sweep,
    expected_seconds,
)
from antidote_core.datasets import load_dataset
from antidote_core.problem import Problem
from antidote_core.reporting.documents.frontier_report import (
    FrontierRecord,
    frontier_bundle,
    frontier_report,
    frontier_slides,
    python_lines,
)
from antidote_core.reporting.figures.frontier_charts import (
    CELL,
    cost_chart,
    cost_figure,
    quality_chart,
    quality_figure,
)
from antidote_core.reporting.figures.frontier_table import (
    LINE,
    ON_A_PHONE,
    cell_table,
    cost_table,
    level_table,
    off_quality_chart,
    plot_height,
    quality_table,
)
from antidote_core.reporting.figures.guard_charts import guard_chart, guard_table, guard_words
from antidote_core.reporting.figures.tables import PRICE, SILHOUETTE, SMALLEST
from antidote_core.reporting.text.frontier_words import (
    before_sentence,
    chart_words,
    failures_sentence,
    failures_table,
    frontier_verdict,
    sure_sentences,
    sureness_table,
)
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from tests.core.runs.made_sweeps import PLAIN, POINTS, SPEC, events, falling, made, price, run_id

PROBLEM = ("kmeans", "balance", 2)
TWO = replace(SPEC, optimizers=("structured", "racos"), target=-0.4)


def two(**changes: object) -> SweepView:
    """Structured reaches −0.4 with 100 points, RACOS never."""

    def cost(cell):
        return (
            falling(cell) if cell.setting.optimizer == "structured" else PLAIN - 0.001 * cell.seed
        )

    return made(TWO, cost, target=-0.4, strict=False, **changes)


def plain_text(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_every_cell_is_one_dot_and_no_dot_covers_another() -> None:
    view = two()
    for log in (True, False):
        table = cost_table(view, PROBLEM, log)
        dots = table[table["kind"] == "cell"]
        assert sorted(dots["run"]) == sorted(run_id(cell.index) for cell in TWO.cells)
        assert dots["x"].is_unique
        for size, group in dots.groupby("size"):
            others = [other for other in TWO.sizes if other != size]
            for x in group["x"]:  # nearer to its own size than to any other
                distance = np.log if log else np.asarray
                assert all(
                    abs(distance(x) - distance(size)) < abs(distance(x) - distance(other))
                    for other in others
                )
        frame = table[table["kind"] == "frame"]
        assert frame["x"].min() < dots["x"].min()
        assert dots["x"].max() < frame["x"].max()


def test_medians_and_bands_are_those_of_the_costs() -> None:
    table = cost_table(made(), PROBLEM)
    levels = table[table["kind"] == "level"].set_index("size")
    for size in SPEC.sizes:
        costs = [falling(cell) for cell in SPEC.cells if cell.size == size]
        assert levels.loc[size, "cost"] == pytest.approx(np.median(costs))
        assert levels.loc[size, "low"] == pytest.approx(min(costs))  # five seeds: the whole range
        assert levels.loc[size, "high"] == pytest.approx(max(costs))


def test_lines_are_labelled_inside_the_plot_and_apart() -> None:
    view = two()
    table = cost_table(view, PROBLEM)
    labels = table[table["kind"].isin(["vanilla", "fair", "target", "smallest", "none"])]
    assert {"plain −0.300", "target α −0.400"} <= set(labels["label"])
    assert "Bera et al., own assignment −0.800" in set(labels["label"])
    assert all(len(label) <= ON_A_PHONE for label in labels["label"])
    frame = table.loc[table["kind"] == "frame", "cost"]
    places = np.sort(labels["at"].to_numpy())
    assert frame.min() < places.min()
    assert places.max() < frame.max()
    pixels = plot_height(view, PROBLEM) / (frame.max() - frame.min())
    assert np.diff(places).min() * pixels > 0.8 * LINE


def test_a_fair_algorithm_far_away_does_not_flatten_the_curve() -> None:
    view = made()
    far = replace(view.references[0].sota, own=50.0)
    view = replace(view, references=(replace(view.references[0], sota=far),))
    table = cost_table(view, PROBLEM)
    [away] = table.loc[table["kind"] == "away", "label"]
    assert away.endswith("↑ off this chart")
    assert table.loc[table["kind"] == "frame", "cost"].max() < 1.0
    assert off_quality_chart(view, PROBLEM).startswith("Off this chart: Bera et al., own")


def test_the_smallest_size_is_marked_with_its_interval() -> None:
    table = cost_table(two(), PROBLEM)
    [row] = table[table["kind"] == "smallest"].to_dict("records")
    assert (row["x"], row["x2"]) == (50, 100)
    assert row["label"] == "● Structured: 100 points, 5/5"
    [none] = table.loc[table["kind"] == "none", "label"]
    assert none == "◆ RACOS (the paper): not reached"
    [alone] = cost_table(made(), PROBLEM).query("kind == 'smallest'")["label"]
    assert alone == "10 points reach it, 3 of 5 seeds"


def test_failed_cells_are_shown_and_do_not_move_the_others() -> None:
    whole, view = made(), made(failed={2, 7})
    table = cost_table(view, PROBLEM)
    failed = table[table["kind"] == "failed"]
    assert len(failed) == 2
    assert set(failed["shown"]) == {"failed: memory ran out"}
    assert len(table[table["kind"] == "cell"]) == len(SPEC.cells) - 2
    kept = cell_table(view)["cost"].dropna()
    assert set(kept) < set(cell_table(whole)["cost"])
    assert failures_sentence(view) == (
        "2 cells of 20 failed (memory ran out); the curves come from the others."
    )
    assert len(failures_table(view)) == 2
    assert failures_sentence(whole) == ""


def test_before_the_first_cell_the_chart_has_its_lines() -> None:
    view = made(settled=0, end="")
    table = cost_table(view, PROBLEM)
    assert set(table["kind"]) == {"band", "fair", "vanilla", "frame"}
    assert plain_text(before_sentence(view, PROBLEM)).startswith(
        "Plain clustering is at 30 % of its fair share (cost −0.300, from −0.310 to "
        "−0.290 over 4 seeds; lower is fairer)."
    )
    empty = SweepView.fold(list(events(settled=0, end=""))[:2])
    assert set(cost_table(empty, PROBLEM)["kind"]) == {"frame"}
    assert chart_words(empty, PROBLEM).endswith("nothing is known yet.")


def test_charts_keep_their_specification_while_cells_come() -> None:
    early, late = made(settled=3, end=""), made(failed={5})
    for log in (True, False):
        assert cost_chart(early, PROBLEM, log) == cost_chart(late, PROBLEM, log)
        for measure in (PRICE, SMALLEST):
            assert guard_chart(early, PROBLEM, measure, log) == guard_chart(
                late, PROBLEM, measure, log
            )
    for measure in (PRICE, SMALLEST, SILHOUETTE):
        found = (quality_chart(view, PROBLEM, measure=measure) for view in (early, late))
        assert next(found) == next(found)


def test_price_against_cost_has_every_cell_plain_and_the_fair_algorithm() -> None:
    table = quality_table(made(), PROBLEM, PRICE)
    cells = table[table["kind"] == "cell"].set_index("run")
    assert {run_id(cell.index): price(cell) for cell in SPEC.cells} == dict(cells["quality"])
    assert table.loc[table["kind"] == "vanilla", "quality"].tolist() == [0.0]
    assert table.loc[table["kind"] == "fair", "quality"].tolist() == [0.19, 0.0]
    assert plain_text(cells.loc[run_id(0), "label"]) == "price of fairness +0.5 %"
    assert plain_text(quality_figure(made(), PROBLEM, measure=PRICE).layout.yaxis.title.text) == (
        "price of fairness, lower is better"
    )


def test_against_size_the_guard_is_a_line_and_every_cell_a_dot() -> None:
    view = made(replace(SPEC, min_share=0.25))
    for measure, limit, label in (
        (PRICE, 0.1, "guard: at most 10 %"),
        (SMALLEST, 0.25, "guard: at least 25 %"),
    ):
        table = guard_table(view, PROBLEM, measure)
        assert table["kind"].value_counts()["cell"] == len(SPEC.cells)
        [target] = table[table["kind"] == "target"].to_dict("records")
        assert (target["value"], plain_text(target["label"])) == (limit, label)
        levels = table[table["kind"] == "level"].set_index("size")
        for size in SPEC.sizes:
            mine = [getattr(row, measure.column) for row in view.rows if row.size == size]
            assert levels.loc[size, "value"] == pytest.approx(np.median(mine))
            assert levels.loc[size, "low"] == pytest.approx(min(mine))
        frame = table.loc[table["kind"] == "frame", "value"]
        values = table["value"].dropna()
        assert (frame.min(), frame.max()) == (values.min(), values.max())
        assert "with 100 points" in guard_words(view, PROBLEM, measure)


def test_without_price_tables_say_nothing_and_words_leave_it_out() -> None:
    view = made(priced=False)
    assert cell_table(view)["price of fairness (%)"].isna().all()
    assert level_table(view)["smallest cluster (%)"].isna().all()
    assert "Price" not in frontier_verdict(view).headline
    assert "Price of fairness against cost" not in frontier_report(record(view))
    assert len(frontier_slides(record(view))) == 1 + 3 + 1
    assert set(guard_table(view, PROBLEM, PRICE)["kind"]) >= {"vanilla", "fair", "frame"}


def test_tables_say_what_every_size_costs() -> None:
    levels = level_table(made())
    assert levels["price of fairness (%)"].tolist() == pytest.approx([0.7, 1.2, 2.7, 5.2])
    assert levels["smallest cluster (%)"].tolist() == pytest.approx([38, 36, 30, 20])
    assert "price of fairness (%)" in sureness_table(made())
    assert "Price of fairness against cost" in frontier_report(record(made()))


@pytest.mark.parametrize("chart", [cost_chart, quality_chart])
def test_dots_are_drawn_last_and_can_be_clicked(chart) -> None:
    layers = chart(made(), PROBLEM)["layer"]
    clickable = [layer for layer in layers if "params" in layer]
    assert clickable == [layers[-1]]
    [param] = layers[-1]["params"]
    assert param["name"] == CELL
    assert param["select"]["fields"] == ["run"]


def test_charts_are_vega_lite(tmp_path) -> None:
    """Altair knows the schema."""
    altair = pytest.importorskip("altair")
    view = two(failed={3})
    for spec, table in (
        (cost_chart(view, PROBLEM), cost_table(view, PROBLEM)),
        (cost_chart(view, PROBLEM, log=False, dark=True), cost_table(view, PROBLEM, False)),
        (quality_chart(view, PROBLEM), quality_table(view, PROBLEM)),
        (quality_chart(view, PROBLEM, measure=PRICE), quality_table(view, PROBLEM, PRICE)),
        (guard_chart(view, PROBLEM, PRICE), guard_table(view, PROBLEM, PRICE)),
        (guard_chart(view, PROBLEM, SMALLEST, False), guard_table(view, PROBLEM, SMALLEST, False)),
    ):
        values = json.loads(table.to_json(orient="records"))
        altair.LayerChart.from_dict({**spec, "data": {"values": values}})


def test_quality_has_every_cell_and_what_it_is_held_against() -> None:
    view = two()
    table = quality_table(view, PROBLEM)
    counts = table["kind"].value_counts()
    assert counts["cell"] == len(TWO.cells)
    assert counts["vanilla"] == 1
    assert counts["fair"] == 2
    assert off_quality_chart(view, PROBLEM) == ""
    cells = table[table["kind"] == "cell"]
    assert (cells["quality"] == 0.4 - 0.001 * cells["size"]).all()


def labels_of(view: SweepView) -> list[str]:
    table = quality_table(view, PROBLEM)
    return [label for label in table.loc[table["kind"] == "median", "label"] if label]


def test_sizes_too_close_for_two_labels_share_one() -> None:
    close = replace(SPEC, sizes=(8, 9, 10, 11, 100))
    assert labels_of(made(close)) == ["8–11", "100"]
    assert labels_of(made(replace(SPEC, sizes=(8, 9, 100)))) == ["8, 9", "100"]
    assert labels_of(made(replace(SPEC, sizes=(60, 100)))) == ["60", "100"]
    assert labels_of(made()) == ["50", "100"]  # around 10 and 20 there are dots and other labels
    above = quality_table(made(replace(SPEC, sizes=(30, 100))), PROBLEM).query("kind == 'median'")
    assert above["side"].tolist() == ["above", "below"]  # the label of a fair algorithm is below
    table = quality_table(made(close), PROBLEM).query("kind == 'median'")
    assert table["size"].tolist() == list(close.sizes)  # the line still passes through all


@pytest.mark.parametrize("seed", range(20))
def test_labels_of_sizes_cover_no_other_label_and_no_dot(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = tuple(sorted(rng.choice(np.arange(5, 120), 12, replace=False).tolist()))
    spec = replace(SPEC, sizes=sizes, seeds=(0, 1), optimizers=("structured", "racos"))
    view = made(spec, lambda cell: falling(cell) + 0.02 * rng.standard_normal())
    table = quality_table(view, PROBLEM)
    low, high = table[["cost", "quality"]].min(), table[["cost", "quality"]].max()
    boxes, sized = [], []
    for row in table.itertuples():
        # A phone: 200 by 200 pixels for the values; six pixels a letter, ten a line, six a dot.
        x = 200 * (row.cost - low["cost"]) / (high["cost"] - low["cost"])
        y = 200 * (row.quality - low["quality"]) / (high["quality"] - low["quality"])
        wide = 6 * len(row.label)
        if row.kind == "cell":
            box = (x - 3, y - 3, x + 3, y + 3)
        elif row.kind == "median":
            foot = y + 10 if row.side == "above" else y - 23
            box = (x - wide / 2, foot, x + wide / 2, foot + 10)
        else:
            left, foot = x - (row.side == "right") * wide, y + 9 + 15 * row.lift
            box = (left, foot, left + wide, foot + 10)
        if row.label or row.kind == "cell":
            boxes.append(box)
        if row.label and row.kind == "median":
            sized.append(box)
    assert sized
    for a in sized:
        over = [b for b in boxes if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]
        assert over == [a]


def test_the_axis_of_a_still_figure_names_only_sizes_it_has_room_for() -> None:
    def ticks(view: SweepView) -> tuple[int, ...]:
        return tuple(cost_figure(view, PROBLEM).layout.xaxis.tickvals)

    assert ticks(made()) == SPEC.sizes
    assert ticks(made(replace(SPEC, sizes=(8, 9, 10, 11, 100)))) == (8, 100)
    assert ticks(made(replace(SPEC, sizes=(7,)))) == (7,)


def test_figures_show_the_same_dots() -> None:
    view = two(failed={3})
    figure = cost_figure(view, PROBLEM)
    drawn = {
        value
        for trace in figure.data
        if trace.mode == "markers" and trace.name != "failed"
        for value in trace.y
    }
    table = cost_table(view, PROBLEM)
    assert drawn == set(table.loc[table["kind"] == "cell", "cost"])
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [
        "Structured", "RACOS (the paper)", "failed",
    ]  # fmt: skip
    quality = quality_figure(view, PROBLEM)
    assert sum(len(trace.x) for trace in quality.data if trace.mode == "markers") == 39 + 3


def test_the_verdict_on_a_sure_gain() -> None:
    view = made(cost=lambda cell: falling(cell) - 0.05)
    found = frontier_verdict(view)
    assert found.tone == "good"
    assert plain_text(found.headline) == (
        "10 points (1.0 % of the data) suffice for a cost below plain clustering: the median run "
        "lifts the worst-served group from 30 % to 36 % of its fair share (cost −0.300 → −0.360). "
        "Price: inertia +0.7 %; smallest cluster 38 % of the data (40 % before)."
    )
    text = plain_text(found.text)
    assert "all 5 seeds reach the target, and 100 % of the independent clusterings agree" in text
    assert "at least 63 % of all seeds would" in text
    assert "no smaller size was tried" in text
    assert "outside the noise" in text


def test_the_verdict_on_a_gain_inside_the_noise() -> None:
    view = made(cost=lambda cell: PLAIN - 0.001 * (1 + cell.seed))
    found = frontier_verdict(view)
    assert found.tone == "doubtful"
    assert "inside the noise" in found.text
    assert "may be chance" in found.text


def test_the_verdict_when_the_target_is_not_reached() -> None:
    found = frontier_verdict(made(replace(SPEC, target=-0.9), target=-0.9, strict=False))
    assert found.tone == "bad"
    assert plain_text(found.headline) == (
        "No size tried brings most seeds to 90 % of its fair share (cost at most −0.900); the best "
        "is 49 % of its fair share (cost −0.490) with 100 points, plain clustering is at 30 % of "
        "its fair share (cost −0.300). Price: inertia +5.2 %; smallest cluster 20 % of the data "
        "(40 % before)."
    )
    assert "none of 5 seeds reaches the target" in found.text


def test_a_few_seeds_are_not_called_sure() -> None:
    one = made(replace(SPEC, seeds=(0,)), lambda cell: falling(cell) - 0.2)
    found = frontier_verdict(one)
    assert found.tone == "doubtful"
    assert "one seed says little about others" in found.text


def test_sizes_that_fail_again_are_named() -> None:
    view = made(cost=lambda cell: PLAIN - 0.1 if cell.size == 20 else PLAIN + 0.01)
    [found] = curves(view)
    text = " ".join(sure_sentences(view, found))
    assert "lies above 10, where most seeds fail, and is at most 20" in text
    assert "with 50, 100 points most seeds fail again" in text


@pytest.mark.parametrize(
    ("end", "reason", "tone", "headline"),
    [
        ("", "", "waiting", "7 of 20 cells are done, about"),
        ("stopped", "stopped by you", "doubtful", "The sweep was stopped by you; what was found"),
        (
            "failed",
            "No scheduler answers.",
            "bad",
            "The sweep did not finish: No scheduler answers.",
        ),
    ],
)
def test_verdicts_on_a_sweep_that_is_not_finished(end, reason, tone, headline) -> None:
    found = frontier_verdict(made(settled=7, end=end, reason=reason))
    assert found.tone == tone
    assert found.headline.startswith(headline)
    assert "So far: 20 points" in plain_text(found.text)


def test_a_sweep_without_any_result_says_why() -> None:
    view = made(failed=range(len(SPEC.cells)))
    found = frontier_verdict(view)
    assert found.tone == "bad"
    assert "20 cells of 20 failed (memory ran out)" in found.text
    assert len(frontier_slides(FrontierRecord(load_dataset("blobs"), SPEC, view))) == 1


def test_how_sure_has_a_row_per_curve() -> None:
    table = sureness_table(two())
    assert table["reaches the target"].tolist() == ["yes", "no"]
    assert table["seeds that pass"].tolist() == ["5 of 5", "0 of 5"]
    assert plain_text(table["at least (90 % sure)"].iloc[0]) == "63 %"
    assert len(level_table(two())) == 8


def record(view: SweepView) -> FrontierRecord:
    assert view.spec is not None
    return FrontierRecord(load_dataset("blobs"), view.spec, view, "sweep-id", "<b>mine</b>")


def test_the_report_has_everything_and_asks_nobody() -> None:
    view = two(failed={3})
    text = frontier_report(record(view), "today")
    for heading in ("How sure are we?", "Failed cells", "What was not shown", "How it was done"):
        assert f"<h2>{heading}</h2>" in text
    assert "&lt;b&gt;mine" in text
    assert "<b>mine" not in text
    assert "default-src 'none'" in text
    assert "memory ran out" in text


def test_slides_say_one_thing_each() -> None:
    slides = frontier_slides(record(two()))
    assert len(slides) == 1 + 4 + 1
    assert all(slide.title.endswith((".", "…")) for slide in slides)
    assert sum(slide.figure is not None for slide in slides) == 3
    assert all(slide.alt for slide in slides if slide.figure is not None)


def test_the_zip_holds_tables_and_records() -> None:
    happened = list(events())
    view = SweepView.fold(happened)
    with zipfile.ZipFile(io.BytesIO(frontier_bundle(record(view), happened))) as archive:
        names = set(archive.namelist())
        cells = archive.read("cells.csv").decode().strip().splitlines()
        assert SweepSpec.from_json(archive.read("sweep.json").decode()) == SPEC
        readme = archive.read("README.txt").decode()
    assert len(cells) == 1 + len(SPEC.cells)
    assert {"report.html", "events.jsonl", "sizes.csv", "how-sure.csv", "sweep.py"} <= names
    assert all(name in readme for name in names - {"README.txt"})


def test_python_lines_give_the_same_sweep() -> None:
    scope: dict = {}
    exec(python_lines(TWO).split("for cell")[0], scope)
    assert scope["spec"] == TWO


def test_before_a_sweep_plain_clustering_is_that_of_the_problem() -> None:
    data = load_dataset("two-optima")
    cell = replace(SPEC, dataset="two-optima", sizes=(10,), seeds=(0,)).cells[0]
    found = estimate_sweep(cell, data, "vanilla")
    problem = Problem(data, "kmeans", "balance", 2)
    assert found.reference.vanilla == problem.vanilla.cost == found.reference.target
    assert found.reference.noise == noise(problem)
    assert isinstance(found, SweepEstimate)
    assert found.pace.evaluation > 0
    assert estimate_sweep(cell, data, -0.7).reference.target == -0.7


def test_the_time_is_known_when_every_pace_is() -> None:
    pace = Pace(evaluation=0.001, start=0.01, row=0.2, prepared=0.5)
    both = replace(SPEC, ks=(2, 3))
    assert np.isnan(expected_seconds(both, {PROBLEM: pace}, 2))
    paces = {PROBLEM: pace, ("kmeans", "balance", 3): pace}
    long, short = expected_seconds(both, paces, 1), expected_seconds(both, paces, 4)
    assert long > len(both.cells) * pace.cell(both.budget)
    assert short < long
    designed = replace(both, optimizers=("design",))
    assert expected_seconds(designed, paces, 1) > long
    assert made().points == POINTS
