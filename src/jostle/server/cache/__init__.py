"""Caches in memory: of answers, limited in bytes, and of results that take seconds."""
