"""The run record: what was asked, what happened, and what it means. No solver and no file."""
