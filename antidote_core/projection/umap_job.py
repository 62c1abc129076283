"""`python -m antidote_core.projection.umap_job POINTS.npz LAYOUT.npz`: one UMAP layout.

A process of its own, because the first fit compiles for some ten seconds. scikit-learn finds the
neighbours, which spares UMAP the compilation of its own search.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from antidote_core.projection.layout import NEIGHBOURS, SEED
from antidote_core.types import Floats


def umap_positions(points: Floats, seed: int = SEED) -> Floats:
    """UMAP positions (n, 2) of points (n, d), reproducible for a seed."""
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


def main(source: Path, target: Path) -> None:
    """Read rows and points, write rows and positions; the points file is removed."""
    with np.load(source, allow_pickle=False) as stored:
        rows, points = stored["rows"], stored["points"]
    positions = umap_positions(points)
    unfinished = target.with_suffix(".new.npz")
    np.savez_compressed(
        unfinished, rows=rows.astype(np.int32), positions=positions.astype(np.float32)
    )
    os.replace(unfinished, target)
    source.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
