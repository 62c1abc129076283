"""The blocks of Learn."""
