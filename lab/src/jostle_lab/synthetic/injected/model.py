"""Parameters of a synthetic repository, and the truth about its content.

Times in seconds unless the name ends in _ns (since the epoch, CLOCK_REALTIME).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow as pa

FaultKind = Literal[
    "unprofiled job",
    "unprofiled load",
    "slow server",
    "throttled node",
    "capped disk",
    "lossy link",
    "throttled GPU",
    "failing GPU",
]
Kind = Literal["file system", "network", "node"]
#: A slice has interference if at least this share of it was lost to others, and is clean below the
#: second share; slices between the two are not scored.
DISTURBED, CLEAN = 0.05, 0.01


@dataclass(frozen=True)
class Fault:
    """A disturbance that is injected in addition to the jobs.

    | kind | what it is | where | size |
    |---|---|---|---|
    | unprofiled job | a job that slows others, but has no profile | its name | - |
    | unprofiled load | reads and writes that slow no job | the client's host | bytes/s |
    | slow server | requests take longer, without load | - (see mount) | factor, above 1 |
    | throttled node | cores run slower, and so do the jobs on them | host | share left, below 1 |
    | capped disk | the disk's throughput is less | host | share left, below 1 |
    | lossy link | packets are lost and sent again | host | share of packets |
    | throttled GPU | power or heat lowers the clock of a node's first GPU | host | share left |
    | failing GPU | a node's last GPU reports errors | host | errors a day |

    Attributes:
        kind: Kind of the disturbance, from the table.
        where: Place of the disturbance, see the table.
        size: Strength of the disturbance, see the table.
        mount: Number of the file system (slow server, unprofiled load).
        start_s: Time at which the disturbance begins, s after the first slice of the repository's
            time.
        end_s: Time at which the disturbance ends, s after the first slice.
        batch: Name of the batch job under which agents record unprofiled work, such as slurm-12;
            "": the agents know only the client.
    """

    kind: FaultKind
    where: str = ""
    size: float = 1.0
    mount: int = 0
    start_s: float = 0.0
    end_s: float = float("inf")
    batch: str = ""

    def acts(self, start_s: float, end_s: float) -> bool:
        """Return whether the disturbance acts within a span of time."""
        return self.start_s < end_s and self.end_s > start_s


@dataclass(frozen=True)
class Spec:
    """The specification of a synthetic repository.

    Attributes:
        jobs: Number of jobs.
        slices: Approximate number of slices from the start of the first job to the end of the last
            one.
        length: Length of a job without interference, in slices (mean; jobs have half to one and a
            half times it, some aggressors a third of that).
        processes: Largest number of processes of a job (jobs have a quarter of it to all of it).
        slice_s: Length of a slice, in seconds.
        mounts: Number of shared file systems.
        users: Number of owners of jobs.
        harm: Strength of the dose-response; 0: no job slows another (for false alarms).
        noise: Standard deviation of the log of a job's own service times, autocorrelated.
        weather: Standard deviation of the log of the service time of a file system or the network:
            a slowdown of all jobs that no job in the repository causes.
        coincidence: Share of jobs whose phases coincide with another job's although neither slows
            the other by it.
        roommates: Share of jobs that share the nodes of another.
        faults: Further disturbances; those on disks and links are visible in the slices of
            components only (`plant_machines`).
    """

    jobs: int = 12
    slices: int = 900
    length: int = 450
    processes: int = 8
    slice_s: float = 1.0
    mounts: int = 2
    users: int = 3
    harm: float = 1.0
    noise: float = 0.10
    weather: float = 0.05
    coincidence: float = 0.3
    roommates: float = 0.12
    faults: tuple[Fault, ...] = ()

    @property
    def unprofiled(self) -> frozenset[str]:
        """Jobs that have no profile."""
        return frozenset(fault.where for fault in self.faults if fault.kind == "unprofiled job")


#: 1000 jobs and 20 million process-slices: ten hours of 4 s, 35 jobs of 60 processes at a time.
LARGE = Spec(jobs=1000, slices=9000, length=300, processes=96, slice_s=4.0, mounts=3, users=40)


@dataclass(frozen=True)
class InjectedJob:
    """The truth about one job.

    Attributes:
        job: The job's name.
        program: The job's program.
        uid: User ID of the job's owner.
        nodes: The job's nodes.
        processes: Number of processes of the job.
        start_ns: The job's start.
        end_ns: The job's end.
        alone_s: The job's run time with its own noise and the weather, but without the others.
        lost: Seconds of run time that the job lost to other jobs, by (kind, resource).
        by: Seconds that the job lost to one other job, by (kind, resource, other job).
    """

    job: str
    program: str
    uid: int
    nodes: tuple[str, ...]
    processes: int
    start_ns: int
    end_ns: int
    alone_s: float
    lost: dict[tuple[Kind, str], float]
    by: dict[tuple[Kind, str, str], float]

    @property
    def lost_s(self) -> float:
        """Seconds that the job lost to other jobs in total."""
        return sum(self.lost.values())

    @property
    def run_s(self) -> float:
        """The job's run time."""
        return (self.end_ns - self.start_ns) / 1e9

    def culprit(self, kind: Kind, resource: str) -> str:
        """Return the job that caused most of the lost time on a resource; "" if no job did."""
        here = {key[2]: value for key, value in self.by.items() if key[:2] == (kind, resource)}
        return max(here, key=lambda name: here[name]) if here else ""


@dataclass(frozen=True)
class Injected:
    """A synthetic repository and the truth about it.

    Attributes:
        path: The repository's folder.
        spec: The repository's specification.
        seed: Seed of all random steps.
        jobs: Truth about each job, by name.
        slices: Table of lost time, with one row per job, slice and resource: job, slice, slice_ns,
            kind, resource, seconds, suspect (the job that caused most of it).
        process_slices: Number of rows of table slices.
    """

    path: Path
    spec: Spec
    seed: int
    jobs: dict[str, InjectedJob]
    slices: pa.Table
    process_slices: int = 0
    unprofiled: dict[str, pa.Table] = field(default_factory=dict)
    """Activity of the jobs without a profile: rows as in the tables slices and mount_slices."""
    programs: dict[tuple[str, str, Kind], float] = field(default_factory=dict)
    """(victim's program, aggressor's program, kind) -> percent of the run time of the victim's runs
    that the other's runs cost them; pairs that never shared a resource are absent."""
