"""Caches in memory: of answers up to a number of bytes, and of slow results."""
