"""Who wins, by rules written out slowly, and the words and tables made of it."""

import io
import itertools

import numpy as np
import pandas as pd
import pytest

from antidote_core.arena import Standing, beaten_by, frontier_names, standings, winner
from antidote_core.fairness import get_fairness
from antidote_core.reporting.documents.arena_report import arena_csv, arena_latex, arena_report
from antidote_core.reporting.figures.arena_charts import matrix, pareto_figure, who_needs_what
from antidote_core.reporting.text.arena_words import dataset_sentence, headline, needs_sentence

BALANCE = get_fairness("balance")


def row(method, cost, price, **more):
    needs = method == "bera"
    return Standing("bank", "Bank", 2, method, method.title(), needs, "data", 3, cost, cost, cost,
                    price, 1.0, **more)  # fmt: skip


def record(method, cost, price=0.0, k=2, seed=0, **more):
    return {
        "key": f"bank/k{k}/{method}/{seed}", "dataset": "bank", "title": "Bank_1", "k": k,
        "method": method, "method_title": method.title(), "needs_groups": method == "bera",
        "changes": "labels", "n": 100, "seed": seed, "refused": "", "own": {"balance": cost},
        "nearest": {"balance": cost / 2}, "price": price, "seconds": 1.5, "size": 4, "moved": 0.1,
        "smallest_share": 0.3, "outcome": "", "protected": "sex", "groups": ["f", "m"],
        "source": "here",
        "versions": {"numpy": "2"}, "date": "2026-01-01",
        **more,
    }  # fmt: skip


def test_medians_over_seeds_in_both_scorings():
    rng = np.random.default_rng(0)
    costs, prices = -rng.random(5), rng.random(5)
    records = [
        record("bera", c, p, seed=s) for s, (c, p) in enumerate(zip(costs, prices, strict=True))
    ]
    [found] = standings(records, "balance")
    assert (found.cost, found.price) == (np.median(costs), np.median(prices))
    assert (found.low, found.high, found.seeds) == (costs.min(), costs.max(), 5)
    assert found.share == 0.04
    [nearest] = standings(records, "balance", "nearest")
    assert nearest.cost == np.median(costs / 2)


def test_one_refusal_leaves_no_figure():
    records = [record("bera", -0.5), {**record("bera", -0.5, seed=1), "refused": "Too many rows."}]
    [found] = standings(records, "balance")
    assert not found.measured
    assert found.refused == "Too many rows."
    [unknown] = standings([record("bera", -0.5)], "gap")
    assert "not or could not be measured" in unknown.refused


def test_the_frontier_is_whoever_nobody_beats():
    rng = np.random.default_rng(1)
    for _ in range(50):
        rows = [row(f"m{i}", *rng.integers(0, 5, 2).astype(float)) for i in range(6)]
        beaten = {
            a.method
            for a, b in itertools.permutations(rows, 2)
            if b.cost <= a.cost and b.price <= a.price and (b.cost, b.price) != (a.cost, a.price)
        }
        assert set(frontier_names(rows)) == {r.method for r in rows} - beaten
        assert all((beaten_by(r, rows) is not None) == (r.method in beaten) for r in rows)


def test_the_fairest_wins_and_the_cheapest_of_those_that_draw():
    plain = row("plain", -0.3, 0.0)
    dear, cheap, worse = row("bera", -0.9, 0.2), row("b", -0.899, 0.1), row("c", -0.5, 0.01)
    assert winner([plain, dear, cheap, worse]) is cheap
    assert winner([plain, row("d", -0.2, 0.0)]) is None
    assert winner([plain]) is None


def test_sentences_say_where_antidote_data_lose_draw_or_win():
    plain, bera = row("plain", -0.3, 0.0), row("bera", -0.9, 0.2)
    losing = [plain, bera, row("antidote:balance", -0.6, 0.1)]
    assert "Bera is fairest" in (said := dataset_sentence(losing, BALANCE))
    assert "antidote data lose" in said
    assert "which nobody beats at that price" in said
    assert "lose in 1" in headline(losing, BALANCE)
    beaten = [plain, bera, row("antidote:balance", -0.6, 0.3)]
    assert "where Bera is fairer for no more" in dataset_sentence(beaten, BALANCE)
    drawn = [plain, bera, row("antidote:balance", -0.9, 0.3)]
    assert "antidote data are as fair" in dataset_sentence(drawn, BALANCE)
    winning = [plain, bera, row("antidote:balance", -0.95, 0.3)]
    assert "Antidote:Balance is fairest" in dataset_sentence(winning, BALANCE)
    assert "fairest in 1 of 1" in headline(winning, BALANCE)
    assert needs_sentence(winning).startswith("Bera needs a person's group")
    assert headline([], BALANCE) == "Nothing has been computed yet."


@pytest.mark.filterwarnings("error")
def test_tables_and_documents():
    refused = {**record("spectral", 0.0), "refused": "No <b>, too many rows.", "own": {}}
    records = [record("plain", -0.3), record("bera", -0.9, 0.2), refused]
    rows = standings(records, "balance")
    frame = matrix(rows, BALANCE, "fairness").set_index("method")["Bank_1"]
    assert frame["Bera"].startswith("★ 90")
    assert frame["Spectral"] == "no result"
    assert len(who_needs_what(rows)) == 3
    assert len(pareto_figure(rows, BALANCE, ["bera"], False).data) == 3
    latex = arena_latex(rows, BALANCE)
    assert "Bank\\_1" in latex
    assert "\\textbf{90~\\%}" in latex
    assert latex.count("\\\\") == 4
    table = pd.read_csv(io.StringIO(arena_csv(records)))
    assert table["balance (own)"].tolist()[:2] == [-0.3, -0.9]
    assert table["balance (nearest)"].tolist()[:2] == [-0.15, -0.45]
    report = arena_report(records, "balance", "own")
    assert "Bera is fairest" in report
    assert "No &lt;b&gt;, too many rows." in report
