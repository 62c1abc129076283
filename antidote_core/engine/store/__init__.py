"""What is kept on disk: one folder per job, its log, and an index of all."""
