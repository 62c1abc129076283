"""Exact Lloyd iterations in microseconds, by remembering what a few sets of centres looked like.

An *anchor* is a set of k centres A together with everything Lloyd's algorithm needs to know about
U at nearby centres: sums and counts per (cluster, group), and for every ordered pair of clusters
(c, e) the points of c sorted by d(x, A_e) - d(x, A_c). At new centres M a point can move from c to
e only if

    d(x, A_e) - d(x, A_c) <= |M_c - A_c| + |M_e - A_e|,

so a Lloyd step looks at a prefix of each sorted list, found by binary search, and corrects the
sums. The fixpoint, the cluster x group counts and the group costs all come from these sums: nothing
touches all n points.

A *bare* anchor has k - 1 centres and stands for "those, and one more centre anywhere": the extra
centre at v can win a point x of c only if 2 d(x, A_c) >= |v - A_c| - |M_c - A_c|, so the points of
c are also sorted by their distance to A_c, farthest first.

`weights` (n,) of the points may be left out, and are compiled away then. Given, they lie on a grid
on which their sums are exact (see `checks.check_weights`), so that counts come out as 0 where
nobody is left.

All kernels are compiled by numba on first use and cached on disk; `warm` compiles them ahead.
"""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from antidote_core.clustering.kmeans import MAX_ITERATIONS
from antidote_core.types import Floats, Ints

# Distances are compared with this much room for rounding, relative to their own size.
SLACK = 1e-9
# An anchor that needs at most this many looks is taken without comparing it with the others.
GOOD_ENOUGH = 64
CONVERGED, EMPTIED, DROPPED = 0, 1, 2

_jit = nb.njit(cache=True, error_model="numpy", boundscheck=False)


# Only the order of additions is left to the compiler, so that it can use vector instructions.
@nb.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _squared(x, y):
    total = 0.0
    for j in range(x.shape[0]):
        offset = x[j] - y[j]
        total += offset * offset
    return total


@_jit
def _nearest(x, centers):
    """Index of the nearest centre and the squared distance to it; ties go to the lower index."""
    best = np.inf
    label = 0
    for c in range(centers.shape[0]):
        s = _squared(x, centers[c])
        if s < best:
            best = s
            label = c
    return label, best


@_jit
def assign(points, centers, labels, squared):
    """Nearest centre of every point; ties go to the lower index."""
    for i in range(points.shape[0]):
        labels[i], squared[i] = _nearest(points[i], centers)


@_jit
def full_statistics(points, groups, centers, sums, counts, weights=None):
    """Sums (k, g, d) and counts (k, g) of U with every point at its nearest centre."""
    d = centers.shape[1]
    sums[:] = 0.0
    counts[:] = 0.0
    for i in range(points.shape[0]):
        label, _ = _nearest(points[i], centers)
        j = groups[i]
        weight = 1.0 if weights is None else weights[i]
        counts[label, j] += weight
        for a in range(d):
            sums[label, j, a] += weight * points[i, a]


@_jit
def _prefix(keys, start, stop, threshold):
    """Number of keys in the ascending slice [start, stop) that are at most the threshold."""
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if keys[middle] <= threshold:
            low = middle + 1
        else:
            high = middle
    return low - start


@_jit
def scan_counts(centers, anchor, bare, offsets, keys, lengths):
    """Length of the prefix to look at for every (cluster, slot); returns their sum.

    Slot s of cluster c lists the moves to cluster e = s if s < c else s + 1. In a bare anchor the
    last slot lists the moves to the extra centre, which has index k - 1.
    """
    k = centers.shape[0]
    known = k - 1 if bare else k
    total = 0
    reach = np.empty(known)
    for c in range(known):
        reach[c] = np.sqrt(_squared(centers[c], anchor[c]))
    for c in range(known):
        start = offsets[c]
        stop = offsets[c + 1]
        for s in range(k - 1):
            e = s if s < c else s + 1
            if e < known:
                room = reach[c] + reach[e]
                threshold = room + SLACK * (1.0 + room)
            else:
                away = np.sqrt(_squared(centers[e], anchor[c]))
                threshold = 0.5 * (reach[c] - away)
                threshold += SLACK * (1.0 + away + reach[c])
            length = _prefix(keys[s], start, stop, threshold)
            lengths[c, s] = length
            total += length
    return total


