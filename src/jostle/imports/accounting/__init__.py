"""Reads the accounting of batch systems and takes it into table batch_jobs."""
