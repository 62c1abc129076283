"""What runs, sweeps and clusterings mean, in sentences."""
