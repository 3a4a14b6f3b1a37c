"""Reports on jobs as data structures: the content of `--json`, of the HTTP API and of tables."""
