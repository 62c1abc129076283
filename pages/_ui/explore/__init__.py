"""The blocks of Explore."""
