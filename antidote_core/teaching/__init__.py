"""The idea on points of the plane: lessons, the playground, and their drawings."""
