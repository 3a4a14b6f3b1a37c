"""What placement analysis gives. Times in ns since the epoch or seconds; shares from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Touched:
    """How many parts of a fabric a job touches.

    Attributes:
        what: "leaf", "pod" or "group".
        number: How many of them the job has nodes in.
        least: In how few its nodes would have room, were the fabric empty.
        names: Which, in order.
    """

    what: str
    number: int
    least: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """The smallest box of a torus or mesh around a job; a torus' box may reach round its end.

    Attributes:
        begin: Its first coordinate in each dimension.
        lengths: Its length in each.
        nodes: Nodes of the fabric in it.
    """

    begin: tuple[int, ...]
    lengths: tuple[int, ...]
    nodes: int


@dataclass(frozen=True)
class Shape:
    """Where a job sits in one fabric. None: the measure is not defined in such a fabric.

    Attributes:
        fabric: Its name.
        kind: Its kind.
        nodes: Nodes of the job that are in the fabric.
        unknown: Nodes of the job that are not.
        routers: Switches that its nodes are attached to.
        whole_routers: Those of which it has all nodes.
        hops: Mean number of links between the switches of two of its nodes; None: one node.
        most_hops: The greatest such number.
        box: The smallest box around it; torus and mesh only.
        contiguity: Its nodes over the nodes in the box.
        pieces: Connected pieces of its routers; None where routers are not joined directly.
        touched: Leaves and pods of a fat tree, groups of a dragonfly.
    """

    fabric: str
    kind: str
    nodes: int
    unknown: tuple[str, ...]
    routers: int
    whole_routers: int
    hops: float | None
    most_hops: int | None
    box: Box | None
    contiguity: float | None
    pieces: int | None
    touched: tuple[Touched, ...]


@dataclass(frozen=True)
class Meeting:
    """A job that ran at the same time as another one, and what they can have in common.

    Attributes:
        job: Its name.
        program: Its program.
        user: Its owner's uid; None: not told.
        share: The part of the other job's time in which it ran.
        nodes: Its nodes in the fabric.
        routers: Its routers.
        shared_routers: Routers on which both have nodes.
        shared_links: Links between switches that the traffic of both may take.
    """

    job: str
    program: str
    user: int | None
    share: float
    nodes: int
    routers: int
    shared_routers: int
    shared_links: int

    @property
    def conflicting(self) -> bool:
        """Whether both might use the same links."""
        return self.shared_links > 0


@dataclass(frozen=True)
class Company:
    """All jobs that ran beside a job.

    Attributes:
        meetings: Each of them, those with most shared links first.
        links: Links between switches that the job's own traffic may take.
        conflicting_routers: Routers allocated to jobs that might use the same links: their mean
            number while the job ran.
        shared_routers: Routers on which another job had a node, too: the mean number.
        shared_links: Links that the traffic of another job may take, too: the mean number.
    """

    meetings: tuple[Meeting, ...]
    links: int
    conflicting_routers: float
    shared_routers: float
    shared_links: float


@dataclass(frozen=True)
class CommunicatorShape:
    """A communicator of a job.

    Attributes:
        name: Number of the communicator in hexadecimal digits; "world".
        size: Its ranks.
        hops: Mean number of links between two of its ranks; 0 for ranks on one router.
        nodes: Nodes that they run on.
        seconds: Mean over its ranks of the time in its collectives; None: unknown.
    """

    name: str
    size: int
    hops: float
    nodes: int
    seconds: float | None
