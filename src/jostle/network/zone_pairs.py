"""Computes the traffic between leaf switches, groups or routers, per slice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jostle.network.demands import demands_of
from jostle.network.loads import adapters_of
from jostle.topology import Topology
from jostle.values.traffic import Traffic

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Zones:
    """Zones: leaf switches, groups or routers of a fabric that have nodes.

    Attributes:
        names: Name of each zone.
        vertices: Switches of each zone.
        zone_of: Zone of each vertex; -1: none.
    """

    names: tuple[str, ...]
    vertices: tuple[tuple[int, ...], ...]
    zone_of: Ints


def zones_of(
    topology: Topology, by: Literal["switch", "group"], groups: Collection[int] = ()
) -> Zones:
    """Return the zones of a fabric, in the order of its vertices.

    Args:
        topology: The fabric.
        by: Kind of zones: one per switch that nodes are attached to, or one per group.
        groups: Groups whose zones are returned; empty: all.
    """
    router = topology.switch_of
    own = topology.groups[router]
    inside = np.isin(own, list(groups)) if len(groups) else np.ones(len(router), bool)
    key = np.where(inside & (router >= 0), router if by == "switch" else own, -1)
    known = np.unique(key[(key >= 0) & ~topology.is_switch])
    zone_of = np.full(len(router), -1, np.int64)
    place = np.searchsorted(known, key)
    fits = (place < len(known)) & (key >= 0)
    fits[fits] = known[place[fits]] == key[fits]
    zone_of[fits] = place[fits]
    switches = [
        np.flatnonzero(topology.is_switch & (zone_of == zone)) for zone in range(len(known))
    ]
    names = [topology.vertices[each] if by == "switch" else f"group {each}" for each in known]
    return Zones(tuple(names), tuple(tuple(each.tolist()) for each in switches), zone_of)


@dataclass(frozen=True, eq=False)
class ZoneLoads:
    """Traffic between zones.

    Attributes:
        jobs: Bytes of each job: a row per slice, and for each pair of zones the column
            from * zones + to.
        modelled: The part of all traffic that comes from expanded collectives, 0 to 1.
    """

    jobs: dict[str, csr_array]
    modelled: float


def zone_loads(
    topology: Topology, traffic: Traffic, axis: tuple[int, int, int], zones: Zones
) -> ZoneLoads:
    """Return the bytes of each job from zone to zone; traffic within a host is left out.

    Args:
        topology: The fabric.
        traffic: Traffic between hosts.
        axis: Start ns, length ns and number of the slices.
        zones: The zones.
    """
    demands = demands_of(traffic)
    many, pairs, jobs = len(zones.names), len(demands.sources), len(demands.jobs)
    zone = np.array([_zone(topology, zones, host) for host in [*demands.hosts, ""]], np.int64)
    source, target = zone[demands.sources], zone[demands.targets]
    inside = (source >= 0) & (target >= 0) & (demands.sources != demands.targets)
    cell = np.where(inside, source * many + target, 0)
    onto = csr_array(
        (inside.astype(np.float32), (np.arange(pairs), cell)), shape=(pairs, max(many * many, 1))
    )
    total = csr_array((jobs * axis[2], onto.shape[1]), dtype=np.float32)
    sums = {}
    for demand in demands.parts:
        on_zones = csr_array(demand.patterns @ onto)
        before = float(total.sum())
        for moved in demand.moved(axis, jobs):
            total = total + moved @ on_zones
        sums[demand.kind] = float(total.sum()) - before
    return ZoneLoads(
        {
            name: csr_array(total[k * axis[2] : (k + 1) * axis[2]])
            for k, name in enumerate(demands.jobs)
        },
        sums.get("collectives", 0.0) / max(sum(sums.values()), 1e-30),
    )


def _zone(topology: Topology, zones: Zones, host: str) -> int:
    adapters = adapters_of(topology, host)
    return int(zones.zone_of[adapters[0]]) if adapters else -1
