"""UMAP positions of points, reproducible for a seed.

The first fit in a process compiles for some ten seconds. scikit-learn finds the neighbours, which
spares UMAP the compilation of its own search.
"""

from __future__ import annotations

import numpy as np

from antidote_core.projection.layout import NEIGHBOURS, SEED
from antidote_core.types import Floats


def umap_positions(points: Floats, seed: int = SEED) -> Floats:
    """UMAP positions (n, 2) of points (n, d)."""
    import warnings

    from sklearn.neighbors import NearestNeighbors

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import umap

        count = min(NEIGHBOURS, len(points) - 1)
        search = NearestNeighbors(n_neighbors=count + 1).fit(points)
        distances, nearest = search.kneighbors(points)
        model = umap.UMAP(
            n_neighbors=count + 1,
            random_state=seed,
            n_jobs=1,
            init="pca",
            precomputed_knn=(nearest, distances.astype(np.float32)),
        )
        positions: Floats = model.fit_transform(points).astype(np.float64)
    return positions
