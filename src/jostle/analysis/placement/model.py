"""Result types of the analysis of placement.

Instants are in ns since the epoch, durations in seconds, and shares from 0 to 1. A router is a
switch with nodes; hops are the links between two routers.
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
        least: Least number of parts that would have room for as many nodes in an empty fabric.
        names: Names of the parts, in order.
    """

    what: str
    number: int
    least: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """The smallest box of a torus or mesh that contains all nodes of a job.

    In a torus, the box may continue from the end of a dimension at its start.

    Attributes:
        begin: First coordinate of the box in each dimension.
        lengths: Length of the box in each dimension.
        nodes: Number of nodes of the fabric that are in the box.
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
        unknown: Names of the nodes of the job that are not in the fabric.
        routers: Number of switches to which the job's nodes are attached.
        whole_routers: Number of these switches of which the job has all nodes.
        hops: Mean number of links between the switches of two of the job's nodes; None for a
            single node.
        most_hops: Greatest number of links between the switches of two of the job's nodes.
        box: The smallest box around the job; torus and mesh only.
        contiguity: Number of the job's nodes divided by the number of nodes in the box.
        pieces: Number of connected pieces into which the job's routers fall; None in a fabric
            whose routers are not linked directly.
        touched: Parts of the fabric in which the job has nodes: leaves and pods of a fat tree,
            groups of a dragonfly.
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
    """A job that ran concurrently with the examined job, with the routers and links of both.

    Attributes:
        job: Name of the concurrent job.
        program: Program of the concurrent job.
        user: Uid of its owner; None: not shown.
        share: The part of the examined job's run time in which the concurrent job ran.
        nodes: Number of nodes of the concurrent job in the fabric.
        routers: Number of routers of the concurrent job.
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
        """Whether the traffic of both jobs may take the same links."""
        return self.shared_links > 0


@dataclass(frozen=True)
class Company:
    """All jobs that ran concurrently with a job.

    Attributes:
        meetings: The concurrent jobs, the one with the most shared links first.
        links: Number of links between switches that the job's own traffic may take.
        conflicting_routers: Number of routers of other jobs that may use the same links; mean over
            the job's run time.
        shared_routers: Number of the job's routers on which another job had a node, too; mean over
            the job's run time.
        shared_links: Number of the job's links that the traffic of another job may take, too; mean
            over the job's run time.
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
        size: Number of ranks of the communicator.
        hops: Mean number of links between two of its ranks; 0 for ranks on one router.
        nodes: Number of nodes on which its ranks run.
        seconds: Time of a rank in the communicator's collectives, mean over its ranks; None:
            unknown.
    """

    name: str
    size: int
    hops: float
    nodes: int
    seconds: float | None
