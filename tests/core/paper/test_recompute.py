"""Plain k-means gives the costs that the paper's tables print for it.

bank, creditcard and LFW: the best of ten starts, as `Problem` takes it by default. The paper rounds
its costs and stops Lloyd early, which moves balance by a few thousandths, and by more on LFW at
k = 3 and 4, where many points lie near a boundary.

adult: which 10,000 rows the paper took is not known; ours are the first 10,000, so the costs are
near the paper's but not equal. And adult has several optima, of which the paper's tables show
- k = 2: the one in which nearly all single starts end; the best one, which splits off the few dozen
  people with the largest capital gains, has balance 0 and a social cost of 4.18 and is not theirs;
- k = 3 and 4: the best one, which has such a cluster as well. It lacks whole groups, so balance is
  exactly 0 in the paper and here, and the social cost is the figure that tells something.
All six cells are therefore compared at restarts=1, in that optimum.
"""

from functools import cache

import pytest

from antidote_core import Problem, SpecError, balance_cost, load_dataset, social_cost
from antidote_core.paper import paper_row, paper_tables
from tests.conftest import real_dataset

BALANCE_WITHIN = {("lfw", 3): 0.015, ("lfw", 4): 0.04}
SINGLE_STARTS = 40


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("name", ["bank", "creditcard", "lfw"])
def test_plain_kmeans_costs_are_the_papers(name, k):
    data = real_dataset(name)
    vanilla = Problem(data, k=k).vanilla
    balance = paper_row(f"vanilla_k{k}", name, "balance")["vanilla"]
    social = paper_row(f"vanilla_k{k}", name, "social")["vanilla"]
    within = BALANCE_WITHIN.get((name, k), 0.005)
    assert balance_cost(vanilla.centers, data.points, data.groups) == pytest.approx(
        balance, abs=within
    )
    assert social_cost(vanilla.centers, data.points, data.groups) == pytest.approx(
        social, rel=0.002
    )


@cache
def adult_single_starts(k):
    """(inertia, balance, social) of single starts on adult."""
    data = load_dataset("adult")
    found = []
    for seed in range(SINGLE_STARTS):
        vanilla = Problem(data, k=k, restarts=1, seed=seed).vanilla
        centers = vanilla.centers
        found.append(
            (
                vanilla.objective,
                balance_cost(centers, data.points, data.groups),
                social_cost(centers, data.points, data.groups),
            )
        )
    return found


@pytest.mark.parametrize("k", [2, 3, 4])
def test_adult_costs_are_the_papers_in_the_optimum_it_used(k):
    found = sorted(adult_single_starts(k))
    # k = 2: the typical start; k = 3, 4: the best one.
    inertia = found[len(found) // 2 if k == 2 else 0][0]
    there = [row for row in found if row[0] == pytest.approx(inertia, rel=1e-3)]
    balance = paper_row(f"vanilla_k{k}", "adult", "balance")["vanilla"]
    social = paper_row(f"vanilla_k{k}", "adult", "social")["vanilla"]
    assert len(there) >= (0.8 if k == 2 else 0.1) * SINGLE_STARTS
    for _, own_balance, own_social in there:
        assert own_balance == pytest.approx(balance, abs=0.03)
        assert own_social == pytest.approx(social, rel=0.015)


def test_adult_at_two_clusters_has_a_better_optimum_than_the_papers():
    vanilla = Problem(load_dataset("adult"), k=2, restarts=10).vanilla
    typical = sorted(adult_single_starts(2))[SINGLE_STARTS // 2]
    assert vanilla.objective < 0.98 * typical[0]
    assert vanilla.cost == 0.0


def test_data_sets_have_the_papers_size():
    for name, facts in paper_tables()["datasets"].items():
        data = real_dataset(name) if name != "lfw" else load_dataset("lfw", rows="twin")
        assert data.points.shape == (facts["n"], facts["d"])
        assert len(data.group_names) == facts["groups"]


def test_all_48_cells_of_the_fairness_tables_are_there():
    tables = ("vanilla_k2", "sota_k2", "vanilla_k3", "vanilla_k4")
    pairs = (("kmeans", "balance"), ("kmeans", "social"), ("spectral", "balance"))
    for table in tables:
        for clustering, fairness in pairs:
            for dataset in ("adult", "bank", "creditcard", "lfw"):
                row = paper_row(table, dataset, fairness, clustering)
                before = row["sota" if table == "sota_k2" else "vanilla"]
                assert row["algorithm2"] <= before
                assert 0 < row["antidote_ratio"] <= 0.5


def test_a_row_the_paper_has_not_gets_a_sentence():
    with pytest.raises(SpecError, match="no row for kmeans, gap and bank in a table 'vanilla_k2'"):
        paper_row("vanilla_k2", "bank", "gap")
    with pytest.raises(SpecError, match="in a table 'table_9'"):
        paper_row("table_9", "bank", "balance")
