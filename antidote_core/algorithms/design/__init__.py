"""V by convex programs: which centres k-means should find, and where V must lie for that."""
