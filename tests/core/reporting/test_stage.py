"""The parcels of the moving picture: read back as a browser would, and compared with the run."""

import base64
import dataclasses
import json
import math

import numpy as np
import pytest

import antidote_core as ac
from antidote_core.analysis.snapshots import moves, shown_steps, snapshot
from antidote_core.fairness import FAIRNESS
from antidote_core.projection import Layout, fit_plane
from antidote_core.reporting.figures import stage

SPEC = ac.RunSpec(
    dataset="blobs", start_size=2, step=1, target=-1.0, budget=30, max_rounds=20, max_stalled=20,
    place="minmax", max_price=None,
)  # fmt: skip
COPIES = ac.RunSpec(
    dataset="two-optima",
    start_size=10,
    step=10,
    target=-0.9,
    max_rounds=4,
    place="rows",
    optimizer="design",
    growth="extend",
)


class Played:
    """A run with everything the stage needs of it."""

    def __init__(self, spec: ac.RunSpec) -> None:
        self.spec, self.data, self.view = spec, ac.load_dataset(spec.dataset), ac.run(spec)
        self.shots = [snapshot(self.data, spec, self.view, i) for i in range(len(self.view.steps))]
        self.found = [moves(shot) for shot in self.shots]
        self.shown = shown_steps(len(self.view.steps), self.view.answer_index)

    def parcels(self, ground: stage.Ground) -> list[dict]:
        begins = range(0, len(self.shown), stage.PER_PARCEL)
        made = [
            stage.step_parcel("r", self.data, self.found[: b + stage.PER_PARCEL], ground, b)
            for b in begins
        ]
        return json.loads(json.dumps(made))

    def grounds(self) -> list[stage.Ground]:
        data = self.data
        plane = fit_plane(data.points, data.feature_names)
        rows = np.arange(0, data.n, 3)
        return [
            stage.plane_ground(data, self.spec, plane),
            stage.features_ground(data, self.spec, (1, 0)),
            stage.layout_ground(data, Layout(rows, data.points[rows, :2] * 2.0)),
        ]


THREE = dataclasses.replace(SPEC, k=3, max_rounds=4, start_size=6, step=6, budget=100)


@pytest.fixture(scope="module", params=[SPEC, COPIES, THREE], ids=["box", "rows", "three"])
def played(request) -> Played:
    return Played(request.param)


def test_the_points_come_back_as_they_were(played: Played) -> None:
    for ground in played.grounds():
        labels = played.shots[0].labels
        sent = stage.points_parcel("r", played.data, ground, labels)
        line = sent.index(b"\n")
        head, count = json.loads(sent[:line]), len(ground.rows)
        assert head == {"kind": "points", "run": "r", "ground": ground.key, "count": count}
        assert (line + 1) % 4 == 0
        rest = sent[line + 1 :]
        assert len(rest) == 10 * count
        places = np.frombuffer(rest[: 8 * count], "<f4").reshape(-1, 2)
        np.testing.assert_allclose(places, ground.places, rtol=1e-6, atol=1e-6)
        assert list(rest[8 * count : 9 * count]) == played.data.groups[ground.rows].tolist()
        assert list(rest[9 * count :]) == labels[ground.rows].tolist()


def test_the_labels_of_every_step_follow_from_the_plain_ones(played: Played) -> None:
    for ground in played.grounds():
        steps = [step for parcel in played.parcels(ground) for step in parcel["steps"]]
        assert len(steps) == len(played.shown)
        assert any(step["clusters"] for step in steps) == (played.spec.k > 2)
        for index, step in zip(played.shown, steps, strict=True):
            labels = played.shots[0].labels[ground.rows].tolist()
            bits = base64.b64decode(step["moved"])
            clusters = iter(base64.b64decode(step["clusters"]))
            for i in range(len(labels)):
                if bits and bits[i // 8] >> (i % 8) & 1:
                    labels[i] = next(clusters) if played.spec.k > 2 else 1 - labels[i]
            assert next(clusters, None) is None
            assert labels == played.shots[index].labels[ground.rows].tolist()
            assert step["changed"] == played.shots[index].changed.sum()


def test_every_atom_is_there_once_with_its_copies_and_its_row(played: Played) -> None:
    ground = played.grounds()[1]
    people: dict[int, dict] = {}
    for number, parcel in enumerate(played.parcels(ground)):
        assert parcel["first"] == number * stage.PER_PARCEL
        assert parcel["known"] == len(people)
        people |= {parcel["known"] + i: person for i, person in enumerate(parcel["people"])}
        for i, step in enumerate(parcel["steps"]):
            recorded = played.view.steps[played.shown[parcel["first"] + i]]
            assert sum(copies for _, copies in step["atoms"]) == recorded.size
            drawn = np.repeat(
                [people[name]["at"] for name, _ in step["atoms"]] or np.empty((0, 2)),
                [copies for _, copies in step["atoms"]], axis=0,
            )  # fmt: skip
            wanted = ground.place(recorded.antidote)
            np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(wanted, axis=0), rtol=1e-5)
    assert people
    for person in people.values():
        if played.spec.place == "rows":
            own = played.data.points[person["row"]]
            assert person["group"] == played.data.group_names[played.data.groups[person["row"]]]
            assert person["row"] not in [near["row"] for near in person["near"]]
            original = played.data.to_original(own[None]).iloc[0].tolist()
            shown = [float(value.replace("−", "-").replace(",", "")) for value in person["values"]]
            np.testing.assert_allclose(shown, original, atol=1e-4, rtol=1e-4)
        else:
            assert person["row"] == -1
            assert person["group"] == ""


