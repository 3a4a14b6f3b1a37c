"""Draws a tree of switches with the jobs on its nodes, and the traffic on each cable."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from jostle.network import routes_of
from jostle.topology import Topology
from jostle_lab.validation.lab.messages import MessageJob

#: Beginnings of a line: a branch, the last branch, and what continues next to each.
_LINES = ("├─ ", "└─ ", "│  ", "   ")
_PLAIN = ("|- ", "`- ", "|  ", "   ")


def crossed(
    topology: Topology, jobs: Sequence[MessageJob], sent: Mapping[str, int]
) -> list[dict[str, float]]:
    """Return the bytes that each job sent over each link.

    Args:
        topology: The fabric.
        jobs: Jobs whose ranks all send the same to each other.
        sent: Bytes that each job sent, by the job's name.
    """
    over: list[dict[str, float]] = [{} for _ in topology.sources]
    for job in jobs:
        pairs = np.array(list(itertools.permutations([topology.place[n] for n in job.nodes], 2)))
        parts = np.asarray(routes_of(topology, *pairs.T).low.sum(axis=0)).ravel() / len(pairs)
        for link in np.flatnonzero(parts).tolist():
            over[link][job.name] = sent.get(job.name, 0) * float(parts[link])
    return over


def shared(topology: Topology, over: Sequence[Mapping[str, float]], a: str, b: str) -> list[str]:
    """Return the names of the links that two jobs crossed."""
    return [topology.link_name(link) for link, jobs in enumerate(over) if a in jobs and b in jobs]


def picture(
    topology: Topology,
    jobs: Sequence[MessageJob],
    over: Sequence[Mapping[str, float]],
    *,
    utf8: bool,
) -> Iterator[str]:
    """Yield the lines of the picture: each switch and node below the switch above it in the tree.

    Next to a switch are the bytes that crossed the cable above it upwards, and whether jobs share
    that cable.
    """
    of_node = {node: job.name for job in jobs for node in job.nodes}
    marks = _LINES if utf8 else _PLAIN
    shares = "  ← shared" if utf8 else "  <- shared"
    top = int(np.argmax(topology.levels))

    def below(vertex: int, lead: str) -> Iterator[str]:
        links = [
            link
            for link in np.flatnonzero(topology.sources == vertex).tolist()
            if topology.levels[topology.targets[link]] < topology.levels[vertex]
        ]
        for link in links:
            child, is_last = int(topology.targets[link]), link == links[-1]
            name = topology.vertices[child]
            up = topology.link_place[f"{name} > {topology.vertices[vertex]}"]
            loads = _loads(over[up]) + shares * (len(over[up]) > 1)
            label = loads if topology.is_switch[child] else of_node.get(name, "")
            yield f"{lead}{marks[is_last]}{name:<7} {label}".rstrip()
            yield from below(child, lead + marks[2 + is_last])

    yield topology.vertices[top]
    yield from below(top, "")


def _loads(jobs: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in jobs.items())
