"""Jobs that ran at the same time as another one: routers and links that they have in common."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis.placement.ground import Ground
from jostle.analysis.placement.model import Company, Floats, Ints, Meeting


@dataclass(frozen=True)
class Stay:
    """A job, where and when.

    Attributes:
        job: Its name.
        program: Its program.
        user: Its owner's uid; None: not told.
        hosts: Its nodes.
        start_ns: When it began.
        end_ns: When it ended, or how far it is known.
    """

    job: str
    program: str
    user: int | None
    hosts: tuple[str, ...]
    start_ns: int
    end_ns: int


def company(ground: Ground, own: Stay, others: Sequence[Stay]) -> Company:
    """Find what a job has in common with others that ran at the same time.

    Args:
        ground: The fabric.
        own: The job.
        others: Jobs, those that ran at another time or in another fabric too.
    """
    routers = ground.routers(own.hosts)
    links = ground.footprint(own.hosts)
    length = max(own.end_ns - own.start_ns, 1)
    meetings, sets, spans = [], [], []
    for other in others:
        begin, end = max(own.start_ns, other.start_ns), min(own.end_ns, other.end_ns)
        theirs = ground.routers(other.hosts)
        if end <= begin or other.job == own.job or not len(theirs):
            continue
        both = np.intersect1d(routers, theirs, assume_unique=True)
        shared = np.flatnonzero(links & ground.footprint(other.hosts))
        nodes = sum(host in ground.router_of for host in other.hosts)
        meetings.append(Meeting(
            other.job, other.program, other.user, (end - begin) / length, nodes, len(theirs),
            len(both), len(shared),
        ))  # fmt: skip
        sets.append((theirs if len(shared) else theirs[:0], both, shared))
        spans.append((begin, end))
    means = _means(sets, spans, len(ground.topology.vertices), len(links), length)
    order = sorted(meetings, key=lambda each: (-each.shared_links, -each.shared_routers, each.job))
    return Company(tuple(order), int(links.sum()), *means)


def _means(
    sets: Sequence[tuple[Ints, Ints, Ints]], spans: Sequence[tuple[int, int]], vertices: int,
    links: int, length: int,
) -> tuple[float, float, float]:  # fmt: skip
    """Return how many routers and links others had, each counted once, as means over the time."""
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
