"""Finds which routers and links of the network a job shares with concurrent jobs."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis.identification.model import OTHERS
from jostle.analysis.placement.fabric_map import FabricMap
from jostle.analysis.placement.model import Company, Floats, Ints, Meeting


@dataclass(frozen=True)
class Stay:
    """A job with its nodes and the time in which it ran.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        user: Uid of the job's owner; None: not shown.
        hosts: Nodes of the job.
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job, or the last time at which it was known to run, ns since the epoch.
    """

    job: str
    program: str
    user: int | None
    hosts: tuple[str, ...]
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class _Met:
    """One job that ran concurrently with the job that is examined.

    Attributes:
        stay: The concurrent job.
        span: Start and end of the time in which both ran, ns since the epoch.
        nodes: Number of its nodes in the fabric.
        routers: Its routers.
        both: Routers on which both jobs have nodes.
        links: Links that the traffic of both jobs may take.
    """

    stay: Stay
    span: tuple[int, int]
    nodes: int
    routers: Ints
    both: Ints
    links: Ints


def company(
    fabric_map: FabricMap, own: Stay, others: Sequence[Stay], hidden: Collection[str] = ()
) -> Company:
    """Find the routers and links that a job shares with jobs that ran at the same time.

    Args:
        fabric_map: The fabric.
        own: The job.
        others: Other jobs. Those that ran at another time or in another fabric are ignored.
        hidden: Names of jobs that may not be shown; they are combined into one entry, OTHERS.
    """
    routers = fabric_map.routers(own.hosts)
    links = fabric_map.footprint(own.hosts)
    length = max(own.end_ns - own.start_ns, 1)
    met = []
    for other in others:
        span = max(own.start_ns, other.start_ns), min(own.end_ns, other.end_ns)
        if span[1] <= span[0] or other.job == own.job:
            continue
        theirs = fabric_map.routers(other.hosts)
        if not len(theirs):
            continue
        both = np.intersect1d(routers, theirs, assume_unique=True)
        shared = np.flatnonzero(links & fabric_map.footprint(other.hosts))
        nodes = sum(host in fabric_map.router_of for host in other.hosts)
        met.append(_Met(other, span, nodes, theirs, both, shared))
    meetings = [_meeting(each.stay, [each], length) for each in met if each.stay.job not in hidden]
    unnamed = [each for each in met if each.stay.job in hidden]
    if unnamed:
        nobody = Stay(OTHERS, "", None, (), own.start_ns, own.end_ns)
        meetings.append(_meeting(nobody, unnamed, length))
    means = _means(
        [
            (each.routers if len(each.links) else each.routers[:0], each.both, each.links)
            for each in met
        ],
        [each.span for each in met],
        len(fabric_map.topology.vertices),
        len(links),
        length,
    )
    order = sorted(meetings, key=lambda each: (-each.shared_links, -each.shared_routers, each.job))
    return Company(tuple(order), int(links.sum()), *means)


def _meeting(stay: Stay, met: Sequence[_Met], length: int) -> Meeting:
    """Return what one concurrent job, or several together, share with the examined job.

    Args:
        stay: The concurrent job; for several jobs, a common name.
        met: The concurrent jobs.
        length: Run time of the examined job, in ns.
    """
    shares = [(each.span[1] - each.span[0]) / length for each in met]
    distinct = [
        len(np.unique(np.concatenate(parts)))
        for parts in (
            [each.routers for each in met],
            [each.both for each in met],
            [each.links for each in met],
        )
    ]
    nodes = sum(each.nodes for each in met)
    return Meeting(stay.job, stay.program, stay.user, max(shares), nodes, *distinct)


def _means(
    sets: Sequence[tuple[Ints, Ints, Ints]],
    spans: Sequence[tuple[int, int]],
    vertices: int,
    links: int,
    length: int,
) -> tuple[float, float, float]:
    """Return how many routers and links other jobs had on average over the job's run time.

    A router or link that several other jobs have at the same time counts once.

    Args:
        sets: For each other job: its routers, the shared routers, and the shared links.
        spans: For each other job, the time in which both ran, ns since the epoch.
        vertices: Number of vertices of the fabric.
        links: Number of links of the fabric.
        length: Run time of the job, in ns.

    Returns:
        Mean numbers of other jobs' routers, of shared routers, and of shared links.
    """
    edges = sorted({edge for span in spans for edge in span})
    sums: Floats = np.zeros(3)
    for begin, end in itertools.pairwise(edges):
        present = [k for k, span in enumerate(spans) if span[0] <= begin and span[1] >= end]
        for what, size in enumerate((vertices, vertices, links)):
            seen = np.zeros(size, dtype=bool)
            for k in present:
                seen[sets[k][what]] = True
            sums[what] += float(seen.sum()) * (end - begin)
    conflicting, shared, both = (sums / length).tolist()
    return conflicting, shared, both
