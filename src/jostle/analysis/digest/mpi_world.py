"""Result types of the MPI part of a digest: one `WorldDigest` per mpirun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jostle.analysis.spread import Range, Spread
from jostle.names.training import is_collective_library
from jostle.values.plain_values import MaybeNan

#: Events that are counted unless the user names others, in the order of their bits in a profile.
USUAL_EVENTS = (
    "instructions",
    "cycles",
    "last-level misses",
    "task clock",
    "context switches",
    "migrations",
    "page faults",
)


@dataclass(frozen=True)
class CallTraffic:
    """Calls of one kind and the bytes that they moved, over the ranks of a world.

    Attributes:
        name: Kind of call: collective, send, receive, room, sendrecv, complete, one-sided, mpiio
            read, mpiio write, file read or file write; for calls of a collective library: ccl
            collective, ccl send or ccl receive. "room" is the size of receive buffers, for receives
            whose messages' size is not known; the calls of these count under "receive".
        calls: Number of calls per rank.
        bytes: Bytes per rank, as docs/reference/metrics.md defines them for each kind of call.
        calls_per_s: Calls per second of the time between MPI_Init and MPI_Finalize; NaN if no rank
            recorded that time.
        bytes_per_s: Bytes per second of the same time.
    """

    name: str
    calls: Spread
    bytes: Spread
    calls_per_s: Range
    bytes_per_s: Range


@dataclass(frozen=True)
class TimeShare:
    """The share of the ranks' time that was spent in one state.

    Attributes:
        name: Name of the state: computation, point-to-point, collective, one-sided, mpiio, other
            mpi or file i/o.
        seconds: Time in the state, summed over ranks.
        share: Share of the time of all ranks, 0 to 1.
        least: Share of the rank's own time on the rank where this share is least.
        most: Share of the rank's own time on the rank where this share is greatest.
    """

    name: str
    seconds: float
    share: float
    least: float
    most: float


@dataclass(frozen=True)
class Balance:
    """How evenly the ranks share the work.

    Attributes:
        imbalance: Greatest computing time of a rank divided by the mean over ranks, less 1.
        busiest: Number of the rank that computes longest.
        idlest: Number of the rank that computes least.
        least_waiting: Number of the rank that spends least time in collectives, so that the others
            wait for it; None without collectives.
        computing_s: Least, mean and greatest computing time of a rank, in seconds.
    """

    imbalance: float
    busiest: int
    idlest: int
    least_waiting: int | None
    computing_s: Range


@dataclass(frozen=True)
class RankThreads:
    """Cores that a rank kept busy, and the number of threads it was set to use.

    Attributes:
        effective: CPU time of a rank divided by its run time; NaN if no rank recorded its run time.
        omp_threads: OMP_NUM_THREADS; 0 where it is not set, None where ranks differ.
        ratio: `effective` divided by OMP_NUM_THREADS, mean over the ranks where it is set; None if
            it is set for no rank.
    """

    effective: Range
    omp_threads: int | None
    ratio: float | None


@dataclass(frozen=True)
class Counters:
    """Hardware counters: the events requested, those that the machine granted, and their results.

    Attributes:
        asked: Names of the requested events.
        granted: Names of the events that every rank got.
        denied: Names of the requested events that some rank did not get.
        instructions_per_s: Instructions in user mode of each rank, per second of the CPU time
            during which counters counted.
        instructions_per_cycle: Instructions per cycle, over all ranks.
        misses_per_kilo: Last-level cache misses per 1000 instructions, over all ranks.
        flops_per_s: Floating-point operations of each rank, per second of the CPU time during which
            counters counted; by the first PAPI event that counts such operations.
        flops_event: Name of this event; "" without one.
        papi: Count of every granted PAPI event per rank, by name of the event.
        counted_share: Part of the CPU time during which hardware counters counted. They pause where
            frequent context switches would make them costly.
    """

    asked: list[str]
    granted: list[str]
    denied: list[str]
    instructions_per_s: Range | None = None
    instructions_per_cycle: float | None = None
    misses_per_kilo: float | None = None
    flops_per_s: Range | None = None
    flops_event: str = ""
    papi: dict[str, Spread] | None = None
    counted_share: float = 1.0

    @property
    def named_and_denied(self) -> list[str]:
        """The events that the user named and some rank did not get.

        Default events that the machine denies are shown by `jostle doctor`.
        """
        return [name for name in self.denied if name not in USUAL_EVENTS]


@dataclass(frozen=True)
class SegmentsDigest:
    """The execution segments of a world, merged over its ranks.

    A segment is the part of a run between two global synchronisations (delimiters) of a world.
    Segments with the same set of calls are of one kind.

    Attributes:
        number: Number of segments that all ranks have in common.
        per_rank: Number of segments that a rank stored.
        rule: Rule by which most segments were delimited: every, coalesced, epoch, raw or none (see
            docs/explanation/execution-segments.md).
        rules: Share of the time in segments of each rule, by rule.
        delimiter: Name of the MPI function that ends most segments; "" where none does.
        coverage: Share of the time between the first and the last delimiter that is inside
            segments of recurring kinds: of those with at least five segments.
        segmentable: Whether the coverage is at least one half.
        kinds: Number of recurring kinds.
        agreement: Number of boundaries common to all ranks, divided by that of the rank with the
            fewest boundaries.
        duration_s: Least, mean and greatest duration of a segment, in seconds.
        median_s: Median duration of a segment, in seconds.
        missing: Ranks of the world that have no profile.
        notes: Notes on the merge of the ranks' segments.
        rows: One dictionary per segment (see `segment_rows`), if requested.
    """

    number: int
    per_rank: Range
    rule: str
    rules: dict[str, float]
    delimiter: str
    coverage: float
    segmentable: bool
    kinds: int
    agreement: float
    duration_s: Range
    median_s: float
    missing: list[int]
    notes: list[str]
    rows: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Advice:
    """Advice which kind of tool to use next, and why.

    Attributes:
        rule: Name of the rule that gave the advice.
        kind: Kind of tool that is recommended.
        tools: Examples of such tools.
        why: What the digest shows, and what such a tool adds.
    """

    rule: str
    kind: str
    tools: list[str]
    why: str


@dataclass(frozen=True)
class WorldDigest:
    """The ranks of one mpirun, or of one launch of a training job.

    Attributes:
        world: Id of the world; "" when unknown.
        size: Number of ranks of the world; 0 when unknown.
        ranks: Number of ranks that have a profile.
        processes: Ids of the ranks' processes, in order of rank.
        programs: Number of ranks by program, the most frequent program first.
        hosts: Nodes of the ranks.
        spawned: Whether MPI_Comm_spawn started the world.
        library: First line of the MPI library's version text; for a training job, its collective
            library.
        adapter: jostle's MPI adapter that counted the calls of the world; "" without one.
        counted: Whether the MPI calls of the world were counted.
        problem: Why calls were not counted, or what else is missing; "" if nothing is missing.
        launcher: Launcher of the ranks: orte, prrte, hydra, slurm or torch; "" if unknown.
        batch: Id of the batch job; "" without one.
        thread_level: MPI thread level: single, funneled, serialized or multiple.
        unfinished: Number of ranks that ended, or still run, without having left MPI_Finalize.
        running: Whether some rank still runs.
        start_ns: When the first rank called MPI_Init or joined the world, ns since the epoch.
        seconds: Time from `start_ns` to the last return of MPI_Finalize; without that, to the end
            of the last rank, in seconds.
        in_collectives: Time from start to completion of the collectives of a collective library,
            divided by the ranks' time, 0 to 1. NaN where so many collectives were under way at
            once that they add up to more than the ranks' time.
        traffic: Calls and bytes of the ranks, by kind of call; only kinds that occurred.
        shares: How the ranks' time is divided among states, over the ranks whose run time is
            known; empty if it is known for no rank.
        shares_over: Description of the time that is divided.
        balance: Load balance; None for a single rank.
        threads: Number of cores that a rank kept busy, and its number of threads.
        counters: Results of hardware counters.
        waited: Time that calls took beyond what such calls usually take, as a share of the ranks'
            time; NaN: not known.
        off_cpu: Time off the CPU between calls, as a share of the ranks' time. It was sampled, so
            it is a lower bound. NaN: not known.
        metrics: Spread over the ranks of every metric that is not zero, by id, without histograms.
        segments: Execution segments; None where they were switched off or never recorded.
        next: Advice which tools to use next.
    """

    world: str
    size: int
    ranks: int
    processes: list[int]
    programs: dict[str, int]
    hosts: list[str]
    spawned: bool
    library: str
    adapter: str
    counted: bool
    problem: str
    launcher: str
    batch: str
    thread_level: str
    unfinished: int
    running: bool
    start_ns: int
    seconds: float
    in_collectives: MaybeNan
    traffic: list[CallTraffic]
    shares: list[TimeShare]
    shares_over: str
    balance: Balance | None
    threads: RankThreads
    counters: Counters
    waited: MaybeNan
    off_cpu: MaybeNan
    metrics: dict[str, Spread]
    segments: SegmentsDigest | None
    next: list[Advice]

    @property
    def is_training(self) -> bool:
        """Whether the world belongs to a collective library, not to an MPI."""
        return is_collective_library(self.library)
