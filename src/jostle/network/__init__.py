"""Routes through a fabric, and what its links carried.

The package's interface:
    LinkLoads: bytes per link, slice and job.

Pure functions on tables: no files, no printing.
"""

from jostle.network.loads import LinkLoads

__all__ = ["LinkLoads"]
