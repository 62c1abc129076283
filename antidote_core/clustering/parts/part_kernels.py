"""Kernels over one part of U, compiled by numba on first use and cached on disk."""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.anchors import _jit, _nearest, _squared


@_jit
def list_keys(points, centers, labels, keys):
    """Nearest of the centres (known, d) for every point, and the keys (k-1, n) of its lists.

    Slot s of a point of cluster c is about the move to e = s if s < c else s + 1: d(x, A_e) -
    d(x, A_c), or -d(x, A_c) where e is the centre that a bare anchor leaves open.
    """
    known = centers.shape[0]
    distances = np.empty(known)
    for i in range(points.shape[0]):
        label = 0
        best = np.inf
        for c in range(known):
            squared = _squared(points[i], centers[c])
            distances[c] = np.sqrt(squared)
            if squared < best:
                best = squared
                label = c
        labels[i] = label
        for s in range(keys.shape[0]):
            e = s if s < label else s + 1
            keys[s, i] = -distances[label]
            if e < known:
                keys[s, i] += distances[e]


@_jit
def add_up(points, groups, labels, sums, counts):
    """Add every point to the sums (k, g, d) and counts (k, g) of its label and group."""
    for i in range(points.shape[0]):
        c = labels[i]
        j = groups[i]
        counts[c, j] += 1.0
        for a in range(points.shape[1]):
            sums[c, j, a] += points[i, a]


@_jit
def pass_within(points, groups, centers, most_held, sums, counts):
    """A full pass that ends once the last cluster has more than `most_held` points.

    Returns the number of points looked at.
    """
    last = centers.shape[0] - 1
    held = 0
    for i in range(points.shape[0]):
        label, _ = _nearest(points[i], centers)
        j = groups[i]
        counts[label, j] += 1.0
        for a in range(points.shape[1]):
            sums[label, j, a] += points[i, a]
        if label == last:
            held += 1
            if held > most_held:
                return i + 1
    return points.shape[0]
