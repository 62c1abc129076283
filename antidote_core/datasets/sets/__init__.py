"""One file per data set with its INFO; the planar teaching sets share one."""
