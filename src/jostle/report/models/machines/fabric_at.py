"""Mean loads of a fabric's links in one span of time: the data of a plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.errors import UsageError
from jostle.report.models.machines.link_facts import NO_JOB, FabricLoads

if TYPE_CHECKING:
    from jostle.network.zone_pairs import Zones
    from jostle.repository import Repository
    from jostle.repository.query.resources.co_running import JobFacts
    from jostle.topology import Topology

Floats = NDArray[np.float64]
_HOUR_NS = 3600 * 10**9
#: Length of the span around a requested instant, ns: that of a usual slice.
_AROUND_NS = 4 * 10**9


@dataclass(frozen=True, eq=False)
class FabricAt:
    """Mean loads of links in a span.

    Attributes:
        topology: The fabric.
        start_ns: Start of the span, ns since the epoch.
        end_ns: End of the span, ns since the epoch.
        job: The job whose traffic is included; "": all jobs.
        load: Load of each link, bytes per second.
        is_measured: Whether the load of each link was counted by its port; else it is routed.
        busiest: The job with most traffic on each link; "": none.
        zones: The groups of a dragonfly, or the leaves of another fabric; None: a fabric with
            dimensions has no zones.
        sent: Traffic from zone to zone, bytes per second: (zones, zones).
        placed: Names of the jobs on each host.
    """

    topology: Topology
    start_ns: int
    end_ns: int
    job: str
    load: Floats
    is_measured: NDArray[np.bool_]
    busiest: tuple[str, ...]
    zones: Zones | None
    sent: Floats
    placed: dict[str, tuple[str, ...]] = field(default_factory=dict)


def fabric_at(
    store: Repository, topology: Topology, at_ns: int | None = None, job: str | None = None
) -> FabricAt:
    """Return the mean loads of a fabric's links.

    Args:
        store: The repository.
        topology: The fabric.
        at_ns: Instant in the middle of the span. If it is None, the span is the run time of the
            job; without a job it is the last hour.
        job: Job whose traffic alone is included; None: all jobs, and the counters of ports.

    Raises:
        UsageError: No job has run.
    """
    from jostle.network import link_loads
    from jostle.network.zone_pairs import zone_loads, zones_of

    facts = store.messages.facts([job] if job else None)
    if not facts:
        raise UsageError("No job has run on this fabric yet, so its links have no known load.")
    end = max(fact.last_ns for fact in facts.values())
    start = min(fact.start_ns for fact in facts.values())
    if at_ns is not None:
        start, end = (at_ns - _AROUND_NS // 2, at_ns + _AROUND_NS // 2)
    elif job is None:
        start = max(start, end - _HOUR_NS)
    axis = start, max(end - start, 1), 1
    traffic = store.traffic((start, end), [job] if job else None)
    ports = None if job else store.port_counters((start, end))
    fabric = FabricLoads(link_loads(topology, traffic, axis, ports))
    zones, sent = None, np.zeros((0, 0))
    if not topology.sizes:
        zones = zones_of(topology, "group" if topology.kind == "dragonfly" else "switch")
        pairs = zone_loads(topology, traffic, axis, zones).jobs.values()
        many = len(zones.names)
        whole = sum((each.toarray()[0] for each in pairs), start=np.zeros(many * many))
        sent = whole.reshape(many, many) / (axis[1] / 1e9)
    names = (*fabric.jobs, "")
    who = [
        names[min(place, len(names) - 1)] if place != NO_JOB else ""
        for place in fabric.busiest_jobs(0, 1)[0].tolist()
    ]
    return FabricAt(
        topology,
        start,
        end,
        job or "",
        fabric.rates(0, 1)[0][0],
        fabric.loads.is_measured,
        tuple(who),
        zones,
        sent,
        _placed(facts.values(), start, end),
    )


def _placed(facts: Iterable[JobFacts], start: int, end: int) -> dict[str, tuple[str, ...]]:
    """Return the jobs on each host in a span, the earliest first."""
    there: dict[str, list[str]] = {}
    for fact in sorted(facts, key=lambda fact: (fact.start_ns, fact.job)):
        if fact.start_ns < end and fact.last_ns > start:
            for host in fact.nodes:
                there.setdefault(host, []).append(fact.job)
    return {host: tuple(jobs) for host, jobs in there.items()}
