"""Caches in memory: answers limited by their bytes, and slow results made in the background."""