@_jit
def corrected(points, groups, centers, known, offsets, order, lengths, sums, counts, weights=None):
    """Move every point whose nearest centre is no longer that of the anchor."""
    k, d = centers.shape
    for c in range(known):
        start = offsets[c]
        for s in range(k - 1):
            e = s if s < c else s + 1
            for position in range(start, start + lengths[c, s]):
                i = order[s, position]
                to_c = _squared(points[i], centers[c])
                to_e = _squared(points[i], centers[e])
                if to_e > to_c or (to_e == to_c and c < e):
                    continue
                wins = True
                for other in range(k):
                    if other != c and other != e:
                        to_other = _squared(points[i], centers[other])
                        if to_other < to_e or (to_other == to_e and other < e):
                            wins = False
                            break
                if wins:
                    j = groups[i]
                    weight = 1.0 if weights is None else weights[i]
                    counts[c, j] -= weight
                    counts[e, j] += weight
                    for a in range(d):
                        x = weight * points[i, a]
                        sums[c, j, a] -= x
                        sums[e, j, a] += x


@_jit
def set_reference(points, groups, centers, margins, labels, sums, counts, weights=None):
    """A full pass that also keeps every point's label and its margin d(second) - d(nearest)."""
    k, d = centers.shape
    sums[:] = 0.0
    counts[:] = 0.0
    for i in range(points.shape[0]):
        best = np.inf
        second = np.inf
        label = 0
        for c in range(k):
            s = _squared(points[i], centers[c])
            if s < best:
                second = best
                best = s
                label = c
            elif s < second:
                second = s
        margins[i] = np.sqrt(second) - np.sqrt(best)
        labels[i] = label
        j = groups[i]
        weight = 1.0 if weights is None else weights[i]
        counts[label, j] += weight
        for a in range(d):
            sums[label, j, a] += weight * points[i, a]


@_jit
def from_reference(points, groups, centers, reference, margins, labels, sums, counts, weights=None):
    """Correct the sums of the reference by looking at every point whose margin is used up."""
    k, d = centers.shape
    reach = np.empty(k)
    for c in range(k):
        reach[c] = np.sqrt(_squared(centers[c], reference[c]))
    threshold = np.zeros(k)
    for c in range(k):
        for e in range(k):
            if e != c:
                room = reach[c] + reach[e]
                threshold[c] = max(threshold[c], room + SLACK * (1.0 + room))
    looks = 0
    for i in range(points.shape[0]):
        old = labels[i]
        if margins[i] > threshold[old]:
            continue
        looks += 1
        label, _ = _nearest(points[i], centers)
        if label != old:
            j = groups[i]
            weight = 1.0 if weights is None else weights[i]
            counts[old, j] -= weight
            counts[label, j] += weight
            for a in range(d):
                x = weight * points[i, a]
                sums[old, j, a] -= x
                sums[label, j, a] += x
    return looks


@_jit
def group_costs(centers, sums, counts, squares, costs):
    """Average squared distance per group: (sum |x|^2 - 2 M·sum x + count |M|^2) / size."""
    k, d = centers.shape
    total = 0.0
    for j in range(counts.shape[1]):
        size = 0.0
        cost = squares[j]
        for c in range(k):
            dot = 0.0
            norm = 0.0
            for a in range(d):
                dot += centers[c, a] * sums[c, j, a]
                norm += centers[c, a] * centers[c, a]
            cost += counts[c, j] * norm - 2.0 * dot
            size += counts[c, j]
        cost = max(cost, 0.0)
        total += cost
        costs[j] = cost / size if size > 0.0 else 0.0
    return total


@_jit
def antidote_inertia(antidote, centers):
    """Sum of squared distances of V to the nearest centres."""
    total = 0.0
    for i in range(antidote.shape[0]):
        total += _nearest(antidote[i], centers)[1]
    return total


