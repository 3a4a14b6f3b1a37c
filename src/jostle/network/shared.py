"""Finds links and routers that carry traffic of two jobs at the same time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jostle.network.loads import LinkLoads

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shared:
    """Links or routers that two jobs share, those with the most traffic of both first.

    Attributes:
        places: Links, or routers (vertices of switches that nodes are attached to).
        first: For each place, a part of the first job's traffic, 0 to 1: what crosses the place in
            slices in which traffic of the second job crosses it, too.
        second: The same for traffic of the second job.
    """

    places: Ints
    first: Floats
    second: Floats


def shared_links(loads: LinkLoads, first: str, second: str) -> Shared:
    """Return the links that two jobs share; none for a job without traffic.

    Args:
        loads: The loads of all jobs.
        first: Name of the first job.
        second: Name of the second job.
    """
    return _shared(loads, first, second, None)


def shared_routers(loads: LinkLoads, first: str, second: str) -> Shared:
    """Return the routers that two jobs share (arguments as for `shared_links`)."""
    topology = loads.topology
    links = len(topology.sources)
    into = csr_array(
        (np.ones(links, np.float32), (np.arange(links), topology.targets)),
        shape=(links, len(topology.vertices)),
    )
    shared = _shared(loads, first, second, into)
    routers = np.zeros(len(topology.vertices), bool)
    attached = topology.switch_of[~topology.is_switch]
    routers[attached[attached >= 0]] = True
    kept = routers[shared.places]
    return Shared(shared.places[kept], shared.first[kept], shared.second[kept])


def _shared(loads: LinkLoads, first: str, second: str, into: csr_array | None) -> Shared:
    nothing = Shared(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    if first not in loads.jobs or second not in loads.jobs:
        return nothing
    both = [
        loads.jobs[job] if into is None else csr_array(loads.jobs[job] @ into)
        for job in (first, second)
    ]
    there = [(matrix > 0).astype(np.float32) for matrix in both]
    parts = []
    for k, job in enumerate((first, second)):
        moved = np.asarray((both[k] * there[1 - k]).sum(axis=0), np.float64).ravel()
        whole = loads.offered[job] - loads.lost[job]
        parts.append(np.minimum(moved / whole, 1) if whole > 0 else np.zeros(len(moved)))
    places = np.flatnonzero((parts[0] > 0) & (parts[1] > 0))
    order = np.argsort(-(parts[0] * parts[1])[places], kind="stable")
    places = places[order]
    return Shared(places, parts[0][places], parts[1][places])
