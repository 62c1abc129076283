"""The command line: what runs here at once, and the jobs that are kept."""
