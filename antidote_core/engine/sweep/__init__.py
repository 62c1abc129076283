"""Sweeps on dask: the tasks, the pool that computes them, and parts of U on its workers."""
