"""Queries of a repository, which DuckDB runs over its Parquet files."""
