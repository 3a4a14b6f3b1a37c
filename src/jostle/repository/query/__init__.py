"""Questions to a repository, answered with DuckDB."""
