"""Reports on jobs as plain data: the content of `--json`, the API and the tables."""
