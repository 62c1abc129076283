"""Flat pictures of the feature space: where points land on a map, and which of them are drawn."""

from antidote_core.projection.layout import MAP_LIMIT, map_rows
from antidote_core.projection.pca import Plane, fit_plane
from antidote_core.projection.voronoi import cluster_cells

__all__ = ["MAP_LIMIT", "Plane", "cluster_cells", "fit_plane", "map_rows"]
