"""Flat pictures of the feature space: where points land on a map, and which of them are drawn."""

from antidote_core.projection.cells import cluster_cells
from antidote_core.projection.pca import Plane, fit_plane
from antidote_core.projection.sample import MAP_LIMIT, map_rows

__all__ = ["MAP_LIMIT", "Plane", "cluster_cells", "fit_plane", "map_rows"]
