"""What is reported of jobs, as plain data: the content of `--json`, the API and the tables."""
