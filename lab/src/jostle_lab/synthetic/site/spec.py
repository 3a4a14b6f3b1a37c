"""Parameters of a simulated site, and the truth about what was injected into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jostle.schema.settings import DEFAULT_SLICE_NS

#: A Monday, 0:00 UTC, long ago.
START_NS = 1_748_822_400 * 1_000_000_000

Form = Literal["repository", "spools"]


@dataclass(frozen=True)
class SiteSpec:
    """A site to be simulated.

    Attributes:
        nodes: Number of compute nodes, at least 8, named node00000 and so on. The last sixteenth of
            them, at least four, is reserved for the injected jobs.
        days: Number of simulated days.
        seed: Seed of the random numbers; the same seed and parameters give the same bytes.
        start_ns: Time at which the simulation begins, ns since the epoch; it is moved back to a
            full hour.
        slice_s: Length of a slice, in seconds.
        processes_per_node: Number of processes that an MPI program starts on each of its nodes.
        load: Share of all nodes that users request on average.
        aggressors: Number of injected aggressors; each has two injected victims.
        faults: Number of injected faults: slow servers, throttled nodes and reboots, in turn.
        commit_s: Simulated seconds between two commits of the site's ingester.
        pmu: Whether nodes count instructions, cycles and cache misses.
    """

    nodes: int = 16
    days: float = 1.0
    seed: int = 0
    start_ns: int = START_NS
    slice_s: float = DEFAULT_SLICE_NS / 1e9
    processes_per_node: int = 48
    load: float = 0.9
    aggressors: int = 3
    faults: int = 3
    commit_s: float = 60.0
    pmu: bool = False

    @property
    def slice_ns(self) -> int:
        """Length of a slice, in ns."""
        return round(self.slice_s * 1e9)

    @property
    def first_slice(self) -> int:
        """Number of the first slice since the epoch."""
        hour = 3600 * 1_000_000_000
        return self.start_ns // hour * hour // self.slice_ns

    @property
    def slices(self) -> int:
        """Number of simulated slices."""
        return max(1, round(self.days * 86_400 / self.slice_s))

    @property
    def reserved(self) -> int:
        """Number of nodes that are reserved for injected jobs."""
        return max(4, self.nodes // 16)

    @property
    def file_systems(self) -> int:
        """Number of scratch file systems: one for each thousand nodes, at least two."""
        return max(2, self.nodes // 1000)

    @property
    def capacity(self) -> float:
        """Capacity of each scratch file system, bytes/s."""
        return max(2e9, self.nodes * 150e6 / self.file_systems)

    @property
    def meta_capacity(self) -> float:
        """Metadata operations/s of each scratch file system."""
        return max(40_000.0, self.nodes * 400.0 / self.file_systems)
