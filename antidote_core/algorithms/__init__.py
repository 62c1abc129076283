"""The two algorithms of the paper, and V by convex programs."""
