"""Costs that look at every point and centre: not functions of counts and group costs alone."""
