"""Rows on the repository and its answers: receiver, ingest, queries, verdicts."""
