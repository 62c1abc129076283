"""Clusterings."""
