"""The paper's tables computed again: every cell beside the number that was printed."""
