"""Verdicts for the pages: the queue, the worker, the store on disk, and the matrix."""