@_jit
def lloyd(
    points, groups, antidote, start, used, anchors, bare, offsets, order, keys, anchor_sums,
    anchor_counts, uses, hint, most_held, centers, sums, counts, lengths, best_lengths, costliest,
    margins, labels, squares, costs, weights=None,
):  # fmt: skip
    """Lloyd's algorithm on U ∪ V from `start` to its fixpoint.

    Each step starts from the anchor that needs the fewest looks (`hint` is tried first and taken at
    once if it is good); when all are far away, from a reference made on the way by a full pass.
    Fills `centers` (k, d), `sums` and `counts` of U at those centres, the average group `costs`
    (g,), and `costliest` (k, d) with the centres of the step that took most looks. Returns (looks,
    outcome, inertia on U ∪ V): the outcome is CONVERGED, EMPTIED when a cluster lost all its
    points, or DROPPED when more than `most_held` points of U came to the last cluster; in the last
    two cases the other results mean nothing. Points of V weigh 1 each.
    """
    n = points.shape[0]
    k, d = start.shape
    m = antidote.shape[0]
    g = counts.shape[1]
    centers[:] = start
    total_sum = np.empty((k, d))
    total_count = np.empty(k)
    reference = np.empty((k, d))
    reference_sums = np.empty((k, g, d))
    reference_counts = np.empty((k, g))
    fresh = False
    most = 0
    total_looks = 0
    for iteration in range(MAX_ITERATIONS + 1):
        chosen = -1
        looks = n // 8
        if hint >= 0:
            total = scan_counts(
                centers, anchors[hint], bare[hint], offsets[hint], keys[hint], best_lengths
            )
            if total <= looks:
                looks = total
                chosen = hint
        if chosen < 0 or looks > GOOD_ENOUGH:
            for a in range(used):
                if a != hint:
                    total = scan_counts(centers, anchors[a], bare[a], offsets[a], keys[a], lengths)
                    if total < looks:
                        looks = total
                        chosen = a
                        best_lengths[:] = lengths
        if chosen >= 0:
            hint = chosen
            uses[chosen] += 1
            sums[:] = anchor_sums[chosen]
            counts[:] = anchor_counts[chosen]
            known = k - 1 if bare[chosen] else k
            corrected(
                points, groups, centers, known, offsets[chosen], order[chosen], best_lengths, sums,
                counts, weights,
            )  # fmt: skip
        elif fresh:
            sums[:] = reference_sums
            counts[:] = reference_counts
            looks = from_reference(
                points, groups, centers, reference, margins, labels, sums, counts, weights
            )
            fresh = looks < n // 3
        else:
            set_reference(
                points, groups, centers, margins, labels, reference_sums, reference_counts, weights
            )
            reference[:] = centers
            sums[:] = reference_sums
            counts[:] = reference_counts
            looks = n
            fresh = True
        total_looks += looks
        if looks > most:
            most = looks
            costliest[:] = centers
        if iteration == MAX_ITERATIONS:
            break
        for c in range(k):
            count = 0.0
            for j in range(g):
                count += counts[c, j]
            total_count[c] = count
            for a in range(d):
                s = 0.0
                for j in range(g):
                    s += sums[c, j, a]
                total_sum[c, a] = s
        if total_count[k - 1] > most_held:
            return total_looks, DROPPED, np.inf
        for i in range(m):
            label, _ = _nearest(antidote[i], centers)
            total_count[label] += 1.0
            for a in range(d):
                total_sum[label, a] += antidote[i, a]
        same = True
        for c in range(k):
            if total_count[c] == 0.0:
                return total_looks, EMPTIED, np.inf
            for a in range(d):
                moved = total_sum[c, a] / total_count[c]
                if moved != centers[c, a]:
                    same = False
                    centers[c, a] = moved
        if same:
            break
    inertia = group_costs(centers, sums, counts, squares, costs)
    return total_looks, CONVERGED, inertia + antidote_inertia(antidote, centers)


def _distances(points: Floats, centers: Floats) -> Floats:
    columns = [np.einsum("ij,ij->i", points - c, points - c) for c in centers]
    return np.sqrt(np.stack(columns, axis=1))


def anchor_lists(
    points: Floats, centers: Floats, k: int
) -> tuple[Ints, Ints, Floats, NDArray[np.int32]]:
    """Labels (n,), offsets (k+1,), keys and order (k-1, n) of an anchor.

    With k - 1 centres the anchor is bare and its last slot holds minus the distance to the own
    centre.
    """
    known = len(centers)
    distances = _distances(points, centers)
    labels = np.empty(len(points), dtype=np.int64)
    assign(points, centers, labels, np.empty(len(points)))
    offsets = np.zeros(k + 1, dtype=np.int64)
    offsets[1:] = np.cumsum(np.bincount(labels, minlength=k))
    keys = np.empty((k - 1, len(points)))
    order = np.empty((k - 1, len(points)), dtype=np.int32)
    for c in range(known):
        members = np.flatnonzero(labels == c)
        where = slice(offsets[c], offsets[c + 1])
        own = distances[members, c]
        for s in range(k - 1):
            e = s if s < c else s + 1
            values = distances[members, e] - own if e < known else -own
            ranks = np.argsort(values, kind="stable")
            keys[s, where] = values[ranks]
            order[s, where] = members[ranks]
    return labels, offsets, keys, order
