"""Result types of the analysis of placement.

Times in ns since the epoch or seconds; shares from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Touched:
    """The parts of one kind (leaves, pods or groups) of a fabric in which a job has nodes.

    Attributes:
        what: Kind of the parts: "leaf", "pod" or "group".
        number: Number of parts in which the job has nodes.
        least: Least number of parts in which its nodes would have room if the fabric were empty.
        names: Names of the parts, in order.
    """

    what: str
    number: int
    least: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """The smallest box of a torus or mesh around a job; in a torus it may wrap around.

    Attributes:
        begin: First coordinate of the box in each dimension.
        lengths: Length of the box in each dimension.
        nodes: Number of nodes of the fabric in the box.
    """

    begin: tuple[int, ...]
    lengths: tuple[int, ...]
    nodes: int


@dataclass(frozen=True)
class Shape:
    """Measures of a job's placement in one fabric; None: not defined in such a fabric.

    Attributes:
        fabric: Name of the fabric.
        kind: Kind of the fabric.
        nodes: Number of nodes of the job that are in the fabric.
        unknown: Number of nodes of the job that are not.
        routers: Number of switches that its nodes are attached to.
        whole_routers: Number of these switches of which it has all nodes.
        hops: Mean number of links between the switches of two of its nodes; None: one node.
        most_hops: Greatest number of links between the switches of two of its nodes.
        box: The smallest box around it; torus and mesh only.
        contiguity: Number of its nodes over the number of nodes in the box.
        pieces: Number of connected pieces of its routers; None where routers are not joined
            directly.
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
    """A job that ran concurrently with another one, and the routers and links that both may use.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        user: Uid of its owner; None: not shown.
        share: The part of the other job's run time in which it ran.
        nodes: Number of its nodes in the fabric.
        routers: Number of its routers.
        shared_routers: Number of routers on which both have nodes.
        shared_links: Number of links between switches that the traffic of both may take.
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
    """All jobs that ran concurrently with a job.

    Attributes:
        meetings: The concurrent jobs, those with most shared links first.
        links: Number of links between switches that the job's own traffic may take.
        conflicting_routers: Mean number of routers, while the job ran, that were allocated to jobs
            that may use the same links.
        shared_routers: Mean number of routers on which another job had a node, too.
        shared_links: Mean number of links that the traffic of another job may take, too.
    """

    meetings: tuple[Meeting, ...]
    links: int
    conflicting_routers: float
    shared_routers: float
    shared_links: float


@dataclass(frozen=True)
class CommunicatorShape:
    """A communicator of a job, with the hops between its ranks.

    Attributes:
        name: Number of the communicator in hexadecimal digits, or "world".
        size: Number of its ranks.
        hops: Mean number of links between two of its ranks; 0 for ranks on one router.
        nodes: Number of nodes that they run on.
        seconds: Mean over its ranks of the time in its collectives; None: unknown.
    """

    name: str
    size: int
    hops: float
    nodes: int
    seconds: float | None
