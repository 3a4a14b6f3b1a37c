"""Measures the hops of a job's communicators, and the time of ranks in their collectives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jostle.analysis.placement.fabric_map import FabricMap
from jostle.analysis.placement.model import CommunicatorShape, Floats, Ints


def communicators(
    fabric_map: FabricMap,
    hosts: Sequence[str],
    members: Mapping[int, Ints],
    collective_bytes: Mapping[int, Floats],
    collective_s: Floats,
) -> list[CommunicatorShape]:
    """Measure the communicators of a job, the one with the most hops first.

    The time in collectives is recorded per rank, not per communicator. So a rank's time is divided
    among its communicators in proportion to the bytes that it gave to the collectives of each.

    Args:
        fabric_map: The fabric.
        hosts: Node of each rank.
        members: Ranks of each communicator, by number of the communicator.
        collective_bytes: For each communicator, the bytes that each rank of the world gave to its
            collectives.
        collective_s: Time of each rank in collectives, seconds.
    """
    routers = np.array([fabric_map.router_of.get(host, -1) for host in hosts], np.int64)
    everything = sum(collective_bytes.values(), start=np.zeros(len(hosts)))
    shapes = []
    for number, given in members.items():
        ranks = given[(given >= 0) & (given < len(hosts))]
        ranks = ranks[routers[ranks] >= 0]
        places, count = np.unique(routers[ranks], return_counts=True)
        hops, _ = fabric_map.mean_hops(places, count)
        if hops is None:
            continue
        own = collective_bytes.get(number)
        seconds = None
        if own is not None and own[ranks].sum() > 0:
            part = np.divide(
                own[ranks], everything[ranks], out=np.zeros(len(ranks)), where=everything[ranks] > 0
            )
            seconds = float((collective_s[ranks] * part).mean())
        name = f"{number & (2**64 - 1):x}" if number else "world"
        nodes = len({hosts[rank] for rank in ranks.tolist()})
        shapes.append(CommunicatorShape(name, len(given), hops, nodes, seconds))
    return sorted(shapes, key=lambda each: (-each.hops, each.name))
