"""Verbs that record jobs, or ingest, import and receive what was recorded."""
