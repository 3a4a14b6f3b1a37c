"""Routes through a fabric, and what its links carried.

The package's interface:
    link_loads: traffic of jobs -> LinkLoads: bytes per link, slice and job.
    routes_of: pairs of vertices -> Routes: which links carry their traffic.
    footprint: the links that traffic among some nodes may take; distances: hops.

Pure functions on tables: no files, no printing.
"""

from jostle.network.footprints import APART, between_switches, distances, footprint
from jostle.network.loads import LinkLoads, link_loads
from jostle.network.routes import Routes, routes_of

__all__ = [
    "APART",
    "LinkLoads",
    "Routes",
    "between_switches",
    "distances",
    "footprint",
    "link_loads",
    "routes_of",
]
