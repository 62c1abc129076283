"""Algorithm 1: antidote data for sum-of-norms clustering."""
