"""Computes routes through a fabric (network), and the loads of its links.

The package's interface:
    link_loads: the bytes per link, slice and job (LinkLoads) that traffic of jobs causes.
    routes_of: the links that carry the traffic of pairs of vertices (Routes).
    shared_links, shared_routers: links and routers that two jobs share.
    zone_links: the links of a zone, a part of a fabric.
    footprint: the links that traffic among some nodes may take.
    distances: the numbers of links between switches.

Pure functions on tables: no files, no printing.
"""

from jostle.network.footprints import APART, between_switches, distances, footprint
from jostle.network.loads import LinkLoads, link_loads
from jostle.network.routes import Routes, routes_of
from jostle.network.shared import Shared, shared_links, shared_routers
from jostle.network.zones import zone_links

__all__ = [
    "APART",
    "LinkLoads",
    "Routes",
    "Shared",
    "between_switches",
    "distances",
    "footprint",
    "link_loads",
    "routes_of",
    "shared_links",
    "shared_routers",
    "zone_links",
]
