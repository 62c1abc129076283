"""Flat pictures of the feature space: where points land on a map, and which of them are drawn."""

from antidote_core.projection.layout import MAP_LIMIT, map_rows
from antidote_core.projection.plane import Plane, cluster_cells, fit_plane