def test_steps_may_come_in_any_portions(played: Played) -> None:
    ground, whole = played.grounds()[0], len(played.found)
    [at_once] = [stage.step_parcel("r", played.data, played.found, ground, 0)]
    steps, people = [], []
    for first in range(whole):
        one = stage.step_parcel("r", played.data, played.found[: first + 1], ground, first)
        assert (one["first"], one["known"]) == (first, len(people))
        steps += one["steps"]
        people += one["people"]
    assert (steps, people) == (at_once["steps"], at_once["people"])


def test_the_axes_contain_everything(played: Played) -> None:
    for ground in played.grounds():
        axes = stage.map_axes(ground, played.parcels(ground))
        added = np.vstack([
            ground.place(np.vstack([shot.centers, shot.step.antidote])) for shot in played.shots
        ])  # fmt: skip
        for (left, bottom, right, top), places in (
            (axes.whole, np.vstack([ground.places, added])), (axes.home, added),
        ):  # fmt: skip
            assert left < places[:, 0].min() <= places[:, 0].max() < right
            assert bottom < places[:, 1].min() <= places[:, 1].max() < top
        x, y = ground.places.T
        left, bottom, right, top = axes.home
        assert np.mean((left < x) & (x < right) & (bottom < y) & (y < top)) > 0.95


@pytest.mark.parametrize("fairness", FAIRNESS)
def test_the_curve_contains_every_step_and_line(fairness: str) -> None:
    spec = ac.RunSpec(dataset="blobs", fairness=fairness, start_size=2, budget=30, max_rounds=2)
    view = ac.run(spec)
    shown = list(range(len(view.steps)))
    fair = {"near": view.vanilla_cost - 1e-3, "unknown": math.nan}
    curve = stage.stage_curve(view, spec, fair, shown, live=True)
    low, high = curve["range"]
    heights = [step["height"] for step in curve["steps"]] + curve["band"]
    heights += [line["height"] for line in curve["lines"]]
    assert low <= min(heights) <= max(heights) <= high
    assert all(low <= line["at"] <= high for line in curve["lines"])
    assert len(curve["lines"]) == (2 if view.target == view.vanilla_cost else 3)
    assert curve["largest"] >= max(step.size for step in view.steps)
    assert len(curve["y"]) >= 3
    assert all(low <= tick["at"] <= high for tick in curve["y"])
    assert len({tick["text"] for tick in curve["y"]}) == len(curve["y"])
    sign = -1 if fairness in ("balance", "mean-balance") else 1  # their scales have two ends
    assert [step["height"] for step in curve["steps"]] == [sign * s.cost for s in view.steps]


def test_balance_rises_to_a_hundred_percent_whatever_was_reached() -> None:
    view = ac.RunView(spec={"fairness": "balance"}, points=10)
    curve = stage.stage_curve(view, ac.RunSpec("blobs", start_size=3, step=2), {}, [], live=True)
    assert curve["range"][0] == 0.0
    assert curve["y"][-1] == {"at": 1.0, "text": "100\N{NO-BREAK SPACE}%"}
    assert curve["largest"] == 3 + 4 * 2


def test_what_is_shown_says_what_the_run_says(played: Played) -> None:
    ground = played.grounds()[0]
    parcels = played.parcels(ground)
    show = stage.show_parcel(
        "r", played.data, played.spec, played.view, played.shown, ground,
        stage.map_axes(ground, parcels), fair={}, live=False, color="group",
    )  # fmt: skip
    assert json.loads(json.dumps(show, allow_nan=False)) == show
    assert len(show["labels"]) == len(show["tugs"]) == len(played.shown)
    assert show["labels"][0].startswith("Plain clustering · nothing added · ")
    answer = played.view.steps[played.shown[show["answer"]]]
    assert answer is played.view.answer
    copies = f"{answer.size} copies of {played.view.people} people"
    what = copies if played.spec.place == "rows" else f"{answer.size} points"
    assert f" · {what} · " in show["labels"][show["answer"]]
    checked = [i for i, step in enumerate(show["curve"]["steps"]) if step["checked"]]
    assert checked == [show["answer"]]


def test_the_tug_of_war_in_words() -> None:
    from antidote_core.analysis.snapshots import Lead

    texts = [stage._tug(Lead(now, 4106.1)) for now in (4106.1, 1000.0, -333.0)]
    assert [tug["left"] for tug in texts if tug] == [1.0, 0.2435, 0.0]
    assert "plain leads by 4,106" in texts[0]["text"]
    assert "lead 1,000 of 4,106" in texts[1]["text"]
    assert "leads by 333" in texts[2]["text"]
    assert stage._tug(None) is None
