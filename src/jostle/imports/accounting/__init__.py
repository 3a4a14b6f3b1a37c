"""Imports the accounting of batch systems into table batch_jobs."""
