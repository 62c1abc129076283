"""Data that do not fit into memory: a folder of Parquet files that no process opens as a whole."""
