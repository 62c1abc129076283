"""Answers about the bundled data that ship with the package, so that no page waits for them.

`known.json` is written by `python -m antidote_core.analysis.known`. An answer is found by the
content of the data and by what was asked, so that it can never be that of other data. Labels are
not stored: plain clustering gives every point to its nearest centre. A test computes some anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from antidote_core.analysis.comparison import baseline_scores, has_baseline
from antidote_core.analysis.snapshots import VanillaReport, report_of, vanilla_report
from antidote_core.datasets import list_datasets, load_dataset
from antidote_core.datasets.sets.packaged import PACKAGED
from antidote_core.geometry import nearest_center
from antidote_core.quality import Quality
from antidote_core.types import Dataset, Solution

FILE = Path(__file__).with_name("known.json")
CLUSTERING, RESTARTS, SEED = "kmeans", 10, 0
KS = (2, 3, 4)
COSTS = ("balance", "social")


def known_vanilla(
    data: Dataset, clustering: str, k: int, restarts: int, seed: int
) -> VanillaReport | None:
    """What `vanilla_report` gives, without clustering; None where it is not known.

    >>> report = known_vanilla(load_dataset("two-optima"), "kmeans", 2, 10, 0)
    >>> round(report.balance.cost, 6)
    -0.3
    >>> known_vanilla(load_dataset("two-optima"), "kmeans", 2, 10, seed=1) is None
    True
    """
    found = _find("plain", data, clustering, k, restarts, seed)
    if found is None:
        return None
    centers = np.array(found["centers"])
    labels, _ = nearest_center(data.points, centers)
    solution = Solution(centers, labels, found["objective"], found["cost"])
    return report_of(data, solution, Quality(**found["quality"]))


def known_baseline(
    data: Dataset, clustering: str, fairness: str, k: int, restarts: int, seed: int
) -> dict[str, float] | None:
    """What `baseline_scores` gives; None where it is not known."""
    return _find("fair", data, clustering, fairness, k, restarts, seed)


def _find(kind: str, data: Dataset, *asked: object) -> Any:
    return _stored().get(_key(kind, data, *asked))


@cache
def _stored() -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return answers


def _key(kind: str, data: Dataset, *asked: object) -> str:
    return " ".join(map(str, (kind, data.content_hash, *asked)))


def bundled() -> Iterator[Dataset]:
    """Every data set that comes with the package, with its usual protected attribute."""
    others = {"lfw", *(packaged.name for packaged in PACKAGED)}  # not ours to pass on
    for info in list_datasets():
        if info.name not in others:
            yield load_dataset(info.name)


def computed(data: Dataset, k: int) -> dict[str, Any]:
    """All answers about one data set and k, computed now."""
    choice = (k, RESTARTS, SEED)
    report = vanilla_report(data, CLUSTERING, *choice)
    answers: dict[str, Any] = {
        _key("plain", data, CLUSTERING, *choice): {
            "centers": report.solution.centers.tolist(),
            "objective": report.solution.objective,
            "cost": report.solution.cost,
            "quality": asdict(report.quality),
        }
    }
    for fairness in COSTS:
        asked = (data, CLUSTERING, fairness, *choice)
        if has_baseline(CLUSTERING, fairness):
            answers[_key("fair", data, CLUSTERING, fairness, *choice)] = baseline_scores(*asked)
    return answers


def main() -> None:
    """Compute the answers that are not in the file, and write them there; begun anew without it."""
    answers: dict[str, Any] = dict(_stored()) if FILE.exists() else {}
    for data in bundled():
        for k in KS:
            if _key("plain", data, CLUSTERING, k, RESTARTS, SEED) not in answers:
                answers |= computed(data, k)
                text = json.dumps(answers, indent=0, sort_keys=True)
                FILE.write_text(text + "\n", encoding="utf-8")
                print(f"{data.name}, {data.protected}, k = {k}", flush=True)


if __name__ == "__main__":
    main()
