"""Routes through a fabric, and what its links carried.

The package's interface:
    LinkLoads: bytes per link, slice and job.
    footprint: the links that traffic among some switches may take; distances: hops.

Pure functions on tables: no files, no printing.
"""

from jostle.network.footprints import APART, between_switches, distances, footprint
from jostle.network.loads import LinkLoads

__all__ = ["APART", "LinkLoads", "between_switches", "distances", "footprint"]
