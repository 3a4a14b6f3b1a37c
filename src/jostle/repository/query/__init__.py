"""Queries of a repository, answered with DuckDB."""
