"""Types of synthetic runs of a program on a torus, and of their truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jostle.topology import Topology

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Gemini routers of Hopper along x, y and z; each has two nodes.
SIZES = (17, 8, 24)
NODES_PER_ROUTER = 2
PROGRAM, LONG, HEAVY, CALM = "pf3d", "pf3d-long", "milc", "lsms"


@dataclass(frozen=True)
class PlacedJob:
    """A job to be placed.

    Attributes:
        job: The job's name.
        program: The job's program.
        nodes: Numbers of the job's nodes; node 2 r + k is node k of router r.
        start_s, end_s: Start and end of the job, seconds since the day of the first run.
    """

    job: str
    program: str
    nodes: Ints
    start_s: float
    end_s: float


@dataclass(frozen=True)
class PlacedRun:
    """One run of the program.

    Attributes:
        place: The placed job.
        rate: The run's messaging rate, bytes/s of one rank.
        conflicting: Number of routers whose nodes belong to jobs that share links with the run.
        alongside: Whether one of these jobs runs the heavy program, MILC.
        collective_s: Time of a rank in the collectives of each communicator.
        compute_s: Time that each rank computes.
        slice_rates: Messaging rate in each slice of a long run; empty: the same in all slices.
    """

    place: PlacedJob
    rate: float
    conflicting: int
    alongside: bool
    collective_s: Floats
    compute_s: Floats
    slice_rates: Floats


@dataclass(frozen=True)
class Placements:
    """The truth of a synthetic repository.

    Attributes:
        path: The repository's folder.
        topology: The repository's fabric.
        runs: Runs of PROGRAM, in order of time.
        long_runs: Runs of LONG.
        alike: Jobs of the two runs that have 98.7 % of their own nodes, and 92.8 % of their
            neighbours' nodes, in common.
        same_nodes: Jobs of the two runs with the same nodes and other neighbours.
    """

    path: Path
    topology: Topology
    runs: tuple[PlacedRun, ...]
    long_runs: tuple[PlacedRun, ...]
    alike: tuple[str, str]
    same_nodes: tuple[str, str]
