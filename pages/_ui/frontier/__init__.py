"""The blocks of Frontier."""
