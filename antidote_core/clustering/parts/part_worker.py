"""What a worker does with its parts of U: sums and counts per (cluster, group) at given centres.

Every answer is a function of the part and the question alone. What a part remembers (its *anchors*,
see `anchors`, and one reference) only saves work, so a part that was lost and read again from its
file gives the same answers to the last bit.

An anchor of a part keeps the nearest eighth of each kind of sorted list: beyond that a full pass is
as good. Where a list was cut, the first key left out stands at its end; a step whose threshold
reaches it is not covered by the anchor.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from antidote_core.clustering import anchors
from antidote_core.clustering.parts import LIST_SHARE, MAX_ANCHORS, Steps, Sums
from antidote_core.clustering.parts.part_kernels import add_up, list_keys, pass_within
from antidote_core.datasets.parts.folder import read_part
from antidote_core.types import Floats, Ints


class _Anchor(NamedTuple):
    centers: Floats  # (k, d); the last row of a bare anchor means nothing
    bare: bool
    offsets: Ints
    kept: Ints  # (k, k-1) entries that are real; one more stands for what was cut off
    keys: Floats
    order: np.ndarray
    sums: Floats
    counts: Floats


class Part:
    """One part of U in memory: points (m, d), groups (m,) int16 in 0..g-1."""

    def __init__(self, points: Floats, groups: np.ndarray, g: int) -> None:
        self.points = points
        self.groups = groups
        self._g = g
        self._anchors: OrderedDict[tuple[int, bytes], _Anchor] = OrderedDict()
        self._reference: tuple[bytes, Floats, Floats] | None = None
        self._margins = np.empty(0)
        self._labels = np.empty(0, dtype=np.int16)

    def step(
        self, centers: Floats, anchor: Floats | None, reference: Floats | None, most_held: float
    ) -> tuple[Floats, Floats, int]:
        """Sums (k, g, d) and counts (k, g) at the centres (k, d), and the points looked at."""
        if anchor is not None:
            near = self._anchor(anchor, len(centers))
            lengths = np.zeros_like(near.kept)
            looks = anchors.scan_counts(
                centers, near.centers, near.bare, near.offsets, near.keys, lengths
            )
            if (lengths <= near.kept).all():
                sums, counts = near.sums.copy(), near.counts.copy()
                known = len(centers) - near.bare
                anchors.corrected(
                    self.points, self.groups, centers, known, near.offsets, near.order, lengths,
                    sums, counts,
                )  # fmt: skip
                return sums, counts, looks
        if np.isfinite(most_held):
            sums, counts = self._zeros(centers)
            looks = pass_within(self.points, self.groups, centers, most_held, sums, counts)
            return sums, counts, looks
        place = centers if reference is None else reference
        sums, counts = (array.copy() for array in self._referred(place))
        if reference is None:
            return sums, counts, len(self.points)
        looks = anchors.from_reference(
            self.points, self.groups, centers, place, self._margins, self._labels, sums, counts
        )
        return sums, counts, looks

    def _zeros(self, centers: Floats) -> tuple[Floats, Floats]:
        k, d = centers.shape
        return np.zeros((k, self._g, d)), np.zeros((k, self._g))

    def _referred(self, centers: Floats) -> tuple[Floats, Floats]:
        """Sums and counts at the centres, with every point's label and margin kept."""
        key = centers.tobytes()
        if self._reference is None or self._reference[0] != key:
            if not len(self._margins):
                self._margins = np.empty(len(self.points))
                self._labels = np.empty(len(self.points), dtype=np.int16)
            sums, counts = self._zeros(centers)
            anchors.set_reference(
                self.points, self.groups, centers, self._margins, self._labels, sums, counts
            )
            self._reference = (key, sums, counts)
        return self._reference[1:]

    def _anchor(self, centers: Floats, k: int) -> _Anchor:
        key = k, centers.tobytes()
        if key in self._anchors:
            self._anchors.move_to_end(key)
        else:
            if len(self._anchors) == MAX_ANCHORS:
                self._anchors.popitem(last=False)
            self._anchors[key] = self._new_anchor(centers, k)
        return self._anchors[key]

    def _new_anchor(self, centers: Floats, k: int) -> _Anchor:
        known, d = centers.shape
        labels = np.empty(len(self.points), dtype=np.int16)
        values = np.empty((k - 1, len(self.points)))
        list_keys(self.points, centers, labels, values)
        room = max(len(self.points) // LIST_SHARE, 1)
        pairs = _cut(values[: known - 1], room)
        own = _cut(values[known - 1 :], room)
        lists = []  # (cluster, slot, members in the order of their keys, the first key left out)
        kept = np.zeros((k, k - 1), dtype=np.int64)
        for s in range(k - 1):
            cut = pairs if s < known - 1 else own
            for c in range(known):
                members = np.flatnonzero((labels == c) & (values[s] < cut))
                members = members[np.argsort(values[s, members], kind="stable")]
                kept[c, s] = len(members)
                lists.append((c, s, members, cut))
        offsets = np.zeros(k + 1, dtype=np.int64)
        offsets[1:] = np.cumsum(kept.max(axis=1) + 1)
        keys = np.full((k - 1, offsets[-1]), np.inf)
        order = np.zeros((k - 1, offsets[-1]), dtype=np.int32)
        for c, s, members, cut in lists:
            stop = offsets[c] + len(members)
            keys[s, offsets[c] : stop] = values[s, members]
            order[s, offsets[c] : stop] = members
            keys[s, stop : offsets[c + 1]] = cut
        padded = np.zeros((k, d))
        padded[:known] = centers
        sums, counts = self._zeros(padded)
        add_up(self.points, self.groups, labels, sums, counts)
        return _Anchor(padded, known < k, offsets, kept, keys, order, sums, counts)

    def farthest(self, centers: Floats, count: int) -> tuple[Floats, Ints, Floats]:
        """Points, labels and squared distances of the `count` points farthest from their centre."""
        labels, squared = self.assigned(centers)
        rows = np.argsort(-squared, kind="stable")[:count]
        return self.points[rows], labels[rows].astype(np.int64), squared[rows]

    def assigned(self, centers: Floats) -> tuple[np.ndarray, Floats]:
        """Label (m,) int16 and squared distance (m,) to the nearest centre of every point."""
        labels = np.empty(len(self.points), dtype=np.int16)
        squared = np.empty(len(self.points))
        anchors.assign(self.points, np.array(centers), labels, squared)
        return labels, squared

    def nbytes(self) -> int:
        """Memory of the points and of what is remembered."""
        arrays = [self.points, self.groups, self._margins, self._labels]
        for anchor in self._anchors.values():
            arrays += [anchor.keys, anchor.order]
        return sum(array.nbytes for array in arrays)


class PartWorker:
    """Some parts of U, read from their files, that answer together.

    A part_worker travels as the names of its files: whoever receives it reads them.
    """

    def __init__(self, paths: Sequence[Path], d: int, g: int) -> None:
        self._made_of = (list(paths), d, g)
        self.parts = [Part(*read_part(path, d), g) for path in paths]

    def __reduce__(self) -> Any:
        return PartWorker, self._made_of

    def __sizeof__(self) -> int:
        return sum(part.nbytes() for part in self.parts)

    def step(self, steps: Steps) -> Sums:
        """Sums and counts for every step asked about."""
        g = self._made_of[2]
        b, k, d = steps.centers.shape
        total = Sums(np.zeros((b, k, g, d)), np.zeros((b, k, g)), np.zeros(b, dtype=np.int64))
        # Copies: what came over a wire may be read-only, for which numba would compile anew.
        all_centers = np.array(steps.centers)
        places = (*(np.array(place) for place in steps.places), None)  # -1 is none
        for i in range(b):
            anchor, reference = places[steps.anchor[i]], places[steps.reference[i]]
            for part in self.parts:
                sums, counts, looks = part.step(
                    all_centers[i], anchor, reference, steps.most_held[i]
                )
                total.sums[i] += sums
                total.counts[i] += counts
                total.looks[i] += looks
                if total.counts[i, -1].sum() > steps.most_held[i]:
                    break
        return total

    def squares(self) -> Floats:
        """Sum of |x|^2 per group, (g,)."""
        g = self._made_of[2]
        total = np.zeros(g)
        for part in self.parts:
            norms = np.einsum("ij,ij->i", part.points, part.points)
            total += np.bincount(part.groups, weights=norms, minlength=g)
        return total

    def sample(self, counts: Mapping[str, int], seed: int) -> tuple[Floats, Ints]:
        """Points and groups of counts[file] rows of each part, drawn without replacement."""
        chosen = []
        for path, part in zip(self._made_of[0], self.parts, strict=True):
            rows = np.arange(len(part.points))
            if counts[path.name] < len(rows):
                rng = np.random.default_rng([seed, *path.name.encode()])
                rows = np.sort(rng.choice(len(rows), counts[path.name], replace=False))
            chosen.append((part.points[rows], part.groups[rows].astype(np.int64)))
        points, groups = zip(*chosen, strict=True)
        return np.concatenate(points), np.concatenate(groups)

    def farthest(self, centers: Floats, count: int) -> tuple[Floats, Ints, Floats]:
        """The `count` points of these parts that lie farthest from their nearest centre."""
        found = [part.farthest(centers, count) for part in self.parts]
        points, labels, squared = (np.concatenate(column) for column in zip(*found, strict=True))
        rows = np.argsort(-squared, kind="stable")[:count]
        return points[rows], labels[rows], squared[rows]

    def labels(self, centers: Floats) -> np.ndarray:
        """Nearest centre of every point, int16, in the order of the parts."""
        return np.concatenate([part.assigned(centers)[0] for part in self.parts])

    def memory(self) -> int:
        """Bytes of the points and of what is remembered."""
        return self.__sizeof__()


def _cut(values: Floats, room: int) -> float:
    """The key at which a list is cut so that `room` keys are below it; inf when all fit."""
    if values.size <= room:
        return np.inf
    return float(np.partition(values.ravel(), room)[room])
